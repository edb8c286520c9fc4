// Eight fixed lanes: every sum over a row adds column j into lane j % 8 and folds the lanes in one order, so a dense row, the
// same row as sparse entries, the portable and the AVX2 build all give the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define POISE_INLINE inline __attribute__((always_inline))

namespace poise::POISE_ISA {

// Two 32-byte vectors rather than one of 64 bytes: GCC splits the latter into scalar code on AVX2.
typedef double Quad __attribute__((vector_size(32)));
typedef double QuadAnywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FloatQuadAnywhere __attribute__((vector_size(16), aligned(4), may_alias));
typedef int64_t QuadMask __attribute__((vector_size(32)));

POISE_INLINE Quad load(const double* from) { return *reinterpret_cast<const QuadAnywhere*>(from); }
POISE_INLINE Quad load(const float* from) {
    return __builtin_convertvector(*reinterpret_cast<const FloatQuadAnywhere*>(from), Quad);
}
POISE_INLINE void store(double* to, Quad value) { *reinterpret_cast<QuadAnywhere*>(to) = value; }
POISE_INLINE Quad spread(double value) { return Quad{value, value, value, value}; }

// The first `count` (1 to 3) of four numbers, zeros behind them; reads all four.
template <class T> POISE_INLINE Quad load_first(const T* from, size_t count) {
    const int64_t n = static_cast<int64_t>(count);
    const QuadMask keep = QuadMask{0, 1, 2, 3} < QuadMask{n, n, n, n};
    return (Quad)((QuadMask)load(from) & keep);
}

POISE_INLINE Quad square_root(Quad value) {
#if defined(__AVX__)
    return (Quad)_mm256_sqrt_pd((__m256d)value);
#elif defined(__SSE2__)
    const __m128d low = _mm_sqrt_pd(__m128d{value[0], value[1]}), high = _mm_sqrt_pd(__m128d{value[2], value[3]});
    return Quad{low[0], low[1], high[0], high[1]};
#else
    return Quad{__builtin_sqrt(value[0]), __builtin_sqrt(value[1]), __builtin_sqrt(value[2]), __builtin_sqrt(value[3])};
#endif
}
POISE_INLINE Quad at_most(Quad value, Quad limit) { return value > limit ? limit : value; }
POISE_INLINE Quad at_least(Quad value, Quad limit) { return value < limit ? limit : value; }

// Which half of the eight lanes a quad belongs to, as a type so that the sums stay in registers.
template <int half> struct Half {};

struct Sum {
    Quad low = {}, high = {};
    POISE_INLINE void add(Quad value, Half<0>) { low += value; }
    POISE_INLINE void add(Quad value, Half<1>) { high += value; }
    POISE_INLINE double total() const {
        const Quad both = low + high;
        return (both[0] + both[2]) + (both[1] + both[3]);
    }
};

// The same eight lanes in memory, for entries that come one by one.
struct ScatteredSum {
    double lane[8] = {};
    POISE_INLINE void add(double value, size_t column) { lane[column & 7] += value; }
    POISE_INLINE double total() const {
        Sum sum;
        sum.low = load(lane);
        sum.high = load(lane + 4);
        return sum.total();
    }
};

// Calls visit(four columns, first column, half) along a row; the last quad is padded with zeros.
template <class T, class Visit> POISE_INLINE void for_quads(const T* row, size_t width, Visit visit) {
    size_t j = 0;
    for (; j + 8 <= width; j += 8) {
        visit(load(row + j), j, Half<0>{});
        visit(load(row + j + 4), j + 4, Half<1>{});
    }
    if (j + 4 <= width) {
        visit(load(row + j), j, Half<0>{});
        j += 4;
        if (j < width) visit(load_first(row + j, width - j), j, Half<1>{});
    } else if (j < width) {
        visit(load_first(row + j, width - j), j, Half<0>{});
    }
}

}  // namespace poise::POISE_ISA
