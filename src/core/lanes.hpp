// Eight fixed lanes: every sum over a row adds column j into lane j % 8 and folds the lanes in one order, so a dense row, the
// same row as sparse entries, the portable and the AVX2 build all give the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Everything a row goes through is one function in the end; the sanitizers need it in pieces.
#if defined(POISE_SANITIZED)
#define POISE_ALWAYS
#else
#define POISE_ALWAYS __attribute__((always_inline))
#endif
#define POISE_INLINE inline POISE_ALWAYS

namespace poise::POISE_ISA {

typedef double Pair __attribute__((vector_size(16)));
typedef double PairAnywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef float FloatPairAnywhere __attribute__((vector_size(8), aligned(4), may_alias));
typedef float FloatPair __attribute__((vector_size(8)));
typedef int64_t PairMask __attribute__((vector_size(16)));

#if defined(__AVX2__)
// Eight lanes are two of these rather than one vector of 64 bytes, which GCC splits into scalar code on AVX2.
typedef double Quad __attribute__((vector_size(32)));
typedef double QuadAnywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t QuadMask __attribute__((vector_size(32)));

POISE_INLINE Quad load(const double* from) { return *reinterpret_cast<const QuadAnywhere*>(from); }
POISE_INLINE Quad load(const float* from) { return (Quad)_mm256_cvtps_pd(_mm_loadu_ps(from)); }
POISE_INLINE void store(double* to, Quad value) { *reinterpret_cast<QuadAnywhere*>(to) = value; }
POISE_INLINE Quad spread(double value) { return Quad{value, value, value, value}; }
POISE_INLINE Quad only(Quad value, QuadMask mask) { return (Quad)((QuadMask)value & mask); }
POISE_INLINE Quad choose(QuadMask mask, Quad yes, Quad no) { return mask ? yes : no; }
POISE_INLINE Quad at_most(Quad value, Quad limit) { return (Quad)_mm256_min_pd((__m256d)limit, (__m256d)value); }
POISE_INLINE Quad at_least(Quad value, Quad limit) { return (Quad)_mm256_max_pd((__m256d)limit, (__m256d)value); }
POISE_INLINE bool any(QuadMask mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
POISE_INLINE QuadMask first_lanes(int64_t n) { return QuadMask{0, 1, 2, 3} < QuadMask{n, n, n, n}; }
POISE_INLINE double lane(const Quad& value, int index) { return value[index]; }
POISE_INLINE Quad quad(double a, double b, double c, double d) { return Quad{a, b, c, d}; }

// 1 / sqrt in single precision, each operation correctly rounded; in place, two quads for the price of one.
POISE_INLINE void rough_inverse_roots(Quad& a, Quad& b) {
    const __m256 both = _mm256_set_m128(_mm256_cvtpd_ps((__m256d)b), _mm256_cvtpd_ps((__m256d)a));
    const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(both));
    a = (Quad)_mm256_cvtps_pd(_mm256_castps256_ps128(inverse));
    b = (Quad)_mm256_cvtps_pd(_mm256_extractf128_ps(inverse, 1));
}
POISE_INLINE QuadMask not_equal(Quad a, Quad b) { return a != b; }
POISE_INLINE Quad square_root(Quad value) { return (Quad)_mm256_sqrt_pd((__m256d)value); }
#else
// Without 32-byte registers a quad is two pairs; as one GCC vector it would travel through memory.
struct Quad {
    Pair low, high;
};
struct QuadMask {
    PairMask low, high;
};
#define POISE_QUAD_OPERATOR(sign) \
    POISE_INLINE Quad operator sign(Quad a, Quad b) { return {a.low sign b.low, a.high sign b.high}; }
POISE_QUAD_OPERATOR(+)
POISE_QUAD_OPERATOR(-)
POISE_QUAD_OPERATOR(*)
POISE_QUAD_OPERATOR(/)
#undef POISE_QUAD_OPERATOR
POISE_INLINE Quad operator-(Quad a) { return {-a.low, -a.high}; }
POISE_INLINE Quad& operator+=(Quad& a, Quad b) { return a = a + b; }
POISE_INLINE QuadMask operator>(Quad a, Quad b) { return {a.low > b.low, a.high > b.high}; }
POISE_INLINE QuadMask operator<(Quad a, Quad b) { return {a.low < b.low, a.high < b.high}; }
POISE_INLINE QuadMask not_equal(Quad a, Quad b) { return {a.low != b.low, a.high != b.high}; }
POISE_INLINE QuadMask operator&(QuadMask a, QuadMask b) { return {a.low & b.low, a.high & b.high}; }
POISE_INLINE QuadMask operator|(QuadMask a, QuadMask b) { return {a.low | b.low, a.high | b.high}; }

POISE_INLINE Quad load(const double* from) {
    return {*reinterpret_cast<const PairAnywhere*>(from), *reinterpret_cast<const PairAnywhere*>(from + 2)};
}
POISE_INLINE Pair widened(const float* from) {
#if defined(__SSE2__)
    return (Pair)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
    return Pair{from[0], from[1]};
#endif
}
POISE_INLINE Quad load(const float* from) { return {widened(from), widened(from + 2)}; }
POISE_INLINE void store(double* to, Quad value) {
    *reinterpret_cast<PairAnywhere*>(to) = value.low;
    *reinterpret_cast<PairAnywhere*>(to + 2) = value.high;
}
POISE_INLINE Quad spread(double value) { return {Pair{value, value}, Pair{value, value}}; }
POISE_INLINE Quad only(Quad value, QuadMask mask) {
    return {(Pair)((PairMask)value.low & mask.low), (Pair)((PairMask)value.high & mask.high)};
}
POISE_INLINE Quad choose(QuadMask mask, Quad yes, Quad no) {
    return {mask.low ? yes.low : no.low, mask.high ? yes.high : no.high};
}
#if defined(__SSE2__)
POISE_INLINE Pair less(Pair a, Pair b) { return (Pair)_mm_min_pd((__m128d)a, (__m128d)b); }
POISE_INLINE Pair more(Pair a, Pair b) { return (Pair)_mm_max_pd((__m128d)a, (__m128d)b); }
#else
POISE_INLINE Pair less(Pair a, Pair b) { return a < b ? a : b; }
POISE_INLINE Pair more(Pair a, Pair b) { return a > b ? a : b; }
#endif
POISE_INLINE Quad at_most(Quad value, Quad limit) { return {less(limit.low, value.low), less(limit.high, value.high)}; }
POISE_INLINE Quad at_least(Quad value, Quad limit) { return {more(limit.low, value.low), more(limit.high, value.high)}; }
POISE_INLINE bool any(QuadMask mask) {
    const PairMask both = mask.low | mask.high;
    return (both[0] | both[1]) != 0;
}
POISE_INLINE QuadMask first_lanes(int64_t n) {
    return {PairMask{0 < n ? -1 : 0, 1 < n ? -1 : 0}, PairMask{2 < n ? -1 : 0, 3 < n ? -1 : 0}};
}
POISE_INLINE double lane(const Quad& value, int index) { return index < 2 ? value.low[index] : value.high[index - 2]; }
POISE_INLINE Quad quad(double a, double b, double c, double d) { return {Pair{a, b}, Pair{c, d}}; }

POISE_INLINE void rough_inverse_root(Quad& value) {
#if defined(__SSE2__)
    const __m128 both = _mm_movelh_ps(_mm_cvtpd_ps((__m128d)value.low), _mm_cvtpd_ps((__m128d)value.high));
    const __m128 inverse = _mm_div_ps(_mm_set1_ps(1.0f), _mm_sqrt_ps(both));
    value = {(Pair)_mm_cvtps_pd(inverse), (Pair)_mm_cvtps_pd(_mm_movehl_ps(inverse, inverse))};
#else
    const auto one = [](double v) { return static_cast<double>(1.0f / __builtin_sqrtf(static_cast<float>(v))); };
    value = quad(one(lane(value, 0)), one(lane(value, 1)), one(lane(value, 2)), one(lane(value, 3)));
#endif
}
POISE_INLINE void rough_inverse_roots(Quad& a, Quad& b) {
    rough_inverse_root(a);
    rough_inverse_root(b);
}
POISE_INLINE Quad square_root(Quad value) {
#if defined(__SSE2__)
    return {(Pair)_mm_sqrt_pd((__m128d)value.low), (Pair)_mm_sqrt_pd((__m128d)value.high)};
#else
    const auto one = [](double v) { return __builtin_sqrt(v); };
    return quad(one(lane(value, 0)), one(lane(value, 1)), one(lane(value, 2)), one(lane(value, 3)));
#endif
}
#endif

// The first `count` (1 to 3) of four numbers, zeros behind them; reads all four.
template <class T>
POISE_INLINE Quad load_first(const T* from, size_t count) {
    return only(load(from), first_lanes(static_cast<int64_t>(count)));
}

// Counts stay below 2^63, where the signed conversion is one instruction and the unsigned one a branch.
POISE_INLINE double as_double(uint64_t count) { return static_cast<double>(static_cast<int64_t>(count)); }

POISE_INLINE bool finite(double value) { return value - value == 0.0; }

// Which half of the eight lanes a quad belongs to, as a type so that the sums stay in registers.
template <int half>
struct Half {};

struct Sum {
    Quad low = spread(0.0), high = spread(0.0);
    POISE_INLINE void add(Quad value, Half<0>) { low += value; }
    POISE_INLINE void add(Quad value, Half<1>) { high += value; }
    POISE_INLINE double total() const {
        const Quad both = low + high;
        return (lane(both, 0) + lane(both, 2)) + (lane(both, 1) + lane(both, 3));
    }
};

// The same eight lanes in memory, for entries that come one by one: several sums side by side (the elements of `Wide`), folded
// in the same order.
template <class Wide>
struct ScatteredSums {
    Wide lanes[8];
    POISE_INLINE explicit ScatteredSums(Wide zero) {
        for (Wide& one : lanes) one = zero;
    }
    POISE_INLINE void add(Wide values, size_t column) {
        Wide& to = lanes[column & 7];
        to = to + values;
    }
    POISE_INLINE Wide total() const {
        const Wide even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
        return even + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
};

// Calls visit(four columns, first column, half) along a row; the last quad is padded with zeros.
template <class T, class Visit>
POISE_INLINE void for_quads(const T* row, size_t width, Visit visit) {
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
