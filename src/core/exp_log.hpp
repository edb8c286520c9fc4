// exp and log from additions, multiplications and bit patterns only, so that every machine gives the same bits.
#pragma once
#include <bit>
#include <cstdint>

#include "lanes.hpp"

namespace poise::POISE_ISA {

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2High = 0x1.62e42fefa0000p-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;
constexpr double kLargestExponent = 708.0;  // exp stays a normal number on both sides

POISE_INLINE double from_bits(uint64_t bits) { return __builtin_bit_cast(double, bits); }
POISE_INLINE uint64_t to_bits(double value) { return __builtin_bit_cast(uint64_t, value); }

// What single numbers need to be worked on like registers of them.
POISE_INLINE uint64_t bits_of(double value) { return to_bits(value); }
POISE_INLINE double numbers_of(uint64_t bits) { return from_bits(bits); }
POISE_INLINE double at_most(double value, double limit) { return value > limit ? limit : value; }
POISE_INLINE double at_least(double value, double limit) { return value < limit ? limit : value; }

// e^x, within 2 units in the last place; x beyond +-708 counts as +-708.
template <class V>
POISE_INLINE V exponentials(V x) {
    const auto all = [](double value) POISE_ALWAYS { return spread<V>(value); };
    x = at_least(at_most(x, all(kLargestExponent)), all(-kLargestExponent));
    const V shift = all(0x1.8p52);  // adding it rounds to a whole number and leaves that number in the low bits
    const V shifted = x * all(kLog2E) + shift;
    const V k = shifted - shift;
    const V r = (x - k * all(kLn2High)) - k * all(kLn2Low);
    const V r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    const V p0 = (all(1.0) + r) + r2 * (all(1.0 / 2) + r * all(1.0 / 6));
    const V p4 = (all(1.0 / 24) + r * all(1.0 / 120)) + r2 * (all(1.0 / 720) + r * all(1.0 / 5040));
    const V p8 = (all(1.0 / 40320) + r * all(1.0 / 362880)) + r2 * (all(1.0 / 3628800) + r * all(1.0 / 39916800));
    const V p = (p0 + r4 * p4) + r8 * (p8 + r4 * all(1.0 / 479001600));
    return p * numbers_of((bits_of(shifted) + 1023) << 52);
}

POISE_INLINE double exponential(double x) { return exponentials<double>(x); }

// ln x for positive normal numbers, within 2 units in the last place.
template <class V>
POISE_INLINE V logarithms(const V& x) {
    // The mantissa is brought into [sqrt(1/2), sqrt 2); 2^52 + n has the whole number n in its low bits.
    constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL, kFraction = 0x000fffffffffffffULL, kBias = 1024;
    constexpr double kTwo52 = 0x1p52;
    const auto offset = bits_of(x) - kRootHalf;
    const V mantissa = numbers_of((offset & kFraction) + kRootHalf), one = spread<V>(1.0);
    const V exponent = numbers_of(((offset + (kBias << 52)) >> 52) | to_bits(kTwo52)) - spread<V>(kTwo52 + kBias);
    const V s = (mantissa - one) / (mantissa + one), z = s * s, z2 = z * z, z4 = z2 * z2;
    const auto pair = [&](double a, double b) POISE_ALWAYS { return spread<V>(a) + z * spread<V>(b); };
    const V low = pair(1.0 / 3, 1.0 / 5) + z2 * pair(1.0 / 7, 1.0 / 9);
    const V high = pair(1.0 / 11, 1.0 / 13) + z2 * pair(1.0 / 15, 1.0 / 17);
    const V tail = z * (low + z4 * (high + z4 * pair(1.0 / 19, 1.0 / 21)));
    const V twice = s + s;
    return exponent * spread<V>(kLn2High) + (twice + (twice * tail + exponent * spread<V>(kLn2Low)));
}

POISE_INLINE double logarithm(double x) { return logarithms(Pair{x, x})[0]; }

POISE_INLINE double power(double base, double exponent) { return exponential(exponent * logarithm(base)); }

// cos(2 pi t) of each of some numbers. The nearest whole number is taken off; beyond 2^50 turns there is no fraction to speak of.
POISE_INLINE Octo cosines_of_turns(const Octo& turns) {
    const Octo far = spread(0x1p50), shift = spread(0x1.8p52);
    const Octo t = at_least(at_most(turns, far), -far);
    const Octo fraction = t - ((t + shift) - shift);
    const Octo a = (spread(0.25) - at_least(fraction, -fraction)) * spread(6.283185307179586);  // cos 2 pi t = sin a
    const Octo z = a * a, z2 = z * z, z4 = z2 * z2;
    const auto pair = [&](double low, double high) POISE_ALWAYS { return spread(low) + z * spread(high); };
    const Octo first = pair(-1.0 / 6, 1.0 / 120) + z2 * pair(-1.0 / 5040, 1.0 / 362880);
    const Octo second = pair(-1.0 / 39916800, 1.0 / 6227020800.0) + z2 * pair(-1.0 / 1307674368000.0, 1.0 / 355687428096000.0);
    const Octo third = pair(-1.0 / 121645100408832000.0, 1.0 / 51090942171709440000.0);
    return a + a * (z * (first + z4 * (second + z4 * third)));
}

// ln(1 + e^x) without losing small values.
POISE_INLINE double softplus(double x) {
    const double e = exponential(x > 0 ? -x : x), u = 1.0 + e;
    return (x > 0 ? x : 0.0) + (logarithm(u) + (e - (u - 1.0)) / u);
}

}  // namespace poise::POISE_ISA
