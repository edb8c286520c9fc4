// The walk of a row: check, score, see, weigh, step, remember.
#pragma once
#include "method.hpp"
#include "methods/synthetic.hpp"
#include "source.hpp"

namespace poise::POISE_ISA {

// The ways of a row: one linear model with two classes or more, whose rows get one weight; one linear model with two classes and
// any method; and everything else.
enum class Way : uint8_t { two, many, single, team };

// Writes a score of two classes as one number, or as one for each of them where there are more columns.
POISE_INLINE void write_two(const State& state, double score, size_t row, double* scores, size_t many) {
    if (many == 0) {
        scores[row] = score;
        return;
    }
    for (size_t k = 0; k < state.classes; ++k) scores[row * many + k] = k == 0 ? -0.5 * score : 0.5 * score;
}

// Leaves the raw scores of all members in `scored`; returns the squared length of a step of 1.
template <class Row>
POISE_INLINE double meet(const State& state, const Prepared<Row>& x) {
    const double square = square_seen(state, x);
    score_members(state, x);
    return square;
}

// Writes what a team whose raw scores are known answers to a row.
template <class Row>
POISE_ONCE void show_team(const State& state, const Prepared<Row>& x, size_t row, double* scores, size_t many) {
    const double* answer = state.scored;
    if (state.shadow) {
        show_members(state, x);
        answer = state.shown;
    }
    if (is_bagging(state.set.method) || is_boosting(state.set.method) || state.members > 1) {
        fill_votes(state);
        combine(state, answer, 0, state.members, state.votes, soft_votes(state.set), state.joint);
        answer = state.joint;
    }
    if (state.span == 1) return write_two(state, answer[0], row, scores, many);
    for (size_t k = 0; k < state.classes; ++k) scores[row * many + k] = answer[k];
}

// Writes the scores of one row: one number for two classes, else one per class that exists by now.
template <Way way, class Row>
POISE_INLINE void show(const State& state, const Prepared<Row>& x, size_t row, double* scores, size_t many) {
    if constexpr (way == Way::team) {
        meet(state, x);
        show_team(state, x, row, scores, many);
    } else if constexpr (way == Way::single) {
        const bool averaged = state.set.method == Method::csrda;
        write_two(state, averaged ? averaged_score(state, x) : shown_score(state, x, 0, raw_score(state, x, 0)), row, scores,
                  many);
    } else if constexpr (way == Way::two) {
        write_two(state, shown_score(state, x, 0, raw_score(state, x, 0)), row, scores, many);
    } else {
        for (size_t k = 0; k < state.classes; ++k) scores[row * many + k] = shown_score(state, x, k, raw_score(state, x, k));
    }
}

// Squared pulls are sums of squares of the unweighted lengths, so these are bounded too.
POISE_INLINE bool leads_too_far(const State& state, double travelled, double unweighted) {
    return !(travelled <= kFarthest) || (state.set.squared_pull && !(unweighted <= kFarthest));
}

// How far a user's own method and OSMOTE step at synthetic rows; below 0: it could not be done.
template <class Row>
POISE_INLINE double learn_synthetic(State& state, const Prepared<Row>& x, size_t label, double pull) {
    if (state.set.method == Method::osmote) return synthesize(state, x, label, pull);
    return state.set.method == Method::own && state.own->make ? synthesize_own(state, label, pull) : 0.0;
}

// One linear model with two classes and any method. Repeated steps along a row move its margin by known amounts.
template <class Row>
POISE_INLINE Stride learn_single(State& state, const Prepared<Row>& x, size_t label, double pull, double given) {
    const Settings& set = state.set;
    const bool sums = set.method == Method::csrda, anyway = is_short(x.row);
    const double sign = label == 0 ? -1.0 : 1.0, square = squared_length(state, x), length = __builtin_sqrt(square);
    double y_f = sums ? sign * averaged_score(state, x) : margin(state, x, sign);
    Plan plan;
    if (set.method == Method::own) {
        state.scored[0] = sign * y_f;
        if (state.own->sees_row) spread_out(state, x);
        if (const double failed = ask_own(state, label, plan.times, plan.weight, plan.margin); failed < 0.0) return {failed, 1.0};
    } else {
        plan = plan_of(state, label);
    }
    const double size = pull * plan.weight;
    double slopes = 0.0;
    if (set.squared_loss) {
        slopes = pull_of_squared(set.loss, y_f, plan.margin);
    } else if (plan.times <= 1.0) {
        slopes = plan.times * pull_of_margin(set.loss, y_f, plan.margin);
    } else {
        for (double i = 0.0; i < plan.times; i += 1.0) {
            const double slope = pull_of_margin(set.loss, y_f, plan.margin);
            if (slope == 0.0) break;
            slopes += slope;
            y_f += size * slope * square;
        }
    }
    const double travelled = size * slopes * length;
    if (leads_too_far(state, travelled, travelled)) return {-1.0, plan.weight};
    if (anyway || travelled > 0.0) step(state, x, 0, sign * (sums ? given * plan.weight : size), slopes);
    const double more = learn_synthetic(state, x, label, pull);
    if (more < 0.0) return {more, plan.weight};
    return {travelled + more, plan.weight};
}

template <class Row>
POISE_INLINE Stride learn_team(State& state, const Prepared<Row>& x, size_t label, double pull, double square) {
    if (state.set.method == Method::own && state.own->sees_row) spread_out(state, x);
    Stride stride = plan_steps(state, label, pull, square);
    if (stride.travelled < 0.0) return stride;
    if (leads_too_far(state, stride.travelled, stride.travelled)) return {-1.0, stride.weight};
    finish_steps(state, x);
    const double more = learn_synthetic(state, x, label, pull);
    stride.travelled = more < 0.0 ? more : stride.travelled + more;
    return stride;
}

// Why a row could not be learned.
POISE_INLINE Rule rule_of_stride(double travelled) {
    return travelled == kNotAnswered ? Rule::own_failed : travelled == kNotUsable ? Rule::own_value : Rule::far;
}

// Steps along the row with weight `pull`.
template <bool two, class Row>
POISE_INLINE Stride learn_row(State& state, const Prepared<Row>& x, size_t label, double pull) {
    if constexpr (two) {
        const double sign = label == 0 ? -1.0 : 1.0, y_f = margin(state, x, sign);
        const double slope = pull_of_margin(state.set.loss, y_f);
        const bool anyway = is_short(x.row);
        if (slope == 0.0 && !anyway && !weighing_remembers(state)) return {0.0, 0.0};
        const double length = __builtin_sqrt(squared_length(state, x));
        const double weight = weigh(state, label, [&] { return loss_of_margin(state.set.loss, y_f); });
        const double size = pull * weight, travelled = size * length * slope;
        if (leads_too_far(state, travelled, pull * slope * length)) return {-1.0, weight};
        if (anyway || travelled > 0.0) step(state, x, 0, sign * size, slope);
        return {travelled, weight};
    } else {
        for (size_t k = 0; k < state.outputs; ++k) state.scored[k] = raw_score(state, x, k);
        const double squares = slopes_of_scores(state.set.loss, state.scored, state.outputs, label, state.slope);
        const double length = __builtin_sqrt(squared_length(state, x));
        const double weight = weigh(state, label, [] { return 0.0; });
        const double slope = __builtin_sqrt(squares), travelled = pull * weight * slope * length;
        if (leads_too_far(state, travelled, pull * slope * length)) return {-1.0, weight};
        if (travelled > 0.0)
            for (size_t k = 0; k < state.outputs; ++k)
                if (state.slope[k] != 0.0) step(state, x, k, -pull * weight, state.slope[k]);
        return {travelled, weight};
    }
}

POISE_INLINE double squared_pull(Stride stride) {
    const double plain = stride.weight > 0.0 ? stride.travelled / stride.weight : 0.0;
    return stride.weight * plain * plain;
}

// Enters a row in its class's account.
POISE_INLINE void book(const State& state, Account& account, Stride stride) {
    account.pulled += state.set.squared_pull ? squared_pull(stride) : stride.travelled;
    account.travelled += stride.travelled;
    account.seen += 1;
}

// A call's own copy of the small state, which the compiler can keep in registers; given back at the end.
template <bool two>
class Borrowed {
  public:
    POISE_INLINE explicit Borrowed(State& outside) : state(outside), tally(*outside.tally), outside_(outside) {
        state.tally = &tally;
        if constexpr (!two) return;
        account_[0] = outside.account[0];
        account_[1] = outside.account[1];
        state.account = account_;
    }
    POISE_INLINE ~Borrowed() {
        outside_.classes = state.classes;
        *outside_.tally = tally;
        if constexpr (!two) return;
        outside_.account[0] = account_[0];
        outside_.account[1] = account_[1];
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    State state;
    Tally tally;

  private:
    State& outside_;
    Account account_[2];
};

// Scores a row without learning it. Never part of learn_rows: rows there are seldom only scored, and its registers are few.
template <Way way, bool with_shadow, class Source>
__attribute__((noinline)) Stop score_row(const State& state, const Source& source, size_t i, double* scores, size_t many) {
    Prepared<typename Source::Row> x{};
    const Stop bad = source.template prepare<with_shadow, false>(state, i, x);
    if (bad.rule == Rule::none) show<way>(state, x, i, scores, many);
    return bad;
}

// Class numbers come in order of arrival. A second class needs no new weights; a third one does, and stops the loop.
template <Way way, bool with_shadow, class Source>
Stop learn_rows(State& outside, const Source& source, const Block& block, size_t begin, size_t end, size_t scored, double* scores,
                size_t many) {
    constexpr bool knows_positive = way == Way::single || way == Way::team;
    Borrowed<way == Way::two || way == Way::single> borrowed(outside);
    State& state = borrowed.state;
    Tally& tally = borrowed.tally;
    Imbalance imbalance(tally);
    for (size_t i = begin; i < end; ++i) {
        const double given = block.weight ? block.weight[i] : 1.0;
        const size_t label = static_cast<size_t>(block.label[i]);
        const bool left_out = given == 0.0, grows = !left_out && label >= state.classes && label >= 2;
        const bool shown = scores && i >= scored;
        if (__builtin_expect(left_out || grows, 0)) {
            const Stop bad = shown ? score_row<way, with_shadow>(state, source, i, scores, many) : Stop{};
            if (bad.rule != Rule::none) return bad;
            if (grows) return {Rule::new_class, i, static_cast<int64_t>(label)};
            continue;
        }
        Prepared<typename Source::Row> x{};
        const Stop bad = source.template prepare<with_shadow, true>(state, i, x);
        if (bad.rule != Rule::none) return bad;
        double square = 0.0;
        if constexpr (knows_positive) state.positive = state.classes < 2 ? state.positive_alone : outside.positive;
        if constexpr (way == Way::team) {
            square = meet(state, x);
            if (shown) show_team(state, x, i, scores, many);
        } else if (shown) {
            show<way>(state, x, i, scores, many);
        }
        if (label >= state.classes) state.classes = label + 1;
        if constexpr (knows_positive) state.positive = state.classes < 2 ? state.positive_alone : outside.positive;
        if (state.set.radius > 0.0) remember_weights(state);
        const double pull = step_size(state) * given;
        Stride stride{};
        if constexpr (way == Way::team)
            stride = learn_team(state, x, label, pull, square);
        else if constexpr (way == Way::single)
            stride = learn_single(state, x, label, pull, given);
        else
            stride = learn_row<way == Way::two>(state, x, label, pull);
        if (stride.travelled < 0.0) return {rule_of_stride(stride.travelled), i, -1};
        if (state.set.radius > 0.0 && stride.travelled > 0.0) stride.travelled = project(state, stride.travelled);
        source.see(state);
        book(state, state.account[label], stride);
        imbalance.note(state);
        move_average(state);
        tally.rows += 1;
    }
    return {};
}

template <Way way, class Source>
Stop score_rows(const State& outside, const Source& source, size_t begin, size_t end, double* scores, size_t many) {
    State state = outside;
    if (state.classes < 2) state.positive = state.positive_alone;
    for (size_t i = begin; i < end; ++i) {
        const Stop bad = state.shadow ? score_row<way, true>(state, source, i, scores, many)
                                      : score_row<way, false>(state, source, i, scores, many);
        if (bad.rule != Rule::none) return bad;
    }
    return {};
}

}  // namespace poise::POISE_ISA
