// Eight fixed lanes: every sum over a row adds column j into lane j % 8 and folds the lanes in one order, so a dense row, the
// same row as sparse entries and all builds of the loop give the same bits. An `Octo` is eight numbers: one register of 64 bytes,
// two of 32, or four of 16, whichever the build has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
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
// What is long and takes many rows' worth of time is compiled once, not into every loop.
#define POISE_ONCE inline __attribute__((noinline))

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define POISE_AVX512 1
#else
#define POISE_AVX512 0
#endif

namespace poise::POISE_ISA {

#if POISE_AVX512
constexpr size_t kWidest = 64;  // bytes of the widest register
#elif defined(__AVX2__)
constexpr size_t kWidest = 32;
#else
constexpr size_t kWidest = 16;
#endif

template <class T, size_t bytes = kWidest>
struct Register {
    typedef T Type __attribute__((vector_size(bytes)));
    typedef T Anywhere __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};
typedef Register<double>::Type Wide;
typedef Register<int64_t>::Type WideMask;
typedef Register<double, 16>::Type Pair;

// Two halves that are worked on alike.
template <class V>
struct Twice {
    V low, high;
};
template <class V>
using Eight = std::conditional_t<kWidest == 64, V, std::conditional_t<kWidest == 32, Twice<V>, Twice<Twice<V>>>>;
typedef Eight<Wide> Octo;

#define POISE_TWICE(sign)                                                               \
    template <class V>                                                                  \
    POISE_INLINE auto operator sign(const Twice<V>& a, const Twice<V>& b) {             \
        return Twice<decltype(a.low sign b.low)>{a.low sign b.low, a.high sign b.high}; \
    }
POISE_TWICE(+)
POISE_TWICE(-)
POISE_TWICE(*)
POISE_TWICE(/)
POISE_TWICE(<)
POISE_TWICE(>)
POISE_TWICE(!=)
POISE_TWICE(&)
POISE_TWICE(|)
#undef POISE_TWICE
#define POISE_TWICE_BITS(sign)                                           \
    template <class V>                                                   \
    POISE_INLINE Twice<V> operator sign(const Twice<V>& a, uint64_t b) { \
        return {a.low sign b, a.high sign b};                            \
    }
POISE_TWICE_BITS(+)
POISE_TWICE_BITS(-)
POISE_TWICE_BITS(&)
POISE_TWICE_BITS(|)
POISE_TWICE_BITS(>>)
POISE_TWICE_BITS(<<)
#undef POISE_TWICE_BITS
template <class V>
POISE_INLINE Twice<V> operator-(const Twice<V>& a) {
    return {-a.low, -a.high};
}

template <class V>
struct IsTwice : std::false_type {};
template <class V>
struct IsTwice<Twice<V>> : std::true_type {};

// As many floats as a register has doubles; left to itself the compiler widens them by halves.
POISE_INLINE Wide widened(const float* from) {
#if POISE_AVX512
    return (Wide)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(__AVX2__)
    return (Wide)_mm256_cvtps_pd(_mm_loadu_ps(from));
#elif defined(__SSE2__)
    return (Wide)_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
    return Wide{from[0], from[1]};
#endif
}

// Of any such type: all lanes one number; read from and written to memory; the bits of the numbers.
template <class V = Octo>
POISE_INLINE V spread(double value) {
    if constexpr (IsTwice<V>::value) {
        const auto half = spread<decltype(V::low)>(value);
        return {half, half};
    } else {
        return value - V{};
    }
}
template <class V>
POISE_INLINE V read(const double* from) {
    if constexpr (IsTwice<V>::value) {
        using Half = decltype(V::low);
        return {read<Half>(from), read<Half>(from + sizeof(Half) / sizeof(double))};
    } else {
        return *reinterpret_cast<const Register<double>::Anywhere*>(from);
    }
}
template <class V>
POISE_INLINE V read(const float* from) {
    if constexpr (IsTwice<V>::value) {
        using Half = decltype(V::low);
        return {read<Half>(from), read<Half>(from + sizeof(Half) / sizeof(double))};
    } else {
        return widened(from);
    }
}
template <class V>
POISE_INLINE void store(double* to, const V& value) {
    if constexpr (IsTwice<V>::value) {
        store(to, value.low);
        store(to + sizeof(value.low) / sizeof(double), value.high);
    } else {
        *reinterpret_cast<Register<double>::Anywhere*>(to) = value;
    }
}
template <class T>
POISE_INLINE Octo load(const T* from) {
    return read<Octo>(from);
}
template <class V>
POISE_INLINE double lane(const V& value, size_t index) {
    if constexpr (IsTwice<V>::value) {
        constexpr size_t half = sizeof(value.low) / sizeof(double);
        return index < half ? lane(value.low, index) : lane(value.high, index - half);
    } else {
        return value[index];
    }
}
template <class V>
POISE_INLINE auto bits_of(const V& value) {
    if constexpr (IsTwice<V>::value)
        return Twice<decltype(bits_of(value.low))>{bits_of(value.low), bits_of(value.high)};
    else
        return (typename Register<uint64_t, sizeof(V)>::Type)value;
}
template <class V>
POISE_INLINE auto numbers_of(const V& bits) {
    if constexpr (IsTwice<V>::value)
        return Twice<decltype(numbers_of(bits.low))>{numbers_of(bits.low), numbers_of(bits.high)};
    else
        return (typename Register<double, sizeof(V)>::Type)bits;
}

// Calls visit(register, its first lane + j, the same registers of some sums) for each register of eight numbers: for work that
// would need more registers than there are if it were done eight at a time.
template <class Visit, class V, class... Sums>
POISE_INLINE void by_register(const Visit& visit, const V& value, size_t j, Sums&... sums) {
    if constexpr (IsTwice<V>::value) {
        by_register(visit, value.low, j, sums.low...);
        by_register(visit, value.high, j + sizeof(value.low) / sizeof(double), sums.high...);
    } else {
        visit(value, j, sums...);
    }
}

// What a single instruction does, where the compiler would not find it.
#if POISE_AVX512
POISE_INLINE Wide at_most(Wide value, Wide limit) { return (Wide)_mm512_min_pd((__m512d)limit, (__m512d)value); }
POISE_INLINE Wide at_least(Wide value, Wide limit) { return (Wide)_mm512_max_pd((__m512d)limit, (__m512d)value); }
POISE_INLINE Wide square_root(Wide value) { return (Wide)_mm512_sqrt_pd((__m512d)value); }
POISE_INLINE bool any(WideMask mask) { return _mm512_movepi64_mask((__m512i)mask) != 0; }
POISE_INLINE bool any(Register<int64_t, 32>::Type mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
#elif defined(__AVX2__)
POISE_INLINE Wide at_most(Wide value, Wide limit) { return (Wide)_mm256_min_pd((__m256d)limit, (__m256d)value); }
POISE_INLINE Wide at_least(Wide value, Wide limit) { return (Wide)_mm256_max_pd((__m256d)limit, (__m256d)value); }
POISE_INLINE Wide square_root(Wide value) { return (Wide)_mm256_sqrt_pd((__m256d)value); }
POISE_INLINE bool any(WideMask mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
#elif defined(__SSE2__)
POISE_INLINE Wide at_most(Wide value, Wide limit) { return (Wide)_mm_min_pd((__m128d)limit, (__m128d)value); }
POISE_INLINE Wide at_least(Wide value, Wide limit) { return (Wide)_mm_max_pd((__m128d)limit, (__m128d)value); }
POISE_INLINE Wide square_root(Wide value) { return (Wide)_mm_sqrt_pd((__m128d)value); }
POISE_INLINE bool any(WideMask mask) { return _mm_movemask_pd((__m128d)mask) != 0; }
#else
POISE_INLINE Wide at_most(Wide value, Wide limit) { return value > limit ? limit : value; }
POISE_INLINE Wide at_least(Wide value, Wide limit) { return value < limit ? limit : value; }
POISE_INLINE Wide square_root(Wide value) { return Wide{__builtin_sqrt(value[0]), __builtin_sqrt(value[1])}; }
POISE_INLINE bool any(WideMask mask) { return (mask[0] | mask[1]) != 0; }
#endif
template <class V>
POISE_INLINE Twice<V> at_most(const Twice<V>& value, const Twice<V>& limit) {
    return {at_most(value.low, limit.low), at_most(value.high, limit.high)};
}
template <class V>
POISE_INLINE Twice<V> at_least(const Twice<V>& value, const Twice<V>& limit) {
    return {at_least(value.low, limit.low), at_least(value.high, limit.high)};
}
template <class V>
POISE_INLINE Twice<V> square_root(const Twice<V>& value) {
    return {square_root(value.low), square_root(value.high)};
}
template <class V>
POISE_INLINE bool any(const Twice<V>& mask) {
    return any(mask.low | mask.high);
}
POISE_INLINE Wide choose(WideMask mask, Wide yes, Wide no) { return mask ? yes : no; }
template <class M, class V>
POISE_INLINE Twice<V> choose(const Twice<M>& mask, const Twice<V>& yes, const Twice<V>& no) {
    return {choose(mask.low, yes.low, no.low), choose(mask.high, yes.high, no.high)};
}

// 1 / sqrt in single precision, each operation correctly rounded.
POISE_INLINE Octo rough_inverse_roots(const Octo& value) {
#if defined(__AVX2__)
    const auto inverse = [](__m256 v) POISE_ALWAYS { return _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_sqrt_ps(v)); };
#if POISE_AVX512
    return (Octo)_mm512_cvtps_pd(inverse(_mm512_cvtpd_ps((__m512d)value)));
#else
    const __m256 roots = inverse(_mm256_set_m128(_mm256_cvtpd_ps((__m256d)value.high), _mm256_cvtpd_ps((__m256d)value.low)));
    return {(Wide)_mm256_cvtps_pd(_mm256_castps256_ps128(roots)), (Wide)_mm256_cvtps_pd(_mm256_extractf128_ps(roots, 1))};
#endif
#elif defined(__SSE2__)
    const auto four = [](const Twice<Wide>& v) POISE_ALWAYS -> Twice<Wide> {
        const __m128 both = _mm_movelh_ps(_mm_cvtpd_ps((__m128d)v.low), _mm_cvtpd_ps((__m128d)v.high));
        const __m128 inverse = _mm_div_ps(_mm_set1_ps(1.0f), _mm_sqrt_ps(both));
        return {(Wide)_mm_cvtps_pd(inverse), (Wide)_mm_cvtps_pd(_mm_movehl_ps(inverse, inverse))};
    };
    return {four(value.low), four(value.high)};
#else
    double out[8];
    for (size_t i = 0; i < 8; ++i) out[i] = static_cast<double>(1.0f / __builtin_sqrtf(static_cast<float>(lane(value, i))));
    return load(out);
#endif
}

// The first `count` (1 to 7) of eight numbers, zeros behind them; reads all eight.
template <class T>
POISE_INLINE Octo load_first(const T* from, size_t count) {
    static constexpr int64_t kShown[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const auto shown = bits_of(read<Octo>(reinterpret_cast<const double*>(kShown + 8 - count)));
    return numbers_of(bits_of(load(from)) & shown);
}

// Counts stay below 2^63, where the signed conversion is one instruction and the unsigned one a branch.
POISE_INLINE double as_double(uint64_t count) { return static_cast<double>(static_cast<int64_t>(count)); }

POISE_INLINE bool finite(double value) { return value - value == 0.0; }

// Lane k and lane k + half are added until one is left.
template <class V>
POISE_INLINE double folded(const V& lanes) {
    if constexpr (IsTwice<V>::value) {
        return folded(lanes.low + lanes.high);
    } else if constexpr (sizeof(V) > 16) {
        typedef typename Register<double, sizeof(V) / 2>::Type Half;
        Half halves[2];
        __builtin_memcpy(halves, &lanes, sizeof(V));
        return folded(Half(halves[0] + halves[1]));
    } else {
        return lanes[0] + lanes[1];
    }
}

struct Sum {
    Octo lanes = spread(0.0);
    POISE_INLINE void add(const Octo& value) { lanes = lanes + value; }
    POISE_INLINE double total() const { return folded(lanes); }
};

// The same eight lanes in memory, for entries that come one by one; folded in the same order.
struct ScatteredSum {
    double lanes[8] = {};
    POISE_INLINE void add(double value, size_t column) { lanes[column & 7] += value; }
    POISE_INLINE double total() const {
        const double even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
        return even + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
};

// Calls visit(eight columns, first column) along a row; the last eight are padded with zeros.
template <class T, class Visit>
POISE_INLINE void for_eights(const T* row, size_t width, Visit visit) {
    size_t j = 0;
    for (; j + 8 <= width; j += 8) visit(load(row + j), j);
    if (j < width) visit(load_first(row + j, width - j), j);
}

}  // namespace poise::POISE_ISA
