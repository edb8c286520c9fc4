// Running standardisation: z from the statistics before the row, then the statistics see the row behind a guard.
#pragma once
#include "row.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

// 1 / sqrt(v), 0 for v = 0, within 1e-14: a single-precision guess, which is cheap, and one Newton step. Far from 1 the guess
// would leave its range; then it is taken exactly. Every operation is correctly rounded, so all builds agree.
constexpr double kLeastGuessed = 1e-30, kMostGuessed = 1e30;

POISE_INLINE double inverse_root(double value) {
    if (value >= kLeastGuessed && value <= kMostGuessed) {
        const double guess = static_cast<double>(1.0f / __builtin_sqrtf(static_cast<float>(value)));
        return guess * (1.5 - (0.5 * value) * (guess * guess));
    }
    return value > 0.0 ? 1.0 / __builtin_sqrt(value) : 0.0;
}

POISE_INLINE Quad newton_step(Quad value, Quad guess) { return guess * (spread(1.5) - (spread(0.5) * value) * (guess * guess)); }

// In place, eight at a time. `calm`: all values lie well inside the range of the guess, so none needs a second look.
template <bool calm>
POISE_INLINE void inverse_roots(Quad& a, Quad& b) {
    const Quad least = spread(kLeastGuessed), most = spread(kMostGuessed), zero = spread(0.0);
    Quad guess_a = calm ? a : at_least(a, least), guess_b = calm ? b : at_least(b, least);
    rough_inverse_roots(guess_a, guess_b);
    Quad root_a = newton_step(a, guess_a), root_b = newton_step(b, guess_b);
    if constexpr (!calm) {
        const QuadMask a_counts = a > zero, b_counts = b > zero;
        const QuadMask a_off = ((a < least) & a_counts) | (a > most), b_off = ((b < least) & b_counts) | (b > most);
        if (__builtin_expect(any(a_off | b_off), 0)) {
            root_a = choose(a_off, spread(1.0) / square_root(a), root_a);
            root_b = choose(b_off, spread(1.0) / square_root(b), root_b);
        }
        root_a = only(root_a, a_counts);
        root_b = only(root_b, b_counts);
    }
    a = root_a;
    b = root_b;
}

// One over the deviation of each centred column, padded to eight.
template <bool calm>
POISE_INLINE void inverse_deviations(const double* __restrict__ spreads, size_t width, uint64_t rows, double* __restrict__ out) {
    const Quad per_row = spread(rows ? 1.0 / as_double(rows) : 0.0);
    size_t j = 0;
    for (; j + 8 <= width; j += 8) {
        Quad low = load(spreads + j) * per_row, high = load(spreads + j + 4) * per_row;
        inverse_roots<calm>(low, high);
        store(out + j, low);
        store(out + j + 4, high);
    }
    if (j == width) return;
    Quad low = load(spreads + j) * per_row, high = load(spreads + j + 4) * per_row;
    inverse_roots<false>(low, high);
    store(out + j, low);
    store(out + j + 4, high);
}

// Whether all deviations are neither zero nor extreme. A variance shrinks to half at most while the rows double, and the guard
// lets it grow by 2^24 at most, so an answer of a moment holds until the number of rows has doubled.
POISE_INLINE bool deviations_are_calm(const Columns& columns, uint64_t rows) {
    if (rows < kTrusted) return false;
    const double n = as_double(rows);
    for (size_t j = 0; j < columns.width; ++j)
        if (!(columns.spread[j] > 1e-20 * n && columns.spread[j] < 1e20 * n)) return false;
    return true;
}

// Knows for the rows of one call whether the deviations are calm.
struct Calm {
    uint64_t until = 0;
    bool now = false;
    POISE_INLINE bool check(const Columns& columns, uint64_t rows) {
        if (rows >= until) {
            now = deviations_are_calm(columns, rows);
            until = rows < 16 ? rows + 1 : 2 * rows;
        }
        return now;
    }
};

// A row with larger squares than this may overflow the statistics; what they see of it is cut off.
constexpr double kWild = 1e200;

// Turns `staged` from inverse deviations into z and multiplies it with w and v; the statistics see the row behind their guard
// when `sees`.
template <bool with_shadow, bool sees, bool wild, class T>
POISE_INLINE Products center(DenseRow<T> row, const Columns& columns, uint64_t rows, const double* __restrict__ w,
                             const double* __restrict__ v, double* __restrict__ staged) {
    const Quad share = spread(1.0 / (as_double(rows) + 1.0)), per_row = spread(rows ? 1.0 / as_double(rows) : 0.0);
    const Quad clip = spread(kClip), widest = spread(kWidestValue);
    double* __restrict__ means = columns.mean, * __restrict__ spreads = columns.spread;
    const bool guarded = rows >= kTrusted;
    Sum wz, zz, vz;
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto half) POISE_ALWAYS {
        const Quad mean = load(means + j), root = load(staged + j), delta = x - mean;
        const Quad raw = delta * root, z = at_least(at_most(raw, clip), -clip);
        store(staged + j, z);
        wz.add(load(w + j) * z, half);
        zz.add(z * z, half);
        if constexpr (with_shadow) vz.add(load(v + j) * z, half);
        if constexpr (sees) {
            const Quad squares = load(spreads + j);
            Quad seen = delta;
            const QuadMask clipped = not_equal(raw, z);
            if (__builtin_expect(any(clipped), 0) && guarded) seen = choose(clipped, z * (squares * per_row * root), delta);
            if constexpr (wild) seen = at_least(at_most(seen, widest), -widest);
            const Quad step = seen * share;
            store(means + j, mean + step);
            store(spreads + j, squares + seen * (seen - step));
        }
    });
    return {wz.total(), zz.total(), with_shadow ? vz.total() : 0.0};
}

