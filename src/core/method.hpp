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
    if (state.set.plain_votes || !state.slots) return;
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

POISE_ONCE double learn_bag(State& state, size_t label, double pull, double square) {
    const bool together = state.set.together;
    const double slope = together ? joint_slope(state, label).slope : 0.0;
    remember_answers(state, label);
    fill_rates(state, label);
    Poisson poisson;
    double travelled = 0.0;
    for (size_t m = 0; m < state.members; ++m) {
        const double times = poisson.draw(state.tally->random, state.rates[m]);
        if (times == 0.0) continue;
        travelled += together ? move_along(state, m, label, pull * times, slope, square)
                              : repeat(state, m, label, times, pull, square);
    }
    return travelled / static_cast<double>(state.members);
}

POISE_ONCE double learn_boost(State& state, size_t label, double pull, double square) {
    const bool together = state.set.together;
    const Joint joint = together ? joint_slope(state, label) : Joint{0.0, false};
    Poisson poisson;
    double travelled = 0.0;
    boost(state, label, [&](size_t m, double rate) POISE_ALWAYS {
        const double times = poisson.draw(state.tally->random, rate);
        if (together) {
            travelled += move_along(state, m, label, pull * times, joint.slope, square);
            return joint.right;
        }
        if (times > 0.0) travelled += repeat(state, m, label, times, pull, square);
        return choice(state, state.scored + m * state.span) == label;
    });
    return travelled / static_cast<double>(state.members);
}

// Decides how members step along a row whose scores are in `scored`; leaves their moves in `moves`.
POISE_ONCE Stride plan_steps(State& state, size_t label, double pull, double square) {
    const Settings& set = state.set;
    begin_steps(state);
    if (is_bagging(set.method)) return {learn_bag(state, label, pull, square), 1.0};
    if (is_boosting(set.method)) return {learn_boost(state, label, pull, square), 1.0};
    switch (set.method) {
        case Method::csogd: {
            const double cost = cost_of(state, label), weight = set.margin_cost ? 1.0 : cost;
            return {repeat(state, 0, label, 1.0, pull * weight, square, set.margin_cost ? cost : 1.0), weight};
        }
        case Method::csrda: {
            const Cost cost = dual_averaging_cost(state, label);
            const double step = step_size(state), weight = pull / step * cost.weight;
            return {step * repeat(state, 0, label, 1.0, weight, square, cost.goal), 1.0};
        }
        case Method::own:
            return {learn_own(state, label, pull, square), 1.0};
        case Method::oor:
        case Method::our:
        case Method::ohr:
            return {repeat(state, 0, label, resampled(state, label), pull, square), 1.0};
        default: {
            const double y_f = label == 0 ? -state.scored[0] : state.scored[0];
            const double weight = weigh(state, label, [&] { return loss_of_margin(set.loss, y_f); });
            return {repeat(state, 0, label, 1.0, pull * weight, square), weight};
        }
    }
}

}  // namespace poise::POISE_ISA
