// Ensembles whose members each draw how often they learn a row: OB, OKB, OOB, OUB, OWOB, OWUB, OUOB, OEB, WEOB.
//
// `sums` holds per member: OKB a table of true class x named class; OWOB and OWUB a decayed recall per class; OEB right and all per
// class. WEOB keeps recalls for its two halves.
#pragma once
#include "../ledger.hpp"
#include "../team.hpp"

namespace poise::POISE_ISA {

// ---- votes

POISE_INLINE double kappa(const double* table, size_t classes) {
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
    // Both parts are taken times n^2, so that whole counts give an exact 0.
    const double above = all * agreed - by_chance, rest = all * all - by_chance;
    return rest > 0.0 && above > 0.0 ? above / rest : 0.0;
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

POISE_INLINE void bagging_votes(const State& state, size_t seen) {
    const size_t members = state.members, classes = state.classes > 2 ? state.classes : 2;
    const auto mean_of = [&](const double* recalls) POISE_ALWAYS {
        return geometric_mean(state, seen, [&](size_t c) POISE_ALWAYS { return recalls[c]; });
    };
    if (state.set.method == Method::weob) {
        const double over = mean_of(state.sums), under = mean_of(state.sums + state.slots);
        const bool better = state.set.form == 2;
        for (size_t m = 0; m < members; ++m) {
            const bool first = m < members / 2;
            state.votes[m] = better ? (first == (over >= under) ? 1.0 : 0.0) : first ? over : under;
        }
        if (!better && over + under > 0.0)
            for (size_t m = 0; m < members; ++m) state.votes[m] /= over + under;
        return;
    }
    for (size_t m = 0; m < members; ++m) {
        const double* own = state.sums + m * state.slots;
        if (state.set.method == Method::okb)
            state.votes[m] = kappa(own, classes);
        else if (state.set.method == Method::oeb)
            state.votes[m] = geometric_mean(
                state, seen, [&](size_t c) POISE_ALWAYS { return own[2 * c + 1] > 0.0 ? own[2 * c] / own[2 * c + 1] : 0.0; });
        else
            state.votes[m] = mean_of(own);
    }
}

// ---- what is remembered of the members' answers before they learn the row

POISE_INLINE void remember_answer(const State& state, double* own, size_t label, size_t named) {
    const double right = named == label ? 1.0 : 0.0, decay = state.set.decay;
    const size_t classes = state.classes > 2 ? state.classes : 2;
    switch (state.set.method) {
        case Method::okb:
            if (decay < 1.0)
                for (size_t i = 0; i < classes * classes; ++i) own[i] *= decay;
            own[label * classes + named] += 1.0;
            return;
        case Method::oeb:
            own[2 * label] += right;
            own[2 * label + 1] += 1.0;
            return;
        default:
            own[label] = decay * own[label] + (1.0 - decay) * right;
    }
}

POISE_INLINE void remember_answers(const State& state, size_t label) {
    if (!state.slots) return;
    if (state.set.method != Method::weob) {
        for (size_t m = 0; m < state.members; ++m)
            remember_answer(state, state.sums + m * state.slots, label, choice(state, state.scored + m * state.span));
        return;
    }
    for (size_t m = 0; m < state.members; ++m) state.votes[m] = 1.0;
    for (size_t half = 0; half < 2; ++half) {
        const size_t size = state.members / 2;
        combine(state, state.scored, half * size, (half + 1) * size, state.votes, false, state.slope);
        remember_answer(state, state.sums + half * state.slots, label, choice(state, state.slope));
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
        for (size_t m = 0; m < members; ++m)
            state.rates[m] = static_cast<double>(m + 1) / static_cast<double>(members) * most;
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