// Dense and centred: leaves z in `staged` and its products in `out`, and moves the statistics when `sees`. False, with nothing
// moved, when the row's squares do not add up to a finite number.
template <bool with_shadow, bool sees, class T>
POISE_INLINE bool center_row(DenseRow<T> row, const Columns& columns, uint64_t rows, bool calm, const double* w, const double* v,
                             double* staged, Products& out) {
    const double raw_square = square(row);
    if (!finite(raw_square)) return false;
    if (calm)
        inverse_deviations<true>(columns.spread, row.width, rows, staged);
    else
        inverse_deviations<false>(columns.spread, row.width, rows, staged);
    out = raw_square > kWild ? center<with_shadow, sees, true>(row, columns, rows, w, v, staged)
                             : center<with_shadow, sees, false>(row, columns, rows, w, v, staged);
    return true;
}

struct Statistics {
    double mean, variance;
};

// Of one column over all rows: the non-zero values, and as many zeros as there were other rows.
POISE_INLINE Statistics with_zeros(double mean, double squares, uint64_t count, uint64_t rows) {
    if (rows == 0) return {0.0, 0.0};
    const double n = as_double(rows), m = as_double(count), per_row = 1.0 / n;
    return {mean * (m * per_row), (squares + mean * mean * (m * ((n - m) * per_row))) * per_row};
}

POISE_INLINE Statistics statistics(const Columns& columns, size_t j, Scaling kind, uint64_t rows) {
    if (kind == Scaling::scale) return with_zeros(columns.mean[j], columns.spread[j], columns.count[j], rows);
    const uint64_t count = columns.each ? columns.count[j] : rows;
    return {columns.mean[j], count ? columns.spread[j] * (1.0 / as_double(count)) : 0.0};
}

POISE_INLINE Scaling kind_of(const Columns& columns, size_t j) {
    return columns.kind ? static_cast<Scaling>(columns.kind[j]) : columns.scaling;
}

POISE_INLINE double clipped(double value, double low, double high) {
    value = value > high ? high : value;
    return value < low ? low : value;
}

// One entry of a sparse or named row; the same arithmetic as for dense rows, column by column.
POISE_INLINE double scaled_entry(const Columns& columns, size_t j, double x, uint64_t rows) {
    const Scaling kind = kind_of(columns, j);
    if (kind == Scaling::none) return x;
    const Statistics now = statistics(columns, j, kind, rows);
    const double delta = kind == Scaling::center ? x - now.mean : x;
    return clipped(delta * inverse_root(now.variance), -kClip, kClip);
}

POISE_INLINE void see_entry(Columns& columns, size_t j, double x, uint64_t rows, bool wild) {
    const Scaling kind = kind_of(columns, j);
    if (kind == Scaling::none) return;
    const Statistics now = statistics(columns, j, kind, rows);
    const uint64_t before = kind == Scaling::center && columns.each ? columns.count[j] : rows;
    const double root = inverse_root(now.variance), delta = x - now.mean, raw = delta * root, z = clipped(raw, -kClip, kClip);
    double seen = before >= kTrusted && raw != z ? z * (now.variance * root) : delta;
    if (wild) seen = clipped(seen, -kWidestValue, kWidestValue);
    uint64_t count = before;
    if (kind == Scaling::scale) {
        seen = (now.mean + seen) - columns.mean[j];
        count = columns.count[j];
    }
    const double step = seen * (1.0 / (as_double(count) + 1.0));
    columns.mean[j] += step;
    columns.spread[j] += seen * (seen - step);
    if (columns.each || kind == Scaling::scale) columns.count[j] = count + 1;
}

// What a scaled row is divided by: the root of its width.
POISE_INLINE double width_factor(const Columns& columns, const Tally& tally, size_t active) {
    if (!columns.open) return columns.factor;
    if (columns.scaling == Scaling::none) return 1.0;
    const double width = tally.rows ? as_double(tally.entries) / as_double(tally.rows) : static_cast<double>(active);
    return width > 0.0 ? 1.0 / __builtin_sqrt(width) : 1.0;
}

}  // namespace poise::POISE_ISA
