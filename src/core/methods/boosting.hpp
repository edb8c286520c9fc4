// Ensembles whose members pass the row on, weighed by how well it went: OAdaB, OAdaC2, OCSB2, ORUSB.
//
// `sums` holds five rows, one number per member in each: what it got right and wrong (OAdaC2, OCSB2: weighed by cost); all that
// it met; and for ORUSB the same of each of the two classes.
#pragma once
#include "../ledger.hpp"
#include "../team.hpp"

namespace poise::POISE_ISA {

constexpr double kLeastError = 1e-6;
constexpr size_t kRight = 0, kWrong = 1, kAll = 2, kOfClass = 3;

POISE_INLINE double bounded_error(double error) {
    return error < kLeastError ? kLeastError : error > 1.0 - kLeastError ? 1.0 - kLeastError : error;
}

// The log-odds of being right; a member that has met nothing, or is worse than chance, has no vote.
POISE_INLINE void boosting_votes(const State& state, size_t seen) {
    const double chance = state.set.method == Method::oadab && seen > 2 ? logarithm(static_cast<double>(seen - 1)) : 0.0;
    const double *right = state.sums + kRight * state.members, *wrong = state.sums + kWrong * state.members;
    const double* met = state.sums + kAll * state.members;
    const Octo none = spread(0.0), one = spread(1.0), least = spread(kLeastError), most = spread(1.0 - kLeastError);
    for (size_t m = 0; m < state.members; m += 8) {
        const Octo wrongs = load(wrong + m), all = state.set.method == Method::ocsb2 ? load(met + m) : load(right + m) + wrongs;
        const auto counts = all > none;
        const Octo error = at_most(at_least(wrongs / choose(counts, all, one), least), most);
        const Octo vote = logarithms((one - error) / error) + spread(chance);
        store(state.votes + m, choose(counts, at_least(vote, none), none));
    }
}

// Kept rows per row of this class, for the weight `passed` that a member was given (ORUSB).
POISE_INLINE double kept_rate(const State& state, const Record& own, double passed, bool positive, double n_positive,
                              double n_negative) {
    const double p = own[kOfClass + state.positive], q = own[kOfClass + 1 - state.positive], kept = state.set.kept;
    if (state.set.form == 3) return positive ? passed : passed / imbalance_ratio(state);
    const double n = n_positive + n_negative;
    double rate = 0.0;
    if (state.set.form == 2) {
        rate = positive ? passed * (n_positive / n) * (p + q) / p : passed * (kept * n_positive / n) * (p + q) / q;
    } else {
        const double pairs = kept * n_positive / n_negative, share = (kept + 1.0) * n_positive / n;
        rate = positive ? passed * (p + q) / (p + q * pairs) * share : passed * (p + q) / (p / pairs + q) * share;
    }
    return finite(rate) ? rate : passed;
}

// What a member passes on, as a multiple of what it was given: part of `all` over part of `share`, where share / all is an error
// or its counterpart, held within its bounds. Members wait for each other, so there is one division.
POISE_INLINE double times_all_over(double all, double share) {
    const double least = kLeastError * all, most = all - least;
    if (__builtin_expect((share < least) | (share > most), 0)) share = share < least ? least : most;
    return all / share;
}

// What the next member is given, after this one was right or wrong.
POISE_INLINE double pass_on(const Settings& set, const Record& own, double passed, bool right, double cost) {
    double next = passed;
    if (set.method == Method::ocsb2) {
        own[kWrong] += right ? 0.0 : passed;
        own[kRight] += right ? 0.0 : cost * passed;  // the cost of what went wrong
        const double all = own[kAll], wrong = own[kWrong];
        const double error = times_all_over(all, wrong), costly = 1.0 / error + own[kRight] / all;  // all / wrong, e + q
        if (all > 0.0 && !right) next = cost * passed / costly;
        if (all > 0.0 && right && wrong > 0.0) next = passed / ((error - 1.0) * costly);
    } else if (set.method == Method::oadac2) {
        double& side = right ? own[kRight] : own[kWrong];
        side += cost * passed;
        if (side > 0.0) next = cost * passed * (0.5 * own[kAll] / side);
    } else {
        double& side = right ? own[kRight] : own[kWrong];
        const double all = own[kRight] + own[kWrong] + passed;
        side += passed;
        if (all > 0.0) next = passed * (0.5 * times_all_over(all, side));
    }
    return next < kLargestPassed ? next : kLargestPassed;
}

// Passes a row through the members. learn(member, rate) has it learned and says whether it is right now.
template <class Learn>
POISE_INLINE void boost(const State& state, size_t label, Learn learn) {
    const Settings& set = state.set;
    const bool positive = label == state.positive;
    const double cost = positive ? set.positive_cost : set.negative_cost;
    double n_positive = 1.0, n_negative = 1.0;
    if (set.method == Method::orusb) {
        n_positive += as_double(state.account[state.positive].seen) + (positive ? 1.0 : 0.0);
        n_negative += as_double(state.account[1 - state.positive].seen) + (positive ? 0.0 : 1.0);
    }
    double passed = 1.0;
    for (size_t m = 0; m < state.members; ++m) {
        const Record own = record_of(state, m);
        own[kAll] += passed;
        double rate = passed;
        if (set.method == Method::orusb) {
            own[kOfClass + label] += passed;
            rate = kept_rate(state, own, passed, positive, n_positive, n_negative);
        }
        passed = pass_on(set, own, passed, learn(m, rate), cost);
    }
}

}  // namespace poise::POISE_ISA
