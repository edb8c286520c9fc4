// The ledger: per class what was seen, its share, what it pulled and how far it travelled, and the running sums of imbalance.
#pragma once
#include "exp_log.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

// The classes a row is weighed against: those seen before it and its own; a phantom stands in for the second one.
struct Present {
    size_t count = 0;            // at least 2
    bool phantom = false;
    double most = 1.0, least = 1.0, own = 1.0;              // counts, each started at 1
    double pulls = 0.0, own_pull = 1.0;                     // sums, each started at 1
    double top_share = 0.0, own_share = 0.0;
};

POISE_INLINE Present present_classes(const State& state, size_t label) {
    const Tally& tally = *state.tally;
    Present all;
    all.most = all.least = all.own = 1.0 + static_cast<double>(state.account[label].seen);
    for (size_t c = 0; c < state.classes; ++c) {
        const Account& account = state.account[c];
        if (!account.seen && c != label) continue;
        const double n = 1.0 + static_cast<double>(account.seen);
        all.count += 1;
        all.most = n > all.most ? n : all.most;
        all.least = n < all.least ? n : all.least;
        all.pulls += 1.0 + account.pulled;
        all.top_share = account.share > all.top_share ? account.share : all.top_share;
    }
    all.own_pull = 1.0 + state.account[label].pulled;
    all.own_share = state.account[label].share;
    if (all.count == 1) {
        all.count = 2;
        all.phantom = true;
        all.least = 1.0;
        all.pulls += 1.0;
        all.top_share = tally.phantom_share > all.top_share ? tally.phantom_share : all.top_share;
    }
    return all;
}

// A class that comes for the first time gets its share of the shares: the phantom's, or 1 / (classes so far).
POISE_INLINE void welcome(State& state, size_t label) {
    if (state.account[label].seen) return;
    size_t others = 0;
    for (size_t c = 0; c < state.classes; ++c) others += state.account[c].seen ? 1 : 0;
    if (others < 2) {
        state.account[label].share = others ? state.tally->phantom_share : 0.5;
        return;
    }
    const double own = 1.0 / static_cast<double>(others + 1);
    for (size_t c = 0; c < state.classes; ++c) state.account[c].share *= static_cast<double>(others) * own;
    state.account[label].share = own;
}

POISE_INLINE void decay_shares(State& state, size_t label, double memory) {
    for (size_t c = 0; c < state.classes; ++c) {
        Account& account = state.account[c];
        if (!account.seen && c != label) continue;
        account.share = memory * account.share + (c == label ? 1.0 - memory : 0.0);
    }
    state.tally->phantom_share *= memory;
}

// Today's addends to the sums of imbalance; they stay the same until a class travels on.
struct Imbalance {
    bool counts = false;
    double square = 0.0, log_square = 0.0;
};

POISE_INLINE Imbalance imbalance_between(double numerator, double denominator) {
    if (!(numerator > 0.0 && denominator > 0.0)) return {};
    const double ratio = numerator / denominator, off = ratio - 1.0, log_ratio = logarithm(ratio);
    return {true, off * off, log_ratio * log_ratio};
}

POISE_INLINE Imbalance imbalance_now(const State& state) {
    if (state.classes == 2)
        return imbalance_between(state.account[1 - state.positive].travelled, state.account[state.positive].travelled);
    double most = 0.0, least = -1.0;
    size_t seen = 0;
    for (size_t c = 0; c < state.classes; ++c) {
        if (!state.account[c].seen) continue;
        const double length = state.account[c].travelled;
        most = length > most ? length : most;
        least = seen++ && least < length ? least : length;
    }
    return seen > 1 ? imbalance_between(most, least) : Imbalance{};
}

POISE_INLINE void record(Tally& tally, const Imbalance& now) {
    tally.compared += now.counts ? 1 : 0;
    tally.imbalance += now.square;
    tally.log_imbalance += now.log_square;
}

}  // namespace poise::POISE_ISA
