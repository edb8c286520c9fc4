// Chooses the build of the loop once, when the module is imported.
#include "engine.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace poise {
namespace portable {
extern const Engine built;
}
#ifdef POISE_HAS_X86
namespace avx2 {
extern const Engine built;
}
namespace avx512 {
extern const Engine built;
}
#endif

namespace {

#ifdef POISE_HAS_X86
// Dense rows are fastest in registers of 64 bytes; sparse ones are not, and the AVX-512 build leaves them out.
const Engine& fitting(const Block& block) {
    return block.layout == Layout::f64 || block.layout == Layout::f32 ? avx512::built : avx2::built;
}
Stop learn_fitting(State& state, const Block& block, size_t begin, size_t end, size_t scored, double* scores, size_t many) {
    return fitting(block).learn(state, block, begin, end, scored, scores, many);
}
Stop score_fitting(const State& state, const Block& block, size_t begin, size_t end, double* scores, size_t many) {
    return fitting(block).score(state, block, begin, end, scores, many);
}
const Engine widest{"avx512",
                    learn_fitting,
                    score_fitting,
                    avx2::built.proportions,
                    avx2::built.tell_apart,
                    avx2::built.draw_uniform,
                    avx2::built.draw_poisson,
                    avx2::built.draw_waves};
#endif

const Engine& choose() {
    const std::vector<const Engine*> engines = offered();
    const char* wish = std::getenv("POISE_CPU");
    if (!wish || !*wish) return *engines.front();
    std::string names;
    for (const Engine* engine : engines) {
        if (!std::strcmp(wish, engine->name)) return *engine;
        names += (names.empty() ? "'" : ", '") + std::string(engine->name) + "'";
    }
    throw std::runtime_error("POISE_CPU is '" + std::string(wish) + "'; this machine offers " + names +
                             ": set one of these or unset it.");
}

}  // namespace

std::vector<const Engine*> offered() {
    std::vector<const Engine*> engines;
#ifdef POISE_HAS_X86
    const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        engines.push_back(&widest);
    if (has_avx2) engines.push_back(&avx2::built);
#endif
    engines.push_back(&portable::built);
    return engines;
}

const Engine& engine() {
    static const Engine& chosen = choose();
    return chosen;
}

}  // namespace poise
