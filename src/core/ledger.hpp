// The ledger: per class what was seen, its share, what it pulled and how far it travelled, and the running sums of imbalance.
#pragma once
#include "exp_log.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

// The classes a row is weighed against: those seen before it and its own; a phantom stands in for the second one.
struct Present {
    size_t count = 0;  // at least 2
    bool phantom = false;
    double most = 1.0, least = 1.0, own = 1.0;  // counts, each started at 1
    double pulls = 0.0, own_pull = 1.0;         // sums, each started at 1
    double top_share = 0.0, own_share = 0.0;
};

POISE_INLINE Present present_classes(const State& state, size_t label) {
    const Tally& tally = *state.tally;
    Present all;
    all.most = all.least = all.own = 1.0 + as_double(state.account[label].seen);
    for (size_t c = 0; c < state.classes; ++c) {
        const Account& account = state.account[c];
        if (!account.seen && c != label) continue;
        const double n = 1.0 + as_double(account.seen);
        all.count += 1;
        all.most = n > all.most ? n : all.most;
        all.least = n < all.least ? n : all.least;
        all.pulls += 1.0 + account.pulled;
        all.top_share = account.share > all.top_share ? account.share : all.top_share;
    }
    all.own_pull = 1.0 + state.account[label].pulled;
    all.own_share = state.account[label].share;
    if (all.count == 1) {
        all.count = 2;
        all.phantom = true;
        all.least = 1.0;
        all.pulls += 1.0;
        all.top_share = tally.phantom_share > all.top_share ? tally.phantom_share : all.top_share;
    }
    return all;
}

// A class that comes for the first time gets its share of the shares: the phantom's, or 1 / (classes so far).
POISE_INLINE void welcome(State& state, size_t label) {
    if (state.account[label].seen) return;
    size_t others = 0;
    for (size_t c = 0; c < state.classes; ++c) others += state.account[c].seen ? 1 : 0;
    if (others < 2) {
        state.account[label].share = others ? state.tally->phantom_share : 0.5;
        return;
    }
    const double own = 1.0 / static_cast<double>(others + 1);
    for (size_t c = 0; c < state.classes; ++c) state.account[c].share *= static_cast<double>(others) * own;
    state.account[label].share = own;
}

// Shares never fall below this: smaller numbers would be slow to compute with, and nobody could tell the difference.
constexpr double kLeastShare = 1e-290;

POISE_INLINE double decayed(double share, double memory) {
    share *= memory;
    return share > kLeastShare ? share : kLeastShare;
}

POISE_INLINE void decay_shares(State& state, size_t label, double memory) {
    for (size_t c = 0; c < state.classes; ++c) {
        Account& account = state.account[c];
        if (!account.seen && c != label) continue;
        account.share = c == label ? memory * account.share + (1.0 - memory) : decayed(account.share, memory);
    }
    state.tally->phantom_share = decayed(state.tally->phantom_share, memory);
}

// Shares that forget, this row counted first: its own, the largest and the smallest.
struct Shares {
    double own = 0.0, top = 0.0, least = 1.0;
};

POISE_INLINE Shares shares_with(State& state, size_t label) {
    const double memory = state.set.decay;
    if (state.classes == 2 && state.account[0].seen && state.account[1].seen) {
        double &own = state.account[label].share, &other = state.account[1 - label].share;
        own = memory * own + (1.0 - memory);
        other = decayed(other, memory);
        return {own, own > other ? own : other, own > other ? other : own};
    }
    welcome(state, label);
    decay_shares(state, label, memory);
    Shares all;
    size_t present = 0;
    const auto meet = [&](double share) POISE_ALWAYS {
        all.top = share > all.top ? share : all.top;
        all.least = share < all.least ? share : all.least;
    };
    for (size_t c = 0; c < state.classes; ++c) {
        if (!state.account[c].seen && c != label) continue;
        present += 1;
        meet(state.account[c].share);
    }
    if (present == 1) meet(state.tally->phantom_share);
    all.own = state.account[label].share;
    return all;
}

// Negatives per positive before this row, each count started at 1.
POISE_INLINE double running_ratio(const State& state) {
    return (1.0 + as_double(state.account[1 - state.positive].seen)) / (1.0 + as_double(state.account[state.positive].seen));
}

