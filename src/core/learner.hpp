// The linear learner: scores of a prepared row, a step along it, and the running average of the weights.
//
// The average is kept in two-scalar form: average = weights + blend * shadow. A step of g on the weights takes g / blend off the
// shadow, and every row shrinks blend by 1 - rate, so a row costs only its active features.
#pragma once
#include "loss.hpp"
#include "row.hpp"

namespace poise::POISE_ISA {

// A row ready to be scored: its direction, the factor it is multiplied by, and its products with the first output's weights.
template <class Row>
struct Prepared {
    Row row;
    double factor;
    Products first;
};

template <class Row>
POISE_INLINE double own_square(const Prepared<Row>& x) {
    return x.factor * x.factor * x.first.square;
}

template <class Row>
POISE_INLINE double squared_length(const State& state, const Prepared<Row>& x) {
    return own_square(x) + (state.set.intercept ? 1.0 : 0.0);
}

template <class Row>
POISE_INLINE double raw_score(const State& state, const Prepared<Row>& x, size_t output) {
    const double wx = output == 0 ? x.first.weights : product(x.row, state.weights + output * state.stride);
    return x.factor * wx + state.intercept[output];
}

// y f for two classes: the sign goes in first, where nobody waits for it.
template <class Row>
POISE_INLINE double margin(const State& state, const Prepared<Row>& x, double sign) {
    return sign * x.factor * x.first.weights + sign * state.intercept[0];
}

// The score that goes out: by the averaged weights, if there are any.
template <class Row>
POISE_INLINE double shown_score(const State& state, const Prepared<Row>& x, size_t output, double raw) {
    if (!state.shadow) return raw;
    const double vx = output == 0 ? x.first.shadow : product(x.row, state.shadow + output * state.stride);
    return raw + state.tally->blend * (x.factor * vx + state.shadow_intercept[output]);
}

// Number of columns for a kernel's width: for named or hashed features the running mean of active ones.
POISE_INLINE double columns_met(const State& state, size_t active) {
    if (!state.columns.open) return static_cast<double>(state.columns.width);
    const double rows = as_double(state.tally->rows);
    const double met = rows > 0.0 ? as_double(state.tally->entries) / rows : static_cast<double>(active);
    return met > 0.0 ? met : 1.0;
}

POISE_INLINE double step_size(const State& state) {
    const Settings& set = state.set;
    if (set.schedule == Schedule::constant) return set.eta0;
    const double t = as_double(state.tally->rows + 1);
    return set.eta0 / (set.schedule == Schedule::sqrt ? __builtin_sqrt(t) : power(t, set.power));
}

// Moves one output's weights by `size` x `slope` along the row. The slope comes last, so it is multiplied last. The first row of
// all leaves the shadow at 0: there average = weights.
template <class Row>
POISE_INLINE void step(State& state, const Prepared<Row>& x, size_t output, double size, double slope) {
    const size_t start = output * state.stride;
    if (state.set.intercept) state.intercept[output] += size * slope;
    if (!state.shadow || state.tally->rows == 0) {
        add(x.row, size * x.factor * slope, state.weights + start);
        return;
    }
    const double back = -size / state.tally->blend;
    if (state.set.intercept) state.shadow_intercept[output] += back * slope;
    add(x.row, size * x.factor * slope, state.weights + start, back * x.factor * slope, state.shadow + start);
}

// Once per learned row, after its step and before the row is counted.
POISE_INLINE void move_average(State& state) {
    if (!state.shadow || state.tally->rows == 0) return;
    Tally& tally = *state.tally;
    const double newest = 1.0 / as_double(tally.rows + 1), slowest = state.set.slowest_average;
    tally.blend *= 1.0 - (newest > slowest ? newest : slowest);
    if (tally.blend >= kFaintest) return;
    // + 0.0 turns a -0 left by underflow into the 0 that a dense row would make of it and a sparse one would not touch.
    for (size_t i = 0; i < state.outputs * state.stride; ++i) state.shadow[i] = state.shadow[i] * tally.blend + 0.0;
    for (size_t k = 0; k < state.outputs; ++k) state.shadow_intercept[k] = state.shadow_intercept[k] * tally.blend + 0.0;
    for (size_t i = 0; i < state.outputs * state.wave_stride; ++i)
        state.wave_shadow[i] = state.wave_shadow[i] * tally.blend + 0.0;
    tally.blend = 1.0;
}

POISE_INLINE void remember_weights(State& state) {
    const size_t n = state.outputs * state.stride;
    __builtin_memcpy(state.before, state.weights, n * sizeof(double));
    __builtin_memcpy(state.before + n, state.intercept, state.outputs * sizeof(double));
}

// Pulls the weights back onto the ball of `radius`; returns the length really travelled since remember_weights.
POISE_INLINE double project(State& state, double length) {
    const size_t n = state.outputs * state.stride;
    double squares = 0.0;
    for (size_t i = 0; i < n; ++i) squares += state.weights[i] * state.weights[i];
    for (size_t k = 0; k < state.outputs; ++k) squares += state.intercept[k] * state.intercept[k];
    const double norm = __builtin_sqrt(squares);
    if (norm <= state.set.radius) return length;
    const double shrink = state.set.radius / norm;
    const bool averaged = state.shadow && state.tally->rows > 0;
    double travelled = 0.0;
    const auto pull_back = [&](double& weight, double* shadow, double before) POISE_ALWAYS {
        const double inside = weight * shrink + 0.0;
        if (averaged) *shadow -= (inside - weight) / state.tally->blend;
        weight = inside;
        travelled += (inside - before) * (inside - before);
    };
    for (size_t i = 0; i < n; ++i) pull_back(state.weights[i], averaged ? state.shadow + i : nullptr, state.before[i]);
    for (size_t k = 0; k < state.outputs; ++k)
        pull_back(state.intercept[k], averaged ? state.shadow_intercept + k : nullptr, state.before[n + k]);
    return __builtin_sqrt(travelled);
}

}  // namespace poise::POISE_ISA
