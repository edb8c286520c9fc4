// Methods that repeat a row: over-, under- and hybrid resampling (OOR, OUR, OHR). OSMOTE, which adds rows, lives in
// synthetic.hpp.
#pragma once
#include "../ledger.hpp"
#include "../loss.hpp"
#include "../random.hpp"

namespace poise::POISE_ISA {

// k ~ Poisson(rate) for a class that is resampled, 1 for one that is left alone. Which of them a row is, and that nothing comes
// of a small rate, takes no branch that would be guessed wrong.
POISE_INLINE double drawn(State& state, bool resampled, double rate) {
    uint64_t& random = state.tally->random;
    uint64_t next = random;
    const double u = uniform(next);
    if (__builtin_expect(resampled & ((u >= 1.0 - rate) | !(rate > 0.0)), 0)) return poisson(random, rate);
    random = resampled ? next : random;
    return 1.0 - one_if(resampled);
}

POISE_INLINE double resampled_of_many(State& state, size_t label) {
    const Counts all = counts_with(state, label);
    if (state.set.method == Method::oor) return drawn(state, all.own < all.most, all.most / all.own);
    return drawn(state, all.own > all.least, all.least / all.own);
}

// Rates by shares of the classes, as published in 2013: heads over-samples the minority, tails under-samples the majority.
POISE_INLINE double hybrid_by_shares(State& state, size_t label) {
    const double share = shares_with(state, label).own;
    const double heads = one_if(uniform(state.tally->random) < 0.5);
    const double rate = heads * (1.0 / share) + (1.0 - heads) * (1.0 - share);
    return drawn(state, in_minority(state, label) == (heads == 1.0), rate);
}

POISE_INLINE double hybrid(State& state, size_t label) {
    if (state.set.coin == Coin::shares) return hybrid_by_shares(state, label);
    const double ratio = imbalance_ratio(state);
    const bool positive = label == state.positive;
    if (state.set.coin == Coin::fair) {
        const double heads = one_if(uniform(state.tally->random) < 0.5);
        return drawn(state, positive == (heads == 1.0), heads * ratio + (1.0 - heads) * (1.0 / ratio));
    }
    const double rate = state.set.coin == Coin::root ? __builtin_sqrt(ratio) : ratio;
    return drawn(state, true, positive ? rate : 1.0 / rate);
}

// How many times a row is learned.
POISE_INLINE double resampled(State& state, size_t label) {
    if (state.span > 1) return resampled_of_many(state, label);
    if (state.set.method == Method::ohr) return hybrid(state, label);
    const bool positive = label == state.positive;
    const double ratio = imbalance_ratio(state);
    return state.set.method == Method::oor ? drawn(state, positive, ratio) : drawn(state, !positive, 1.0 / ratio);
}

}  // namespace poise::POISE_ISA
