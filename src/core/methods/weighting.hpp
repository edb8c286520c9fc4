// Methods that give a row one weight: OGD (always 1), HGD (harmonized gradient descent, Zhou et al. 2025) and CSOGD (by costs).
#pragma once
#include "../ledger.hpp"
#include "../loss.hpp"

namespace poise::POISE_ISA {

// HGD for two classes and plain counts: what almost every row goes through.
POISE_INLINE double harmonize_two(const State& state, size_t label) {
    const Account &own = state.account[label], &other = state.account[1 - label];
    const double n_own = 1.0 + as_double(own.seen), n_other = 1.0 + as_double(other.seen);
    const double s_own = 1.0 + own.pulled, s_other = 1.0 + other.pulled;
    const double most = n_other > n_own ? n_other : n_own, sum = s_own + s_other;
    const bool inverse = state.set.many_classes == ManyClasses::inverse;
    return inverse ? most * sum / (n_own * (2.0 * s_own)) : most * (2.0 * s_other) / (n_own * sum);
}

POISE_INLINE double harmonize(State& state, size_t label) {
    const Settings& set = state.set;
    const bool remembers = set.memory > 0.0;
    if (state.classes <= 2 && !remembers && set.clamp != Clamp::assumption4) {
        const double weight = harmonize_two(state, label);
        return set.clamp == Clamp::value && weight > set.largest_weight ? set.largest_weight : weight;
    }
    if (remembers) welcome(state, label);
    const Present all = present_classes(state, label);
    const double classes = as_double(all.count), others = all.pulls - all.own_pull;
    double weight = remembers ? all.top_share / (all.own_share > 1e-3 ? all.own_share : 1e-3) : all.most / all.own;
    if (set.many_classes == ManyClasses::inverse)
        weight *= all.pulls / (classes * all.own_pull);
    else if (set.many_classes == ManyClasses::printed && all.count > 2)
        weight *= classes * all.own_pull / all.pulls;
    else
        weight *= classes / (classes - 1.0) * others / all.pulls;
    if (remembers) decay_shares(state, label, set.memory);
    if (set.clamp == Clamp::value) return weight > set.largest_weight ? set.largest_weight : weight;
    if (set.clamp == Clamp::none) return weight;
    Tally& tally = *state.tally;
    const double ratio = all.most / all.least;
    tally.worst_ratio = ratio > tally.worst_ratio ? ratio : tally.worst_ratio;
    const double low = 1.0 / tally.worst_ratio, high = 2.0 * tally.worst_ratio;
    return weight < low ? low : weight > high ? high : weight;
}

// The authors' released predecessor (OHGD): the loss value is a factor, this row is counted first, sums start at 0.
POISE_INLINE double released(const State& state, size_t label, double loss) {
    if (state.tally->rows < 2) return 1.0;
    const Account &positive = state.account[state.positive], &negative = state.account[1 - state.positive];
    const bool is_positive = label == state.positive;
    const double n_positive = as_double(positive.seen + (is_positive ? 1 : 0));
    const double n_negative = as_double(negative.seen + (is_positive ? 0 : 1));
    const double sum = positive.pulled + negative.pulled, floor_sum = sum > 1.0 ? sum : 1.0;
    const double ratio = n_negative / (n_positive > 1.0 ? n_positive : 1.0);
    const double weight = (is_positive ? 2.0 * ratio * negative.pulled : 2.0 * positive.pulled) / floor_sum * loss;
    return weight < 1e-2 ? 1e-2 : weight > 2e2 ? 2e2 : weight;
}

// CSOGD and dual averaging: what a class costs, beside 1 for the negative one; for more than two classes, how rare it is.
POISE_INLINE double cost_of(const State& state, size_t label) {
    const Settings& set = state.set;
    if (state.span > 1) {
        const Counts all = counts_with(state, label);
        return all.most / all.own;
    }
    if (label != state.positive) return 1.0;
    const double ratio = set.positive_cost / set.negative_cost;
    if (!set.by_counts) return ratio;
    return ratio * (set.ir > 0.0 ? set.ir : running_ratio(state));
}

}  // namespace poise::POISE_ISA
