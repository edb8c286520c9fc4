// One small generator (splitmix64): uniform and Poisson numbers. Its state is one number, saved with the model.
#pragma once
#include "exp_log.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
constexpr double kLargestDraw = 500.0;  // exp(-500) is still a normal number; larger rates are drawn in parts
constexpr double kLargestRate = 1e6;

POISE_INLINE uint64_t scrambled(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// In [0, 1), in steps of 2^-53.
POISE_INLINE double uniform(uint64_t& state) {
    state += kGolden;
    return static_cast<double>(static_cast<int64_t>(scrambled(state) >> 11)) * 0x1p-53;
}

// The number of Poisson events that a uniform draw stands for, by summing their chances.
POISE_INLINE double poisson_of(double u, double rate, double none) {
    double chance = none, sum = none, events = 0.0;
    while (u >= sum) {
        events += 1.0;
        chance *= rate / events;
        if (sum + chance == sum) break;
        sum += chance;
    }
    return events;
}

POISE_ONCE double poisson_in_parts(uint64_t& state, double rate) {
    double events = 0.0;
    for (; rate > kLargestDraw; rate -= kLargestDraw)
        events += poisson_of(uniform(state), kLargestDraw, exponential(-kLargestDraw));
    return rate > 0.0 ? events + poisson_of(uniform(state), rate, exponential(-rate)) : events;
}

// The chances of fewer than 1, 2, ... n events at some rate: a draw is compared with all of them at once, without a branch that
// would be guessed wrong.
template <size_t n>
struct Chances {
    double rate = -1.0;
    double sums[n] = {};

    POISE_INLINE void prepare(double wanted) {
        static constexpr double kParts[8] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
        rate = wanted;
        const double none = exponential(-wanted), square = wanted * wanted;
        double sum = none, even = none, odd = none * wanted;
        for (size_t k = 0; k < n; k += 2) {
            sums[k] = k == 0 ? none : sum + even * kParts[k];
            sum = sums[k + 1] = sums[k] + odd * kParts[k + 1];
            even *= square;
            odd *= square;
        }
    }
    // For a rate that was prepared.
    POISE_INLINE double draw(uint64_t& state) const {
        const double u = uniform(state);
        double events = 0.0;
        for (size_t k = 0; k < n; ++k) events += u >= sums[k] ? 1.0 : 0.0;
        return __builtin_expect(events < static_cast<double>(n), 1) ? events : poisson_of(u, rate, sums[0]);
    }
};

constexpr double kSmallRate = 2.0;  // beyond it a draw is seldom among the first few

// A draw that most often is 0: small rates need no exponential.
POISE_INLINE double poisson(uint64_t& state, double rate) {
    if (!(rate > 0.0)) return 0.0;
    if (rate > kLargestDraw) return poisson_in_parts(state, rate < kLargestRate ? rate : kLargestRate);
    const double u = uniform(state);
    if (u < 1.0 - rate) return 0.0;  // exp(-rate) is larger still
    return poisson_of(u, rate, exponential(-rate));
}

// The largest rate that boosting passes on is common there: its chances are kept, worked out when it is first met.
constexpr double kLargestPassed = 100.0;

POISE_ONCE void fill_largest(double* sums) {
    double chance = exponential(-kLargestPassed), sum = chance;
    for (size_t k = 0; k < kMostEvents; ++k) {
        sums[k] = sum;
        chance *= kLargestPassed / static_cast<double>(k + 1);
        sum += chance;
    }
}

POISE_ONCE double poisson_of_largest(uint64_t& state, double* sums) {
    if (sums[0] == 0.0) fill_largest(sums);
    const double u = uniform(state);
    Sum events;
    for (size_t k = 0; k < kMostEvents && sums[k] <= u; k += 8)
        events.add(choose(spread(u) < load(sums + k), spread(0.0), spread(1.0)));
    const double found = events.total();
    return found < 200.0 ? found : poisson_of(u, kLargestPassed, sums[0]);
}

// A draw with a rate near 1, another one each time; `largest` holds the chances of the largest rate.
POISE_INLINE double poisson_near_one(uint64_t& state, double rate, double* largest) {
    if (rate == kLargestPassed) return poisson_of_largest(state, largest);
    if (!(rate > 0.0) || rate > kSmallRate) return poisson(state, rate);
    Chances<4> chances;
    chances.prepare(rate);
    return chances.draw(state);
}

}  // namespace poise::POISE_ISA
