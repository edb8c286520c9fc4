// A row: dense f64 or f32, or sparse entries. What a linear learner needs of one: products with weights, and being added to them.
// A dense row may be read up to seven numbers past its end; whoever makes one sees to it that they can be.
#pragma once
#include "lanes.hpp"

namespace poise::POISE_ISA {

template <class T>
struct DenseRow {
    const T* x;
    size_t width;
};

template <class I>
struct SparseRow {
    const I* column;  // strictly increasing
    const double* x;
    size_t count;
};

// Whether a step of length 0 along the row costs less than a branch around it that is often guessed wrong.
template <class T>
POISE_INLINE bool is_short(DenseRow<T> row) {
    return row.width <= 64;
}
template <class I>
POISE_INLINE bool is_short(SparseRow<I> row) {
    return row.count <= 32;
}

// Calls visit(column, value) for each value a row tells, in the order of the columns.
template <class T, class Visit>
POISE_INLINE void for_entries(DenseRow<T> row, double factor, Visit visit) {
    for (size_t j = 0; j < row.width; ++j) visit(j, factor * static_cast<double>(row.x[j]));
}
template <class I, class Visit>
POISE_INLINE void for_entries(SparseRow<I> row, double factor, Visit visit) {
    for (size_t e = 0; e < row.count; ++e) visit(static_cast<size_t>(row.column[e]), factor * row.x[e]);
}

template <class T>
POISE_INLINE size_t entries_of(DenseRow<T> row) {
    return row.width;
}
template <class I>
POISE_INLINE size_t entries_of(SparseRow<I> row) {
    return row.count;
}

struct Products {
    double weights, square, shadow;  // w.x, x.x, v.x
};

template <bool with_shadow, class T>
POISE_INLINE Products products(DenseRow<T> row, const double* w, const double* v) {
    Sum wx, xx, vx;
    for_eights(row.x, row.width, [&](const Octo& x, size_t j) POISE_ALWAYS {
        wx.add(load(w + j) * x);
        xx.add(x * x);
        if constexpr (with_shadow) vx.add(load(v + j) * x);
    });
    return {wx.total(), xx.total(), with_shadow ? vx.total() : 0.0};
}

// Whether the columns rise strictly and lie in [0, width).
template <class I>
POISE_INLINE bool rises(SparseRow<I> row, size_t width) {
    if (row.count == 0) return true;
    constexpr size_t bytes = kWidest < 32 ? kWidest : 32, step = bytes / sizeof(I);
    const auto at = [&](size_t e) { return *reinterpret_cast<const typename Register<I, bytes>::Anywhere*>(row.column + e); };
    const bool inside = row.column[0] >= 0 && static_cast<size_t>(row.column[row.count - 1]) < width;
    if (row.count > step) {
        auto fallen = at(1) <= at(0);
        for (size_t e = 1 + step; e + step <= row.count; e += step) fallen |= at(e) <= at(e - 1);
        fallen |= at(row.count - step) <= at(row.count - step - 1);
        return inside && !any((typename Register<int64_t, bytes>::Type)fallen);
    }
    bool rising = inside;
    for (size_t e = 1; e < row.count; ++e) rising &= row.column[e] > row.column[e - 1];
    return rising;
}

template <class I>
POISE_INLINE double product(SparseRow<I> row, const double* w) {
    ScatteredSum sums;
#pragma GCC unroll 4
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        sums.add(w[j] * row.x[e], j);
    }
    return sums.total();
}

template <bool with_shadow, class I>
POISE_INLINE Products products(SparseRow<I> row, const double* w, const double* v) {
    ScatteredSum squares, weights, shadows;
#pragma GCC unroll 4
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        const double x = row.x[e];
        squares.add(x * x, j);
        weights.add(w[j] * x, j);
        if constexpr (with_shadow) shadows.add(v[j] * x, j);
    }
    return {weights.total(), squares.total(), with_shadow ? shadows.total() : 0.0};
}

template <class T>
POISE_INLINE double product(DenseRow<T> row, const double* w) {
    Sum wx;
    for_eights(row.x, row.width, [&](const Octo& x, size_t j) POISE_ALWAYS { wx.add(load(w + j) * x); });
    return wx.total();
}

template <class T>
POISE_INLINE double square(DenseRow<T> row) {
    Sum xx;
    for_eights(row.x, row.width, [&](const Octo& x, size_t) POISE_ALWAYS { xx.add(x * x); });
    return xx.total();
}

template <class T>
POISE_INLINE void add(DenseRow<T> row, double length, double* w) {
    const Octo scale = spread(length);
    for_eights(row.x, row.width, [&](const Octo& x, size_t j) POISE_ALWAYS { store(w + j, load(w + j) + scale * x); });
}

template <class T>
POISE_INLINE void add(DenseRow<T> row, double length, double* w, double back, double* v) {
    const Octo forth = spread(length), other = spread(back);
    for_eights(row.x, row.width, [&](const Octo& x, size_t j) POISE_ALWAYS {
        store(w + j, load(w + j) + forth * x);
        store(v + j, load(v + j) + other * x);
    });
}

template <class I>
POISE_INLINE void add(SparseRow<I> row, double length, double* w) {
#pragma GCC unroll 4
    for (size_t e = 0; e < row.count; ++e) w[static_cast<size_t>(row.column[e])] += length * row.x[e];
}

template <class I>
POISE_INLINE void add(SparseRow<I> row, double length, double* w, double back, double* v) {
    add(row, length, w);
    add(row, back, v);
}

}  // namespace poise::POISE_ISA
