// MurmurHash3 x86-32 (Austin Appleby, public domain), so that hashed columns agree with scikit-learn's FeatureHasher.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace poise {

inline int32_t murmur3(const char* key, size_t length, uint32_t seed = 0) {
    const auto mix = [](uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
    uint32_t h = seed;
    const size_t blocks = length / 4;
    for (size_t i = 0; i < blocks; ++i) {
        uint32_t k;
        std::memcpy(&k, key + 4 * i, 4);
        h = std::rotl(h ^ mix(k), 13) * 5 + 0xe6546b64u;
    }
    uint32_t tail = 0;
    for (size_t i = length; i-- > 4 * blocks;) tail = (tail << 8) | static_cast<uint8_t>(key[i]);
    if (length % 4) h ^= mix(tail);
    h ^= static_cast<uint32_t>(length);
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return static_cast<int32_t>(h ^ (h >> 16));
}

struct Hashed {
    size_t column;
    double sign;
};

// FeatureHasher's rule: |hash| modulo the width, and the hash's sign. `width` is a power of two, so -2^31 falls on column 0.
inline Hashed hashed_column(const char* key, size_t length, size_t width) {
    const int32_t h = murmur3(key, length);
    const uint32_t magnitude = h < 0 ? 0u - static_cast<uint32_t>(h) : static_cast<uint32_t>(h);
    return {static_cast<size_t>(magnitude) & (width - 1), h >= 0 ? 1.0 : -1.0};
}

}  // namespace poise
