// A row: dense f64 or f32, or sparse entries. What a linear learner needs of one: products with weights, and being added to them.
// A dense row may be read up to three numbers past its end; whoever makes one sees to it that they can be.
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

struct Products {
    double weights, square, shadow;  // w.x, x.x, v.x
};

template <bool with_shadow, class T>
POISE_INLINE Products products(DenseRow<T> row, const double* w, const double* v) {
    Sum wx, xx, vx;
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto half) POISE_ALWAYS {
        wx.add(load(w + j) * x, half);
        xx.add(x * x, half);
        if constexpr (with_shadow) vx.add(load(v + j) * x, half);
    });
    return {wx.total(), xx.total(), with_shadow ? vx.total() : 0.0};
}

// Whether the columns rise strictly and lie in [0, width).
template <class I>
POISE_INLINE bool rises(SparseRow<I> row, size_t width) {
    if (row.count == 0) return true;
    typedef I Some __attribute__((vector_size(16), aligned(sizeof(I)), may_alias));
    constexpr size_t step = 16 / sizeof(I);
    const auto at = [&](size_t e) { return *reinterpret_cast<const Some*>(row.column + e); };
    bool fallen = row.column[0] < 0 || static_cast<size_t>(row.column[row.count - 1]) >= width;
    if (row.count > step) {
        auto some = at(1) <= at(0);
        for (size_t e = 1 + step; e + step <= row.count; e += step) some |= at(e) <= at(e - 1);
        some |= at(row.count - step) <= at(row.count - step - 1);
        const PairMask folded = (PairMask)some;
        fallen |= (folded[0] | folded[1]) != 0;
    } else {
        for (size_t e = 1; e < row.count; ++e) fallen |= row.column[e] <= row.column[e - 1];
    }
    return !fallen;
}

template <class I>
POISE_INLINE double square(SparseRow<I> row) {
    ScatteredSums<double> sums(0.0);
#pragma GCC unroll 2
    for (size_t e = 0; e < row.count; ++e) sums.add(row.x[e] * row.x[e], static_cast<size_t>(row.column[e]));
    return sums.total();
}

template <class I>
POISE_INLINE double product(SparseRow<I> row, const double* w) {
    ScatteredSums<double> sums(0.0);
#pragma GCC unroll 2
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        sums.add(w[j] * row.x[e], j);
    }
    return sums.total();
}

// The squares do not wait for the weights that the row before has just moved, so they have a pass of their own.
template <bool with_shadow, class I>
POISE_INLINE Products products(SparseRow<I> row, const double* w, const double* v) {
    const double squares = square(row);
    if constexpr (!with_shadow) return {product(row, w), squares, 0.0};
    ScatteredSums<Pair> sums(Pair{});
    for (size_t e = 0; e < row.count; ++e) {
        const size_t j = static_cast<size_t>(row.column[e]);
        sums.add(Pair{w[j], v[j]} * Pair{row.x[e], row.x[e]}, j);
    }
    const Pair both = sums.total();
    return {both[0], squares, both[1]};
}

template <class T>
POISE_INLINE double product(DenseRow<T> row, const double* w) {
    Sum wx;
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto half) POISE_ALWAYS { wx.add(load(w + j) * x, half); });
    return wx.total();
}

template <class T>
POISE_INLINE double square(DenseRow<T> row) {
    Sum xx;
    for_quads(row.x, row.width, [&](Quad x, size_t, auto half) POISE_ALWAYS { xx.add(x * x, half); });
    return xx.total();
}

template <class T>
POISE_INLINE void add(DenseRow<T> row, double length, double* w) {
    const Quad scale = spread(length);
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto) POISE_ALWAYS { store(w + j, load(w + j) + scale * x); });
}

template <class T>
POISE_INLINE void add(DenseRow<T> row, double length, double* w, double back, double* v) {
    const Quad forth = spread(length), other = spread(back);
    for_quads(row.x, row.width, [&](Quad x, size_t j, auto) POISE_ALWAYS {
        store(w + j, load(w + j) + forth * x);
        store(v + j, load(v + j) + other * x);
    });
}

template <class I>
POISE_INLINE void add(SparseRow<I> row, double length, double* w) {
    for (size_t e = 0; e < row.count; ++e) w[static_cast<size_t>(row.column[e])] += length * row.x[e];
}

template <class I>
POISE_INLINE void add(SparseRow<I> row, double length, double* w, double back, double* v) {
    add(row, length, w);
    add(row, back, v);
}

}  // namespace poise::POISE_ISA
