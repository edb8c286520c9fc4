// CSRDA: the weights follow from the sum of all gradients (Xiao's regularised dual averaging), each weighed by its class's cost.
#pragma once
#include "../team.hpp"
#include "weighting.hpp"

namespace poise::POISE_ISA {

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
