// Ensembles whose members each draw how often they learn a row: OB, OKB, OOB, OUB, OWOB, OWUB, OUOB, OEB, WEOB.
//
// `sums` holds per member: OKB a table of true class x named class; OWOB and OWUB a decayed recall per class; OEB right and all
// per class. WEOB keeps recalls for its two halves.
#pragma once
#include "../ledger.hpp"
#include "../team.hpp"

namespace poise::POISE_ISA {

// ---- votes

// Agreement beyond chance, times n^2 both above and below the line, so that whole counts give an exact 0. With counts that fade
// less than a millionth is nothing that votes could be shared by.
constexpr double kNoAgreement = 1e-6;

POISE_INLINE double kappa(const Record& table, size_t classes) {
    double all = 0.0, agreed = 0.0, by_chance = 0.0;
    for (size_t c = 0; c < classes; ++c) {
        double row = 0.0, column = 0.0;
        for (size_t k = 0; k < classes; ++k) {
            row += table[c * classes + k];
            column += table[k * classes + c];
        }
        all += row;
        agreed += table[c * classes + c];
        by_chance += row * column;
    }
    const double above = all * agreed - by_chance, rest = all * all - by_chance;
    return rest > 0.0 && above > kNoAgreement * (all * all) ? above / rest : 0.0;
}

POISE_INLINE Octo kappas(const Octo& a, const Octo& b, const Octo& c, const Octo& d) {
    const Octo none = spread(0.0), all = (a + b) + (c + d), by_chance = (a + b) * (a + c) + (c + d) * (b + d);
    const Octo above = all * (a + d) - by_chance, rest = all * all - by_chance;
    const auto counts = (rest > none) & (above > spread(kNoAgreement) * (all * all));
    return choose(counts, above / choose(counts, rest, spread(1.0)), none);
}

// The geometric mean of recalls over the classes seen; recall(c) gives one.
template <class Recall>
POISE_INLINE double geometric_mean(const State& state, size_t seen, Recall recall) {
    double product = 1.0;
    for (size_t c = 0; c < state.classes; ++c)
        if (state.account[c].seen) product *= recall(c);
    if (!(product > 0.0)) return 0.0;
    return seen == 2 ? __builtin_sqrt(product) : power(product, 1.0 / static_cast<double>(seen));
}

POISE_INLINE void weob_votes(const State& state, size_t seen) {
    const size_t half = state.members / 2;
    const auto mean_of = [&](size_t which) POISE_ALWAYS {
        return geometric_mean(state, seen, [&](size_t c) POISE_ALWAYS { return record_of(state, which)[c]; });
    };
    double over = mean_of(0), under = mean_of(1);
    if (state.set.form == 2) {
        over = over >= under ? 1.0 : 0.0;
        under = 1.0 - over;
    } else if (over + under > 0.0) {
        const double both = over + under;
        over /= both;
        under /= both;
    }
    for (size_t m = 0; m < state.members; ++m) state.votes[m] = m < half ? over : under;
}

// The votes of eight members that tell two classes apart.
POISE_INLINE Octo votes_of_two(const State& state, size_t m) {
    const auto row = [&](size_t slot) POISE_ALWAYS { return load(state.sums + slot * state.sum_width + m); };
    if (state.set.method == Method::okb) return kappas(row(0), row(1), row(2), row(3));
    if (state.set.method == Method::oeb) return square_root((row(0) / row(1)) * (row(2) / row(3)));
    return square_root(row(0) * row(1));
}

// Two classes at least were seen.
POISE_INLINE void bagging_votes(const State& state, size_t seen) {
    if (state.set.method == Method::weob) return weob_votes(state, seen);
    if (state.classes == 2) {
        for (size_t m = 0; m < state.members; m += 8) store(state.votes + m, votes_of_two(state, m));
        return;
    }
    for (size_t m = 0; m < state.members; ++m) {
        const Record own = record_of(state, m);
        state.votes[m] = state.set.method == Method::okb
                             ? kappa(own, state.classes)
                             : geometric_mean(state, seen, [&](size_t c) POISE_ALWAYS { return own[c]; });
    }
}

// ---- what is remembered of the members' answers before they learn the row

// 1 for each of eight members that name the upper of two classes.
POISE_INLINE Octo upper_named(const State& state, const Octo& scores) {
    const Octo none = spread(0.0), one = spread(1.0);
    return state.positive == 1 ? choose(scores < none, none, one) : choose(scores > none, one, none);
}

POISE_INLINE void remember_two(const State& state, size_t label) {
    const Octo decay = spread(state.set.decay), one = spread(1.0);
    const bool fades = state.set.method == Method::okb && state.set.decay < 1.0;
    for (size_t m = 0; m < state.members; m += 8) {
        const auto at = [&](size_t slot) POISE_ALWAYS { return state.sums + slot * state.sum_width + m; };
        const Octo upper = upper_named(state, load(state.scored + m)), right = label == 1 ? upper : one - upper;
        if (state.set.method == Method::okb) {
            for (size_t slot = 0; fades && slot < 4; ++slot) store_members(state, m, at(slot), load(at(slot)) * decay);
            store_members(state, m, at(2 * label), load(at(2 * label)) + (one - upper));
            store_members(state, m, at(2 * label + 1), load(at(2 * label + 1)) + upper);
        } else if (state.set.method == Method::oeb) {
            store_members(state, m, at(2 * label), load(at(2 * label)) + right);
            store_members(state, m, at(2 * label + 1), load(at(2 * label + 1)) + one);
        } else {
            store_members(state, m, at(label), decay * load(at(label)) + spread(1.0 - state.set.decay) * right);
        }
    }
}

POISE_INLINE void remember_recall(const State& state, double& recall, bool right) {
    recall = state.set.decay * recall + (1.0 - state.set.decay) * (right ? 1.0 : 0.0);
}

POISE_INLINE void remember_halves(const State& state, size_t label) {
    const size_t half = state.members / 2;
    for (size_t m = 0; m < state.members; ++m) state.votes[m] = 1.0;
    for (size_t which = 0; which < 2; ++which) {
        combine(state, state.scored, which * half, (which + 1) * half, state.votes, false, state.slope);
        remember_recall(state, record_of(state, which)[label], choice(state, state.slope) == label);
    }
}

POISE_INLINE void remember_answers(const State& state, size_t label) {
    if (!state.slots) return;
    if (state.set.method == Method::weob) return remember_halves(state, label);
    if (state.span == 1) return remember_two(state, label);
    for (size_t m = 0; m < state.members; ++m) {
        const Record own = record_of(state, m);
        const size_t named = choice(state, state.scored + m * state.span);
        if (state.set.method != Method::okb) {
            remember_recall(state, own[label], named == label);
            continue;
        }
        for (size_t i = 0; state.set.decay < 1.0 && i < state.slots; ++i) own[i] *= state.set.decay;
        own[label * state.classes + named] += 1.0;
    }
}

// ---- rates

POISE_INLINE double two_class_rate(State& state, size_t label, const Shares& shares) {
    const Settings& set = state.set;
    const bool positive = label == state.positive;
    switch (set.method) {
        case Method::oob:
        case Method::owob:
            if (!set.minority_rates) return shares.top / shares.own;
            return in_minority(state, label) ? 1.0 / shares.own : 1.0;
        case Method::oub:
            if (!set.minority_rates) return shares.least / shares.own;
            return in_minority(state, label) ? 1.0 : 1.0 - shares.own;
        case Method::owub:
            if (!set.minority_rates) return shares.least / shares.own;
            return positive ? 1.0 : 1.0 / imbalance_ratio(state);
        case Method::oeb:
            return positive ? 1.0 : 1.0 / imbalance_ratio(state);
        default:
            return 1.0;
    }
}

POISE_INLINE bool has_shares(Method method) {
    return method == Method::oob || method == Method::oub || method == Method::owob || method == Method::owub ||
           method == Method::weob;
}

// Fills `rates` with the members' Poisson rates for this row. Members have answered, but not learned.
POISE_INLINE void fill_rates(State& state, size_t label) {
    const size_t members = state.members;
    const Shares shares = has_shares(state.set.method) ? shares_with(state, label) : Shares{};
    if (state.set.method == Method::weob) {
        for (size_t m = 0; m < members; ++m) state.rates[m] = (m < members / 2 ? shares.top : shares.least) / shares.own;
        return;
    }
    if (state.set.method == Method::ouob) {
        const Counts all = counts_with(state, label);
        const double most = state.span > 1 ? all.most / all.own : label == state.positive ? imbalance_ratio(state) : 1.0;
        for (size_t m = 0; m < members; ++m) state.rates[m] = static_cast<double>(m + 1) / static_cast<double>(members) * most;
        return;
    }
    const double rate = two_class_rate(state, label, shares);
    for (size_t m = 0; m < members; ++m) state.rates[m] = rate;
    if (state.set.method != Method::oeb || state.set.plain_rates) return;
    for (size_t m = 0; m < members; ++m)  // more for what a member got wrong
        if (choice(state, state.scored + m * state.span) != label)
            state.rates[m] = label == state.positive ? 2.0 : __builtin_sqrt(rate);
}

}  // namespace poise::POISE_ISA
