// Losses: from a score to a slope (and, where a method asks for it, the loss itself).
#pragma once
#include "exp_log.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

// 1 or 0, without a branch that would be guessed wrong for one row in three: the compiler must not see where the bits come from.
POISE_INLINE double one_if(bool holds) {
    uint64_t all_or_none = uint64_t{0} - static_cast<uint64_t>(holds);
    asm("" : "+r"(all_or_none));
    return from_bits(to_bits(1.0) & all_or_none);
}

// -d loss / d margin of a two-class loss, margin = y f; 0 where the row is not active.
// The perceptron moves at margin 0 too: else it would never leave w = 0. The hinge asks for a margin of `goal`.
POISE_INLINE double pull_of_margin(Loss loss, double margin, double goal = 1.0) {
    if (loss == Loss::perceptron) return one_if(margin <= 0.0);
    if (loss == Loss::hinge) return one_if(margin < goal);
    return 1.0 / (1.0 + exponential(margin));
}

// The same of eight margins.
POISE_INLINE Octo pulls_of_margins(Loss loss, const Octo& margins) {
    const Octo one = spread(1.0), none = spread(0.0);
    if (loss == Loss::perceptron) return choose(margins > none, none, one);
    if (loss == Loss::hinge) return choose(margins < one, one, none);
    return one / (one + exponentials(margins));
}

POISE_INLINE double loss_of_margin(Loss loss, double margin) {
    if (loss == Loss::perceptron) return margin < 0.0 ? -margin : 0.0;
    if (loss == Loss::hinge) return margin < 1.0 ? 1.0 - margin : 0.0;
    return softplus(-margin);
}

POISE_INLINE void softmax(const double* score, size_t n, double* probability) {
    double top = score[0], sum = 0.0;
    for (size_t k = 1; k < n; ++k) top = score[k] > top ? score[k] : top;
    for (size_t k = 0; k < n; ++k) sum += probability[k] = exponential(score[k] - top);
    for (size_t k = 0; k < n; ++k) probability[k] /= sum;
}

// -d/d margin of half the squared loss: loss x pull.
POISE_INLINE double pull_of_squared(Loss loss, double margin, double goal) {
    if (loss != Loss::logistic && loss != Loss::softmax) return pull_of_margin(loss, margin, goal) * loss_of_margin(loss, margin);
    const double e = exponential(margin > 0.0 ? -margin : margin), u = 1.0 + e;
    const double value = (margin > 0.0 ? 0.0 : -margin) + (logarithm(u) + (e - (u - 1.0)) / u);
    return (margin > 0.0 ? e : 1.0) / u * value;
}

// Slopes of a loss over more than two classes; returns the sum of their squares. `goal` is the margin asked of the true class.
POISE_INLINE double slopes_of_scores(Loss loss, const double* score, size_t n, size_t truth, double* slope, double goal = 1.0) {
    if (loss == Loss::softmax) softmax(score, n, slope);
    double squares = 0.0;
    for (size_t k = 0; k < n; ++k) {
        if (loss == Loss::softmax)
            slope[k] -= k == truth ? 1.0 : 0.0;
        else
            slope[k] = k == truth ? -pull_of_margin(loss, score[k], goal) : pull_of_margin(loss, -score[k]);
        squares += slope[k] * slope[k];
    }
    return squares;
}

}  // namespace poise::POISE_ISA
