// One small generator (splitmix64): whole numbers, uniform, Poisson, normal. Its state is one number, saved with the model.
#pragma once
#include "exp_log.hpp"

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

// Draws with rates that often repeat: the chance of no event is worked out anew only when the rate changes.
struct Poisson {
    double rate = -1.0, none = 0.0;

    POISE_INLINE double draw(uint64_t& state, double wanted) {
        wanted = wanted < kLargestRate ? wanted : kLargestRate;
        double events = 0.0;
        for (; wanted > kLargestDraw; wanted -= kLargestDraw)
            events += poisson_of(uniform(state), kLargestDraw, exponential(-kLargestDraw));
        if (!(wanted > 0.0)) return events;
        if (wanted != rate) {
            rate = wanted;
            none = exponential(-wanted);
        }
        return events + poisson_of(uniform(state), rate, none);
    }
};

}  // namespace poise::POISE_ISA
