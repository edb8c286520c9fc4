// A row: dense f64 or f32, or sparse entries. What a linear learner needs of one: products with weights, and being added to them.
// A dense row may be read up to three numbers past its end; whoever makes one sees to it that they can be.
#pragma once
#include "lanes.hpp"

namespace poise::POISE_ISA {

template <class T> struct DenseRow {
    const T* x;
    size_t width;
};

template <class I> struct SparseRow {
    const I* column;  // strictly increasing
    const double* x;
    size_t count;
};

struct Products {
    double weights, square, shadow;  // w.x, x.x, v.x
};

template <bool with_shadow, class T>
POISE_INLINE Products products(DenseRow<T> row, const double* w, const double* v) {
    Sum wx, xx, vx;
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto half) __attribute__((always_inline)) {
        wx.add(load(w + j) * x, half);
        xx.add(x * x, half);
        if constexpr (with_shadow) vx.add(load(v + j) * x, half);
    });
    return {wx.total(), xx.total(), with_shadow ? vx.total() : 0.0};
}

template <bool with_shadow, class I>
POISE_INLINE Products products(SparseRow<I> row, const double* w, const double* v) {
    ScatteredSum wx, xx, vx;
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        const double x = row.x[e];
        wx.add(w[j] * x, j);
        xx.add(x * x, j);
        if constexpr (with_shadow) vx.add(v[j] * x, j);
    }
    return {wx.total(), xx.total(), with_shadow ? vx.total() : 0.0};
}

template <class T> POISE_INLINE double product(DenseRow<T> row, const double* w) {
    Sum wx;
    for_quads(row.x, row.width,
              [&](Quad x, size_t j, auto half) __attribute__((always_inline)) { wx.add(load(w + j) * x, half); });
    return wx.total();
}

template <class I> POISE_INLINE double product(SparseRow<I> row, const double* w) {
    ScatteredSum wx;
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        wx.add(w[j] * row.x[e], j);
    }
    return wx.total();
}

template <class T> POISE_INLINE double square(DenseRow<T> row) {
    Sum xx;
    for_quads(row.x, row.width, [&](Quad x, size_t, auto half) __attribute__((always_inline)) { xx.add(x * x, half); });
    return xx.total();
}

template <class I> POISE_INLINE double square(SparseRow<I> row) {
    ScatteredSum xx;
    for (size_t e = 0; e < row.count; ++e) xx.add(row.x[e] * row.x[e], static_cast<size_t>(row.column[e]));
    return xx.total();
}

template <class T> POISE_INLINE void add(DenseRow<T> row, double length, double* w) {
    const Quad scale = spread(length);
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto) __attribute__((always_inline)) {
        store(w + j, load(w + j) + scale * x);
    });
}

template <class I> POISE_INLINE void add(SparseRow<I> row, double length, double* w) {
    for (size_t e = 0; e < row.count; ++e) w[static_cast<size_t>(row.column[e])] += length * row.x[e];
}

}  // namespace poise::POISE_ISA
