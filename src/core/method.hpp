// What a method sees and may do: it weighs a row from the ledger before the row is counted.
#pragma once
#include "methods/weighting.hpp"

namespace poise::POISE_ISA {

// The weight of a row of class `label`; `loss` is its loss value, asked for only by methods that need one.
template <class LossValue>
POISE_INLINE double weigh(State& state, size_t label, LossValue loss) {
    switch (state.set.method) {
        case Method::ogd:
            return 1.0;
        case Method::hgd:
            return harmonize(state, label);
        case Method::ohgd:
            return released(state, label, loss());
    }
    return 1.0;
}

// Whether weighing a row changes what later rows weigh, so that inactive rows must be weighed too.
POISE_INLINE bool weighing_remembers(const State& state) {
    return state.set.method == Method::hgd && (state.set.memory > 0.0 || state.set.clamp == Clamp::assumption4);
}

}  // namespace poise::POISE_ISA
