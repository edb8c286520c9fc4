// The Fourier learner's random features: waves sqrt(2 / D) cos(W z + b) of the row, beside the row itself. All angles are counted
// in turns.
#pragma once
#include "learner.hpp"
#include "random.hpp"

namespace poise::POISE_ISA {

constexpr double kTurn = 6.283185307179586;

POISE_INLINE double cosine_of_turns(double turns) { return lane(cosines_of_turns(spread(turns)), 0); }

// Row `column` of W for gamma = 1/2: normal numbers that depend on the seed and the column only, over 2 pi.
POISE_ONCE void draw_column(uint64_t seed, size_t column, size_t features, double* out) {
    uint64_t state = scrambled(seed ^ scrambled(static_cast<uint64_t>(column) + 1));
    for (size_t i = 0; i < features; i += 2) {
        const double u = 1.0 - uniform(state), angle = uniform(state);
        const double length = __builtin_sqrt(-2.0 * logarithm(u)) / kTurn;
        out[i] = length * cosine_of_turns(angle);
        if (i + 1 < features) out[i + 1] = length * cosine_of_turns(angle - 0.25);
    }
}

POISE_INLINE void draw_phases(uint64_t seed, size_t features, double* out) {
    for (size_t i = 0; i < features; ++i) out[i] = uniform(seed);
}

// Sums of W times the row, for a stretch of features at a time that fits into registers.
template <size_t eights, class Row>
POISE_INLINE void turn_stretch(const State& state, const Prepared<Row>& x, size_t first) {
    Octo sums[eights];
    for (size_t k = 0; k < eights; ++k) sums[k] = spread(0.0);
    for_entries(x.row, x.factor, [&](size_t j, double value) POISE_ALWAYS {
        const double* at = state.wave_table + j * state.wave_stride + first;
        for (size_t k = 0; k < eights; ++k) sums[k] = sums[k] + spread(value) * load(at + 8 * k);
    });
    for (size_t k = 0; k < eights; ++k) store(state.waves + first + 8 * k, sums[k]);
}

template <class Row>
POISE_INLINE void turn(const State& state, const Prepared<Row>& x) {
    const size_t stride = state.wave_stride;
    size_t i = 0;
    if (state.wave_table) {
        for (; i + 32 <= stride; i += 32) turn_stretch<4>(state, x, i);
        for (; i < stride; i += 8) turn_stretch<1>(state, x, i);
        return;
    }
    for (; i < stride; ++i) state.waves[i] = 0.0;
    for_entries(x.row, x.factor, [&](size_t j, double value) {
        draw_column(state.set.wave_seed, j, state.set.features, state.wave_column);
        for (size_t k = 0; k < state.set.features; ++k) state.waves[k] += value * state.wave_column[k];
    });
}

// Leaves the waves of a row in state.waves and returns the sum of their squares. The row comes as the linear part sees it; `gain`
// undoes its division by the root of its width.
template <class Row>
POISE_ONCE double make_waves(const State& state, const Prepared<Row>& x, double gain) {
    const size_t stride = state.wave_stride, features = state.set.features;
    const double gamma = state.set.gamma > 0.0 ? state.set.gamma : 1.0 / columns_met(state, entries_of(x.row));
    const double scale = gain * __builtin_sqrt(2.0 * gamma);
    double* waves = state.waves;
    turn(state, x);
    const Octo height = spread(__builtin_sqrt(2.0 / static_cast<double>(features))), times = spread(scale);
    Sum squares;
    for (size_t i = 0; i < stride; i += 8) {
        Octo wave = height * cosines_of_turns(times * load(waves + i) + load(state.wave_phase + i));
        if (i + 8 > features) {
            store(waves + i, wave);
            wave = load_first(waves + i, features - i);
        }
        store(waves + i, wave);
        squares.add(wave * wave);
    }
    return squares.total();
}

}  // namespace poise::POISE_ISA
