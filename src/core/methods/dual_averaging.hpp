// CSRDA: the weights follow from the sum of all gradients (Xiao's regularised dual averaging), each weighed by its class's cost.
#pragma once
#include "../team.hpp"
#include "weighting.hpp"

namespace poise::POISE_ISA {

// Where others keep weights, dual averaging keeps the sum of its steps.

// A sum less what lies within the threshold.
POISE_INLINE Octo beyond(const Octo& sum, const Octo& threshold) { return sum - at_least(at_most(sum, threshold), -threshold); }
POISE_INLINE double beyond(double sum, double threshold) { return sum - at_least(at_most(sum, threshold), -threshold); }

template <class T>
POISE_INLINE double product_beyond(DenseRow<T> row, const double* sums, double threshold) {
    Sum total;
    const Octo all = spread(threshold);
    for_eights(row.x, row.width, [&](const Octo& x, size_t j) POISE_ALWAYS { total.add(beyond(load(sums + j), all) * x); });
    return total.total();
}
template <class I>
POISE_INLINE double product_beyond(SparseRow<I> row, const double* sums, double threshold) {
    ScatteredSum total;
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        total.add(beyond(sums[j], threshold) * row.x[e], j);
    }
    return total.total();
}

// The weights are sqrt(t) / gamma x (mean step less l1), so 1 / (gamma sqrt(t)) x (sum of steps less l1 t).
template <class Row>
POISE_INLINE double averaged_score(const State& state, const Prepared<Row>& x) {
    if (state.tally->rows == 0) return 0.0;
    const double t = as_double(state.tally->rows), threshold = state.set.threshold * t;
    const double wx = threshold > 0.0 ? product_beyond(x.row, state.weights, threshold) : x.first.weights;
    return (x.factor * wx + beyond(state.intercept[0], threshold)) / (state.set.strength * __builtin_sqrt(t));
}

struct Cost {
    double weight, goal;
};

POISE_INLINE Cost dual_averaging_cost(const State& state, size_t label) {
    if (state.set.frequency_cost) {
        const double own = 1.0 + as_double(state.account[label].seen), other = 1.0 + as_double(state.account[1 - label].seen);
        const double share = label == state.positive ? state.set.positive_cost : state.set.negative_cost;
        return {share * (own + other) / own, 1.0};
    }
    const double cost = cost_of(state, label);
    return state.set.margin_cost ? Cost{1.0, cost} : Cost{cost, 1.0};
}

}  // namespace poise::POISE_ISA
