// A user's own method: asked for each member how hard and how often it learns a row, and for synthetic rows.
#pragma once
#include "../ledger.hpp"
#include "../team.hpp"

namespace poise::POISE_ISA {

constexpr double kMostWeight = 1e9, kMostRepeats = 1e6;

// Fills the facts of the classes: counts started at 1 give the shares, and a phantom stands in for a second class.
POISE_INLINE void fill_facts(const State& state, Question& question) {
    const size_t classes = state.classes > 2 ? state.classes : 2;
    double all = 0.0;
    for (size_t c = 0; c < classes; ++c) all += 1.0 + as_double(state.account[c].seen);
    const double per_row = 1.0 / all;
    question.top_share = 0.0;
    question.least_share = 1.0;
    for (size_t c = 0; c < classes; ++c) {
        const Account& account = state.account[c];
        const double seen = as_double(account.seen), share = (1.0 + seen) * per_row;
        state.facts[c] = {seen, share, account.pulled, account.travelled};
        question.top_share = share > question.top_share ? share : question.top_share;
        question.least_share = share < question.least_share ? share : question.least_share;
    }
    question.classes = state.facts;
    question.count = static_cast<int64_t>(classes);
    question.memo = state.sums;
    question.memo_size = static_cast<int64_t>(state.slots);
    question.random = &state.tally->random;
}

POISE_INLINE void fill_row(const State& state, size_t m, size_t label, Question& question) {
    const double* scores = state.scored + m * state.span;
    RowFacts& row = question.row;
    row.y = static_cast<int64_t>(label);
    row.positive = label == state.positive;
    row.right = choice(state, scores) == label;
    row.t = static_cast<int64_t>(state.tally->rows);
    row.member = static_cast<int64_t>(m);
    const bool sees_loss = state.own->sees_loss;
    row.loss = row.slope = 0.0;
    if (state.span == 1) {
        row.margin = label == 0 ? -scores[0] : scores[0];
        row.score = row.positive ? row.margin : -row.margin;
        if (sees_loss) {
            row.loss = loss_of_margin(state.set.loss, row.margin);
            row.slope = pull_of_margin(state.set.loss, row.margin);
        }
    } else {
        row.score = row.margin = scores[label];
        if (sees_loss) row.slope = __builtin_sqrt(slopes_of_scores(state.set.loss, scores, state.span, label, state.slope));
    }
    row.x = state.own->sees_row ? state.own_row : nullptr;
    row.width = state.own->sees_row ? static_cast<int64_t>(state.columns.width) : 0;
}

POISE_INLINE bool usable(const Answer& answer) {
    const bool in_range = answer.weight >= 0.0 && answer.weight <= kMostWeight && answer.repeats >= 0.0 &&
                          answer.repeats <= kMostRepeats && finite(answer.margin);
    return in_range && static_cast<double>(static_cast<int64_t>(answer.repeats)) == answer.repeats;
}

constexpr double kNotUsable = -2.0, kNotAnswered = -3.0;

POISE_INLINE bool ask(const Own& own, const Question& q, Answer& answer) {
    if (!own.weigh_only) return own.decide(own.context, q, answer);
    answer.weight = own.weigh_only(&q.row, q.classes, q.count, q.top_share, q.least_share, q.memo, q.memo_size, own.numbers,
                                   q.random, q.row.x, q.row.width);
    return true;
}

// Asks for a single model; below 0: it could not be done.
POISE_INLINE double ask_own(State& state, size_t label, double& times, double& weight, double& margin) {
    Question question;
    fill_facts(state, question);
    fill_row(state, 0, label, question);
    Answer answer;
    if (!ask(*state.own, question, answer)) return kNotAnswered;
    if (!usable(answer)) return kNotUsable;
    times = answer.repeats;
    weight = answer.weight;
    margin = answer.margin;
    return 0.0;
}

// Asks for every member; below 0: it could not be done.
POISE_INLINE double learn_own(State& state, size_t label, double pull, double square) {
    Question question;
    fill_facts(state, question);
    double travelled = 0.0;
    for (size_t m = 0; m < state.members; ++m) {
        fill_row(state, m, label, question);
        Answer answer;
        if (!ask(*state.own, question, answer)) return kNotAnswered;
        if (!usable(answer)) return kNotUsable;
        travelled += repeat(state, m, label, answer.repeats, pull * answer.weight, square, answer.margin);
    }
    return travelled / static_cast<double>(state.members);
}

}  // namespace poise::POISE_ISA
