// A model of any number of members on any learner: their scores, what they vote, and steps along one row. Repeated steps along a
// row move its scores by known amounts, so they are done in numbers; the row is added to each member's weights once, at the end.
#pragma once
#include "fourier.hpp"
#include "kernel.hpp"

namespace poise::POISE_ISA {

// ---- scores

// The squared length of a step of 1 along a row; makes its waves.
template <class Row>
POISE_INLINE double square_seen(const State& state, const Prepared<Row>& x) {
    const double constant = state.set.intercept ? 1.0 : 0.0;
    if (state.set.learning == Learning::kernel)
        return kernel_of_itself(state.set, kernel_gamma(state, entries_of(x.row)), own_square(x)) + constant;
    if (state.set.learning == Learning::linear) return own_square(x) + constant;
    const bool divided = !state.set.unit_rows && state.columns.scaling != Scaling::none;
    return own_square(x) + make_waves(state, x, divided ? __builtin_sqrt(columns_met(state, entries_of(x.row))) : 1.0) + constant;
}

POISE_INLINE double wave_product(const State& state, const double* weights) {
    return product(DenseRow<double>{state.waves, state.wave_stride}, weights);
}

// Fills `scored` with the raw scores of all outputs.
template <class Row>
POISE_ONCE void score_members(const State& state, const Prepared<Row>& x) {
    if (state.set.learning == Learning::kernel) {
        kernel_scores(state, x, state.scored);
        for (size_t o = 0; o < state.outputs; ++o) state.scored[o] += state.intercept[o];
        return;
    }
    for (size_t o = 0; o < state.outputs; ++o) {
        state.scored[o] = raw_score(state, x, o);
        if (state.set.learning == Learning::fourier)
            state.scored[o] += wave_product(state, state.wave_weights + o * state.wave_stride);
    }
}

// Fills `shown` with the scores of all outputs by their averaged weights.
template <class Row>
POISE_ONCE void show_members(const State& state, const Prepared<Row>& x) {
    for (size_t o = 0; o < state.outputs; ++o) {
        state.shown[o] = shown_score(state, x, o, state.scored[o]);
        if (state.shadow && state.set.learning == Learning::fourier)
            state.shown[o] += state.tally->blend * wave_product(state, state.wave_shadow + o * state.wave_stride);
    }
}

// ---- what is remembered of members: `sums` holds rows of numbers, one number per member (or half) in each

struct Record {
    double* first;
    size_t stride;
    POISE_INLINE double& operator[](size_t row) const { return first[row * stride]; }
};

POISE_INLINE Record record_of(const State& state, size_t m) { return {state.sums + m, state.sum_width}; }

// Stores eight members' numbers, of which the last may be fewer: behind them another row begins.
POISE_INLINE void store_members(const State& state, size_t m, double* to, const Octo& values) {
    if (m + 8 <= state.members) return store(to, values);
    double each[8];
    store(each, values);
    for (size_t i = 0; i < state.members - m; ++i) to[i] = each[i];
}

// ---- votes

// The class that scores name: two classes by the sign, a tie for the positive one; more by the largest, a tie for the first
// label.
POISE_INLINE size_t choice(const State& state, const double* scores) {
    if (state.span == 1) return state.positive == 1 ? scores[0] >= 0.0 : !(scores[0] <= 0.0);
    size_t best = 0;
    for (size_t k = 1; k < state.span; ++k)
        if (scores[k] > scores[best] || (scores[k] == scores[best] && state.rank[k] < state.rank[best])) best = k;
    return best;
}

// What `combine` gives for all members of two classes, eight at a time.
POISE_INLINE double combined_two(const State& state, const double* scores, const double* votes, bool soft) {
    const Octo none = spread(0.0);
    const bool upper_ties = state.positive == 1;
    Sum all, weighed, sum;
    for (size_t m = 0; m < state.members; m += 8) {
        const size_t left = state.members - m;
        const Octo vote = left >= 8 ? load(votes + m) : load_first(votes + m, left);
        const Octo score = left >= 8 ? load(scores + m) : load_first(scores + m, left);
        all.add(vote);
        sum.add(score);
        const Octo voted = upper_ties ? choose(score < none, -vote, vote) : choose(score > none, vote, -vote);
        weighed.add(soft ? vote * score : voted);
    }
    return weighed.total() / all.total() + 1e-6 / static_cast<double>(state.members) * sum.total();
}

// The score of some members together: their votes, weighed, and a millionth of their mean score, which decides between ties.
// `soft`: the weighed mean of their scores instead of votes.
POISE_ONCE void combine(const State& state, const double* scores, size_t first, size_t last, const double* votes, bool soft,
                        double* out) {
    if (state.span == 1 && first == 0 && last == state.members) {
        out[0] = combined_two(state, scores, votes, soft);
        return;
    }
    double votes_sum = 0.0;
    for (size_t m = first; m < last; ++m) votes_sum += votes[m];
    const double per_member = 1e-6 / static_cast<double>(last - first);
    for (size_t k = 0; k < state.span; ++k) {
        double weighed = 0.0, mean = 0.0;
        for (size_t m = first; m < last; ++m) {
            const double* own = scores + m * state.span;
            mean += own[k];
            if (soft)
                weighed += votes[m] * own[k];
            else if (state.span == 1)
                weighed += choice(state, own) ? votes[m] : -votes[m];
            else
                weighed += choice(state, own) == k ? votes[m] : 0.0;
        }
        out[k] = weighed / votes_sum + per_member * mean;
    }
}

POISE_INLINE bool soft_votes(const Settings& set) {
    return set.together && (is_boosting(set.method) || set.loss != Loss::perceptron);
}

// ---- steps

POISE_INLINE void begin_steps(const State& state) {
    for (size_t o = 0; o < state.outputs; ++o) state.moves[o] = 0.0;
}

// Steps member m `times` times with `weight` each, the loss worked out anew before each (or once, when repeats weigh); its scores
// in `scored` follow. Returns how far it went.
POISE_ONCE double repeat(const State& state, size_t m, size_t label, double times, double weight, double square,
                         double goal = 1.0) {
    const Settings& set = state.set;
    if (set.repeats_weigh && times > 0.0) {
        weight *= times;
        times = 1.0;
    }
    double* scores = state.scored + m * state.span;
    double* moves = state.moves + m * state.span;
    double slopes = 0.0;
    if (state.span == 1) {
        const double sign = label == 0 ? -1.0 : 1.0;
        double y_f = sign * scores[0];
        for (double i = 0.0; i < times; i += 1.0) {
            const double slope = pull_of_margin(set.loss, y_f, goal);
            if (slope == 0.0) break;
            slopes += slope;
            y_f += weight * slope * square;
        }
        scores[0] = sign * y_f;
        moves[0] += sign * (weight * slopes);
    } else {
        for (double i = 0.0; i < times; i += 1.0) {
            const double squares = slopes_of_scores(set.loss, scores, state.span, label, state.slope, goal);
            if (squares == 0.0) break;
            slopes += __builtin_sqrt(squares);
            for (size_t k = 0; k < state.span; ++k) {
                moves[k] -= weight * state.slope[k];
                scores[k] -= weight * state.slope[k] * square;
            }
        }
    }
    return weight * slopes * __builtin_sqrt(square);
}

// Steps all members of two classes at once, member m as often as rates[m] says; returns how far they went together. Arrays of
// members are padded to eight.
POISE_ONCE double repeat_all(const State& state, size_t label, double weight, double square) {
    const Settings& set = state.set;
    const Octo sign = spread(label == 0 ? -1.0 : 1.0), one = spread(1.0), none = spread(0.0);
    Sum slopes;
    for (size_t m = 0; m < state.members; m += 8) {
        Octo times = m + 8 <= state.members ? load(state.rates + m) : load_first(state.rates + m, state.members - m);
        Octo size = spread(weight);
        if (set.repeats_weigh) {
            size = size * times;
            times = choose(times > none, one, none);
        }
        Octo y_f = sign * load(state.scored + m), sum = none;
        const Octo step = size * spread(square);
        for (Octo left = times; any(left > none); left = left - one) {
            Octo slope = choose(left > none, pulls_of_margins(set.loss, y_f), none);
            if (!any(slope > none)) break;
            sum = sum + slope;
            y_f = y_f + step * slope;
        }
        store(state.scored + m, sign * y_f);
        const Octo moved = size * sum;
        store(state.moves + m, sign * moved);
        slopes.add(moved);
    }
    return slopes.total() * __builtin_sqrt(square);
}

// Steps all members by a slope that they share, member m as often as rates[m] says, in one step.
POISE_INLINE double move_together(const State& state, size_t label, double weight, double slope, double square) {
    double times = 0.0;
    const double step = label == 0 ? -weight * slope : weight * slope;
    for (size_t m = 0; m < state.members; ++m) {
        times += state.rates[m];
        state.moves[m] = state.rates[m] * step;
    }
    return weight * slope * times * __builtin_sqrt(square);
}

// Adds the row to the weights of all that moved.
template <class Row>
POISE_ONCE void finish_steps(State& state, const Prepared<Row>& x) {
    if (state.set.learning == Learning::kernel) {
        bool any_moved = false;
        for (size_t o = 0; o < state.outputs; ++o) {
            any_moved |= state.moves[o] != 0.0;
            if (state.set.intercept) state.intercept[o] += state.moves[o];
        }
        if (any_moved) add_support(state, x, state.moves);
        return;
    }
    const DenseRow<double> waves{state.waves, state.wave_stride};
    const bool has_waves = state.set.learning == Learning::fourier, averaged = state.shadow && state.tally->rows > 0;
    for (size_t o = 0; o < state.outputs; ++o) {
        if (state.moves[o] == 0.0) continue;
        step(state, x, o, state.moves[o], 1.0);
        if (!has_waves) continue;
        double* weights = state.wave_weights + o * state.wave_stride;
        if (averaged)
            add(waves, state.moves[o], weights, -state.moves[o] / state.tally->blend, state.wave_shadow + o * state.wave_stride);
        else
            add(waves, state.moves[o], weights);
    }
}

}  // namespace poise::POISE_ISA
