// What a method sees and may do. A single linear model whose rows get one weight goes the short way, `weigh`; everything else
// goes through `learn_team`, which draws, votes, steps members and makes synthetic rows.
#pragma once
#include "methods/bagging.hpp"
#include "methods/boosting.hpp"
#include "methods/dual_averaging.hpp"
#include "methods/own.hpp"
#include "methods/resampling.hpp"
#include "methods/weighting.hpp"

namespace poise::POISE_ISA {

// The weight of a row of class `label`; `loss` is its loss value, asked for only by methods that need one.
template <class LossValue>
POISE_INLINE double weigh(State& state, size_t label, LossValue loss) {
    switch (state.set.method) {
        case Method::hgd:
            return harmonize(state, label);
        case Method::ohgd:
            return released(state, label, loss());
        default:
            return 1.0;
    }
}

// Whether weighing a row changes what later rows weigh, so that inactive rows must be weighed too.
POISE_INLINE bool weighing_remembers(const State& state) {
    return state.set.method == Method::hgd && (state.set.memory > 0.0 || state.set.clamp == Clamp::assumption4);
}

// How far a row took the weights (below 0: it could not be learned), and the weight that the method gave it.
struct Stride {
    double travelled, weight;
};

// Fills `votes` with the members' votes; if nobody has one, everybody has.
POISE_ONCE void fill_votes(const State& state) {
    const Method method = state.set.method;
    const size_t members = state.members;
    for (size_t m = 0; m < members; ++m) state.votes[m] = 1.0;
    if (state.set.plain_votes || !state.slots || method == Method::own) return;
    const size_t seen = classes_seen(state);
    if (is_bagging(method)) {
        if (seen < 2) return;
        bagging_votes(state, seen);
    } else {
        boosting_votes(state, seen);
    }
    for (size_t m = 0; m < members; ++m)
        if (state.votes[m] > 0.0) return;
    for (size_t m = 0; m < members; ++m) state.votes[m] = 1.0;
}

// The slope that all members share when they step together, and whether the ensemble names the right class.
struct Joint {
    double slope;
    bool right;
};

POISE_INLINE Joint joint_slope(const State& state, size_t label) {
    const Settings& set = state.set;
    const bool soft = soft_votes(set);
    fill_votes(state);
    combine(state, state.scored, 0, state.members, state.votes, soft, state.joint);
    const bool right = choice(state, state.joint) == label;
    if (set.loss == Loss::perceptron) return {right ? 0.0 : 1.0, right};
    double weighed = 0.0, all = 0.0;
    for (size_t m = 0; m < state.members; ++m) {
        weighed += state.votes[m] * state.scored[m];
        all += state.votes[m];
    }
    return {pull_of_margin(set.loss, (label == 0 ? -weighed : weighed) / all), right};
}

// How often each member learns the row, in place of its rate. Chances are kept from row to row: those of the rate that members
// have in common, and those of a member's own rates for the two classes.
POISE_INLINE void draw_times(State& state, size_t label) {
    uint64_t& random = state.tally->random;
    Chances<kChances>* kept = reinterpret_cast<Chances<kChances>*>(state.chances);
    const double common = state.rates[0];
    Chances<kChances>* own = kept + 1 + (label == state.positive ? state.members : 0);
    for (size_t m = 0; m < state.members; ++m) {
        double& rate = state.rates[m];
        if (rate > 0.0 && rate <= 2.0 * kSmallRate) {
            Chances<kChances>& chances = rate == common ? *kept : own[m];
            if (rate != chances.rate) chances.prepare(rate);
            rate = chances.draw(random);
        } else {
            rate = poisson(random, rate);
        }
    }
}

POISE_ONCE double learn_bag(State& state, size_t label, double pull, double square) {
    const double slope = state.set.together ? joint_slope(state, label).slope : 0.0;
    remember_answers(state, label);
    fill_rates(state, label);
    draw_times(state, label);
    const double members = static_cast<double>(state.members);
    if (state.set.together) return move_together(state, label, pull, slope, square) / members;
    if (state.span == 1) return repeat_all(state, label, pull, square) / members;
    double travelled = 0.0;
    for (size_t m = 0; m < state.members; ++m)
        if (state.rates[m] > 0.0) travelled += repeat(state, m, label, state.rates[m], pull, square);
    return travelled / members;
}

POISE_ONCE double learn_boost(State& state, size_t label, double pull, double square) {
    const bool together = state.set.together;
    const Joint joint = together ? joint_slope(state, label) : Joint{0.0, false};
    double travelled = 0.0;
    boost(state, label, [&](size_t m, double rate) POISE_ALWAYS {
        const double times = poisson_near_one(state.tally->random, rate, state.largest_chances);
        if (together) {
            state.rates[m] = times;
            return joint.right;
        }
        if (times > 0.0) travelled += repeat(state, m, label, times, pull, square);
        return choice(state, state.scored + m * state.span) == label;
    });
    if (together) travelled = move_together(state, label, pull, joint.slope, square);
    return travelled / static_cast<double>(state.members);
}

// How a single model of two classes learns a row: how often, with which weight, until which margin.
struct Plan {
    double times = 1.0, weight = 1.0, margin = 1.0;
};

POISE_INLINE Plan plan_of(State& state, size_t label) {
    switch (state.set.method) {
        case Method::csogd: {
            const double cost = cost_of(state, label);
            return state.set.margin_cost ? Plan{1.0, 1.0, cost} : Plan{1.0, cost, 1.0};
        }
        case Method::csrda: {
            const Cost cost = dual_averaging_cost(state, label);
            return {1.0, cost.weight, cost.goal};
        }
        case Method::oor:
        case Method::our:
        case Method::ohr: {
            const double times = resampled(state, label);
            return state.set.repeats_weigh ? Plan{times > 0.0 ? 1.0 : 0.0, times, 1.0} : Plan{times, 1.0, 1.0};
        }
        default:
            return {};
    }
}

// Decides how members step along a row whose scores are in `scored`; leaves their moves in `moves`.
POISE_ONCE Stride plan_steps(State& state, size_t label, double pull, double square) {
    const Settings& set = state.set;
    begin_steps(state);
    if (is_bagging(set.method)) return {learn_bag(state, label, pull, square), 1.0};
    if (is_boosting(set.method)) return {learn_boost(state, label, pull, square), 1.0};
    if (set.method == Method::own) return {learn_own(state, label, pull, square), 1.0};
    if (set.method <= Method::ohgd) {
        const double y_f = label == 0 ? -state.scored[0] : state.scored[0];
        const double weight = weigh(state, label, [&] { return loss_of_margin(set.loss, y_f); });
        return {repeat(state, 0, label, 1.0, pull * weight, square), weight};
    }
    const Plan plan = plan_of(state, label);
    return {repeat(state, 0, label, plan.times, pull * plan.weight, square, plan.margin), plan.weight};
}

}  // namespace poise::POISE_ISA
