// Chooses the build of the loop once, when the module is imported.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "state.hpp"

namespace poise {
namespace portable {
extern const Engine built;
}
#ifdef POISE_HAS_AVX2
namespace avx2 {
extern const Engine built;
}
#endif

namespace {

const Engine& fastest() {
#ifdef POISE_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) return avx2::built;
#endif
    return portable::built;
}

const Engine& choose() {
    const char* wish = std::getenv("POISE_CPU");
    if (!wish || !*wish) return fastest();
    if (!std::strcmp(wish, portable::built.name)) return portable::built;
    if (!std::strcmp(wish, fastest().name)) return fastest();
    throw std::runtime_error("POISE_CPU is '" + std::string(wish) + "'; this machine offers 'portable'" +
                             (&fastest() == &portable::built ? "" : " and 'avx2'") + ": set one of these or unset it.");
}

}  // namespace

const Engine& engine() {
    static const Engine& chosen = choose();
    return chosen;
}

}  // namespace poise
