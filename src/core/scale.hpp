// Running standardisation: z from the statistics before the row, then the statistics see the row behind a guard.
#pragma once
#include "row.hpp"
#include "state.hpp"

namespace poise::POISE_ISA {

// Dense and centred: one pass scores the row, leaves z in `staged` and moves the statistics when `sees`.
template <bool with_shadow, bool sees, class T>
POISE_INLINE Products center_row(DenseRow<T> row, const Columns& columns, uint64_t rows, const double* w, const double* v,
                                 double* staged) {
    const double n = static_cast<double>(rows);
    const Quad per_row = spread(rows ? 1.0 / n : 0.0), share = spread(1.0 / (n + 1.0));
    const Quad clip = spread(kClip), widest = spread(kWidestValue);
    const Quad reach = rows >= kTrusted ? clip : spread(__builtin_inf());
    Sum wz, zz, vz;
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto half) __attribute__((always_inline)) {
        const Quad mean = load(columns.mean + j), squares = load(columns.spread + j);
        const Quad variance = squares * per_row, deviation = square_root(variance);
        const Quad delta = x - mean;
        Quad z = at_least(at_most(delta / deviation, clip), -clip);
        z = variance > 0.0 ? z : Quad{};
        store(staged + j, z);
        wz.add(load(w + j) * z, half);
        zz.add(z * z, half);
        if constexpr (with_shadow) vz.add(load(v + j) * z, half);
        if constexpr (sees) {
            const Quad limit = at_most(variance > 0.0 ? deviation * reach : widest, widest);
            const Quad seen = at_least(at_most(delta, limit), -limit), step = seen * share;
            store(columns.mean + j, mean + step);
            store(columns.spread + j, squares + seen * (seen - step));
        }
    });
    return {wz.total(), zz.total(), with_shadow ? vz.total() : 0.0};
}

struct Statistics {
    double mean, variance;
};

// Of one column over all rows: the non-zero values, and as many zeros as there were other rows.
POISE_INLINE Statistics with_zeros(double mean, double squares, uint64_t count, uint64_t rows) {
    if (rows == 0) return {0.0, 0.0};
    const double n = static_cast<double>(rows), m = static_cast<double>(count), per_row = 1.0 / n;
    return {mean * (m * per_row), (squares + mean * mean * (m * ((n - m) * per_row))) * per_row};
}

POISE_INLINE Statistics statistics(const Columns& columns, size_t j, Scaling kind, uint64_t rows) {
    if (kind == Scaling::scale) return with_zeros(columns.mean[j], columns.spread[j], columns.count[j], rows);
    const uint64_t count = columns.each ? columns.count[j] : rows;
    return {columns.mean[j], count ? columns.spread[j] * (1.0 / static_cast<double>(count)) : 0.0};
}

POISE_INLINE Scaling kind_of(const Columns& columns, size_t j) {
    return columns.kind ? static_cast<Scaling>(columns.kind[j]) : columns.scaling;
}

POISE_INLINE double clipped(double value, double low, double high) {
    value = value > high ? high : value;
    return value < low ? low : value;
}

// One entry of a sparse or named row; the same arithmetic as center_row, column by column.
POISE_INLINE double scaled_entry(const Columns& columns, size_t j, double x, uint64_t rows) {
    const Scaling kind = kind_of(columns, j);
    if (kind == Scaling::none) return x;
    const Statistics now = statistics(columns, j, kind, rows);
    if (!(now.variance > 0.0)) return 0.0;
    const double delta = kind == Scaling::center ? x - now.mean : x;
    return clipped(delta / __builtin_sqrt(now.variance), -kClip, kClip);
}

POISE_INLINE void see_entry(Columns& columns, size_t j, double x, uint64_t rows) {
    const Scaling kind = kind_of(columns, j);
    if (kind == Scaling::none) return;
    const Statistics now = statistics(columns, j, kind, rows);
    const uint64_t before = kind == Scaling::center && columns.each ? columns.count[j] : rows;
    double limit = kWidestValue;
    if (now.variance > 0.0) {
        const double reach = before >= kTrusted ? kClip : __builtin_inf();
        const double guarded = __builtin_sqrt(now.variance) * reach;
        limit = guarded > kWidestValue ? kWidestValue : guarded;
    }
    double seen = clipped(x - now.mean, -limit, limit);
    uint64_t count = before;
    if (kind == Scaling::scale) {
        seen = (now.mean + seen) - columns.mean[j];
        count = columns.count[j];
    }
    const double step = seen * (1.0 / (static_cast<double>(count) + 1.0));
    columns.mean[j] += step;
    columns.spread[j] += seen * (seen - step);
    if (columns.each || kind == Scaling::scale) columns.count[j] = count + 1;
}

// What a scaled row is divided by: the root of its width.
POISE_INLINE double width_factor(const Columns& columns, const Tally& tally, size_t active) {
    if (columns.scaling == Scaling::none) return 1.0;
    double width = static_cast<double>(columns.width);
    if (columns.open)
        width = tally.rows ? static_cast<double>(tally.entries) / static_cast<double>(tally.rows) : static_cast<double>(active);
    return width > 0.0 ? 1.0 / __builtin_sqrt(width) : 1.0;
}

}  // namespace poise::POISE_ISA
