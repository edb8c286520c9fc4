// Synthetic rows: OSMOTE's, between a row of a rare class and its nearest kept neighbours, and those of a user's own method.
#pragma once
#include "own.hpp"

namespace poise::POISE_ISA {

constexpr size_t kMostNeighbors = 64;

// The places of the nearest kept rows of a class, nearest first, of equals the older first.
struct Nearest {
    size_t place[kMostNeighbors];
    double distance[kMostNeighbors];
    size_t count = 0;
};

POISE_INLINE void enter_nearest(const Shelf& kept, size_t place, double distance, size_t wanted, Nearest& near) {
    const auto comes_before = [&](size_t at) {
        return distance < near.distance[at] || (distance == near.distance[at] && kept.born[place] < kept.born[near.place[at]]);
    };
    if (near.count == wanted && !comes_before(wanted - 1)) return;
    size_t at = near.count < wanted ? near.count++ : wanted - 1;
    for (; at > 0 && comes_before(at - 1); --at) {
        near.place[at] = near.place[at - 1];
        near.distance[at] = near.distance[at - 1];
    }
    near.place[at] = place;
    near.distance[at] = distance;
}

POISE_ONCE void find_nearest(const Shelf& kept, const double* row, size_t width, int32_t label, size_t wanted, Nearest& near) {
    for_distances(kept, row, width, [&](size_t block, const Octo& distances) POISE_ALWAYS {
        // Equal distances count: the older row of two comes first.
        if (near.count == wanted && !any(distances < spread(from_bits(to_bits(near.distance[wanted - 1]) + 1)))) return;
        double each[8];
        store(each, distances);
        for (size_t i = block * 8; i < block * 8 + 8 && i < *kept.count; ++i)
            if (kept.label[i] == label) enter_nearest(kept, i, each[i % 8], wanted, near);
    });
}

// One step of every member at the row in `synthetic`; returns how far it went.
POISE_ONCE double step_at_synthetic(State& state, size_t label, double size) {
    Prepared<DenseRow<double>> x{{state.synthetic, state.columns.width}, 1.0, {}};
    x.first = products<false>(x.row, state.weights, state.shadow);
    const double square = square_seen(state, x);
    score_members(state, x);
    begin_steps(state);
    double travelled = 0.0;
    for (size_t m = 0; m < state.members; ++m) travelled += repeat(state, m, label, 1.0, size, square);
    finish_steps(state, x);
    return travelled / static_cast<double>(state.members);
}

// One step at the row `part` of the way from the row at hand to a kept one; returns how far it went.
POISE_INLINE double step_between(State& state, size_t neighbor, double part, size_t label, double size) {
    for (size_t j = 0; j < state.columns.width; ++j)
        state.synthetic[j] = state.own_row[j] + part * (value_of(state.buffer, neighbor, j) - state.own_row[j]);
    return step_at_synthetic(state, label, size);
}

// Spreads a row out into `own_row`, as the learner sees it.
template <class Row>
POISE_INLINE void spread_out(const State& state, const Prepared<Row>& x) {
    for (size_t j = 0; j < state.columns.width; ++j) state.own_row[j] = 0.0;
    for_entries(x.row, x.factor, [&](size_t j, double value) POISE_ALWAYS { state.own_row[j] = value; });
}

POISE_INLINE void keep_row(State& state, const double* row, size_t label) {
    Shelf& kept = state.buffer;
    size_t own = 0;
    for (size_t i = 0; state.set.buffer && i < *kept.count; ++i) own += kept.label[i] == static_cast<int32_t>(label);
    const bool full = state.set.buffer && own >= state.set.buffer;
    const size_t place = full ? oldest(kept, static_cast<int32_t>(label)) : *kept.count;
    const Prepared<DenseRow<double>> x{{row, state.columns.width}, 1.0, {}};
    put_row(kept, place, x, static_cast<int32_t>(label));
}

// Whether a row brings synthetic ones and is kept for others, and with which chance.
struct Rarity {
    bool rare;
    double chance;  // 1: always, without a draw
};

POISE_INLINE Rarity rarity(const State& state, size_t label) {
    if (state.span > 1) {
        const Counts all = counts_with(state, label);
        return {all.own < all.most, 1.0 - all.own / all.most};
    }
    if (!state.set.one_synthetic) return {in_minority(state, label), 1.0};
    const double ratio = imbalance_ratio(state);
    return {in_minority(state, label), 1.0 - 1.0 / (ratio < 1.0 ? 1.0 / ratio : ratio)};
}

// The synthetic rows of a row that was just learned; returns how far their steps went.
template <class Row>
POISE_ONCE double synthesize(State& state, const Prepared<Row>& x, size_t label, double size) {
    const Rarity rare = rarity(state, label);
    if (!rare.rare) return 0.0;
    uint64_t& random = state.tally->random;
    double travelled = 0.0;
    const bool wanted = rare.chance >= 1.0 || uniform(random) < rare.chance;
    const double* own = state.own_row;
    spread_out(state, x);
    if (wanted && *state.buffer.count) {
        Nearest near;
        find_nearest(state.buffer, own, state.columns.width, static_cast<int32_t>(label), state.set.neighbors, near);
        if (state.set.one_synthetic && near.count) {
            const size_t pick = static_cast<size_t>(uniform(random) * static_cast<double>(near.count));
            travelled += step_between(state, near.place[pick], uniform(random), label, size);
        } else {
            for (size_t i = 0; i < near.count; ++i) travelled += step_between(state, near.place[i], uniform(random), label, size);
        }
    }
    keep_row(state, own, label);
    return travelled;
}

// The synthetic rows that a user's own method makes; below 0: it could not be done.
POISE_ONCE double synthesize_own(State& state, size_t label, double size) {
    const Own& own = *state.own;
    Question question{};
    fill_facts(state, question);
    fill_row(state, 0, label, question);
    const int64_t rows = own.make(own.context, question);
    if (rows < 0) return kNotAnswered;
    if (rows > static_cast<int64_t>(kMostSynthetic)) return kNotUsable;
    double travelled = 0.0;
    for (int64_t i = 0; i < rows; ++i) {
        const double* row = own.made(own.context, i);
        double squares = 0.0;
        for (size_t j = 0; j < state.columns.width; ++j) {
            state.synthetic[j] = row[j];
            squares += row[j] * row[j];
        }
        if (!finite(squares)) return kNotUsable;
        travelled += step_at_synthetic(state, label, size);
    }
    return travelled;
}

}  // namespace poise::POISE_ISA
