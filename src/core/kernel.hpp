// The kernel learner: f(x) = sum of coefficients x k(kept row, x). All members and classes share the kept rows and their kernel
// values; the coefficients are one matrix.
#pragma once
#include "kept.hpp"

namespace poise::POISE_ISA {

// k(kept rows, x) of eight products at once.
POISE_INLINE Octo kernel_values(const Settings& set, double gamma, const Octo& products, const Octo& squares, double square) {
    if (set.kernel == KernelKind::linear) return products;
    if (set.kernel == KernelKind::rbf) {
        const Octo distance = (squares + spread(square)) - (products + products);
        return exponentials(spread(-gamma) * at_least(distance, spread(0.0)));
    }
    const Octo base = spread(gamma) * products + spread(set.coef0);
    Octo value = base;
    for (int i = 1; i < static_cast<int>(set.degree); ++i) value = value * base;
    return value;
}

POISE_INLINE double kernel_of_itself(const Settings& set, double gamma, double square) {
    if (set.kernel == KernelKind::rbf) return 1.0;
    if (set.kernel == KernelKind::linear) return square;
    const double base = gamma * square + set.coef0;
    double value = base;
    for (int i = 1; i < static_cast<int>(set.degree); ++i) value *= base;
    return value;
}

POISE_INLINE double kernel_gamma(const State& state, size_t active) {
    if (state.set.gamma > 0.0) return state.set.gamma;
    const bool evened = state.set.unit_rows || state.columns.scaling != Scaling::none;
    return evened ? 1.0 : 1.0 / columns_met(state, active);
}

// Scores of a row by all outputs, without their constants.
template <class Row>
POISE_ONCE void kernel_scores(const State& state, const Prepared<Row>& x, double* scores) {
    const Shelf& kept = state.support;
    const double gamma = kernel_gamma(state, entries_of(x.row)), square = own_square(x);
    const size_t outputs = state.outputs;
    if (outputs == 1) {
        Octo sum = spread(0.0);
        for_products(kept, x, [&](size_t b, const Octo& products) POISE_ALWAYS {
            sum = sum + kernel_values(state.set, gamma, products, load(kept.square + b * 8), square) * load(kept.coef + b * 8);
        });
        scores[0] = folded(sum);
        return;
    }
    double* sums = state.kernel_sums;
    for (size_t i = 0; i < outputs * 8; ++i) sums[i] = 0.0;
    for_products(kept, x, [&](size_t b, const Octo& products) POISE_ALWAYS {
        const Octo values = kernel_values(state.set, gamma, products, load(kept.square + b * 8), square);
        const double* coef = kept.coef + b * outputs * 8;
        for (size_t o = 0; o < outputs; ++o) store(sums + o * 8, load(sums + o * 8) + values * load(coef + o * 8));
    });
    for (size_t o = 0; o < outputs; ++o) scores[o] = folded(load(sums + o * 8));
}

POISE_INLINE double size_of_coefficients(const Shelf& kept, size_t outputs, size_t place) {
    const double* coef = kept.coef + (place >> 3) * outputs * 8 + (place & 7);
    double sum = 0.0;
    for (size_t o = 0; o < outputs; ++o) sum += coef[o * 8] < 0.0 ? -coef[o * 8] : coef[o * 8];
    return sum;
}

// Where the next support vector goes: behind the last one, or, with the budget spent, where one is dropped.
POISE_INLINE size_t next_place(const State& state) {
    const Shelf& kept = state.support;
    if (!state.set.budget || *kept.count < state.set.budget) return *kept.count;
    if (!state.set.drops_smallest) return oldest(kept, -1);
    size_t found = 0;
    double least = size_of_coefficients(kept, state.outputs, 0);
    for (size_t i = 1; i < *kept.count; ++i) {
        const double size = size_of_coefficients(kept, state.outputs, i);
        const double same = 1e-9 * least;  // sums of equal steps may differ in their last bits
        if (size < least - same || (size <= least + same && kept.born[i] < kept.born[found])) {
            least = size;
            found = i;
        }
    }
    return found;
}

template <class Row>
POISE_ONCE void add_support(State& state, const Prepared<Row>& x, const double* moves) {
    Shelf& kept = state.support;
    const size_t place = next_place(state);
    put_row(kept, place, x, -1);
    double* coef = kept.coef + (place >> 3) * state.outputs * 8 + (place & 7);
    for (size_t o = 0; o < state.outputs; ++o) coef[o * 8] = moves[o];
}

}  // namespace poise::POISE_ISA
