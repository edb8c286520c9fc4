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

// Eight at a time. `calm`: all values lie well inside the range of the guess, so none needs a second look.
template <bool calm>
POISE_INLINE Octo inverse_roots(const Octo& value) {
    const Octo least = spread(kLeastGuessed), most = spread(kMostGuessed), zero = spread(0.0);
    const Octo guess = rough_inverse_roots(calm ? value : at_least(value, least));
    const Octo root = guess * (spread(1.5) - (spread(0.5) * value) * (guess * guess));
    if constexpr (calm) return root;
    const auto counts = value > zero, off = ((value < least) & counts) | (value > most);
    const Octo exact = __builtin_expect(any(off), 0) ? choose(off, spread(1.0) / square_root(value), root) : root;
    return choose(counts, exact, zero);
}

// One over the deviation of each centred column, padded to eight.
template <bool calm>
POISE_INLINE void inverse_deviations(const double* __restrict__ spreads, size_t width, uint64_t rows, double* __restrict__ out) {
    const Octo per_row = spread(rows ? 1.0 / as_double(rows) : 0.0);
    size_t j = 0;
    for (; j + 8 <= width; j += 8) store(out + j, inverse_roots<calm>(load(spreads + j) * per_row));
    if (j < width) store(out + j, inverse_roots<false>(load(spreads + j) * per_row));
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
    const Wide share = spread<Wide>(1.0 / (as_double(rows) + 1.0)), per_row = spread<Wide>(rows ? 1.0 / as_double(rows) : 0.0);
    const Wide clip = spread<Wide>(kClip), widest = spread<Wide>(kWidestValue);
    double* __restrict__ means = columns.mean, * __restrict__ spreads = columns.spread;
    const bool guarded = rows >= kTrusted;
    Sum wz, zz, vz;
    const auto visit = [&](Wide x, size_t j, Wide& w_sum, Wide& z_sum, Wide& v_sum) POISE_ALWAYS {
        const Wide mean = read<Wide>(means + j), root = read<Wide>(staged + j), delta = x - mean;
        const Wide raw = delta * root, z = at_least(at_most(raw, clip), -clip);
        store(staged + j, z);
        w_sum += read<Wide>(w + j) * z;
        z_sum += z * z;
        if constexpr (with_shadow) v_sum += read<Wide>(v + j) * z;
        if constexpr (sees) {
            const Wide squares = read<Wide>(spreads + j);
            Wide seen = delta;
            const WideMask clipped = raw != z;
            if (__builtin_expect(any(clipped), 0) && guarded) seen = choose(clipped, z * (squares * per_row * root), delta);
            if constexpr (wild) seen = at_least(at_most(seen, widest), -widest);
            const Wide step = seen * share;
            store(means + j, mean + step);
            store(spreads + j, squares + seen * (seen - step));
        }
    };
    for_eights(row.x, row.width,
               [&](const Octo& x, size_t j) POISE_ALWAYS { by_register(visit, x, j, wz.lanes, zz.lanes, vz.lanes); });
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