POISE_INLINE double imbalance_ratio(const State& state) {
    const double ratio = state.set.ir > 0.0 ? state.set.ir : running_ratio(state);
    return state.set.ir > 0.0 || ratio > 1.0 ? ratio : 1.0;
}

// Whether a row's class is the rare one of two: the one seen less often, the positive one of equals; with `ir` given, always the
// same.
POISE_INLINE bool in_minority(const State& state, size_t label) {
    const bool positive = label == state.positive;
    if (state.set.ir > 0.0) return (state.set.ir > 1.0) == positive;
    const uint64_t own = state.account[label].seen, other = state.account[1 - label].seen;
    return own < other || (own == other && positive);
}

// Counts of the seen classes and this row's own, each started at 1.
struct Counts {
    double own = 1.0, most = 1.0, least = 1.0;
    size_t classes = 0;
};

POISE_INLINE Counts counts_with(const State& state, size_t label) {
    Counts all;
    all.own = all.most = all.least = 1.0 + as_double(state.account[label].seen);
    for (size_t c = 0; c < state.classes; ++c) {
        if (!state.account[c].seen && c != label) continue;
        const double n = 1.0 + as_double(state.account[c].seen);
        all.most = n > all.most ? n : all.most;
        all.least = n < all.least ? n : all.least;
        all.classes += 1;
    }
    return all;
}

POISE_INLINE size_t classes_seen(const State& state) {
    size_t seen = 0;
    for (size_t c = 0; c < state.classes; ++c) seen += state.account[c].seen ? 1 : 0;
    return seen;
}

// The sums of (GI - 1)^2 and (ln GI)^2: row t goes into lane t % 8. Rows are noted in a strip, which is worked off all at once.
class Imbalance {
  public:
    POISE_INLINE explicit Imbalance(Tally& tally) : tally_(tally), noted_(tally.rows % 8) {
        for (size_t i = 0; i < noted_; ++i) over_[i] = under_[i] = 1.0;
    }
    POISE_INLINE ~Imbalance() {
        for (; noted_ % 8; ++noted_) over_[noted_] = under_[noted_] = 1.0;
        work_off();
    }
    Imbalance(const Imbalance&) = delete;
    Imbalance& operator=(const Imbalance&) = delete;

    // Notes how far the classes have travelled after a row; a row before all of them have moved does not count.
    POISE_INLINE void note(const State& state) {
        double over = 0.0, under = 0.0;
        if (state.classes == 2) {
            over = state.account[1 - state.positive].travelled;
            under = state.account[state.positive].travelled;
        } else if (state.classes > 2) {
            extremes(state, over, under);
        }
        const bool counts = over > 0.0 && under > 0.0;
        over_[noted_] = counts ? over : 1.0;
        under_[noted_] = counts ? under : 1.0;
        tally_.compared += counts ? 1 : 0;
        if (++noted_ == kStrip) work_off();
    }

  private:
    static constexpr size_t kStrip = 512;
    static constexpr double kMostImbalanced = 1e100;  // its square, 2^63 times, is still finite

    POISE_INLINE static void extremes(const State& state, double& most, double& least) {
        size_t seen = 0;
        for (size_t c = 0; c < state.classes; ++c) {
            if (!state.account[c].seen) continue;
            const double length = state.account[c].travelled;
            most = seen == 0 || length > most ? length : most;
            least = seen == 0 || length < least ? length : least;
            ++seen;
        }
        if (seen < 2) most = least = 0.0;
    }
    POISE_INLINE void work_off() {
        Octo sum = load(tally_.imbalance), log_sum = load(tally_.log_imbalance);
        for (size_t i = 0; i < noted_; i += 8) {
            const Octo exact = load(over_ + i) / load(under_ + i);
            const Octo ratio = at_least(at_most(exact, spread(kMostImbalanced)), spread(1.0 / kMostImbalanced)),
                       off = ratio - spread(1.0), log_ratio = logarithms(ratio);
            sum = sum + off * off;
            log_sum = log_sum + log_ratio * log_ratio;
        }
        store(tally_.imbalance, sum);
        store(tally_.log_imbalance, log_sum);
        noted_ = 0;
    }

    Tally& tally_;
    size_t noted_;
    double over_[kStrip], under_[kStrip];
};

}  // namespace poise::POISE_ISA
