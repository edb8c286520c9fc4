// The builds of the loop that this machine can run, and the one in use.
#pragma once
#include <vector>

#include "state.hpp"

namespace poise {

std::vector<const Engine*> offered();  // the fastest first
const Engine& engine();                // the fastest, or the one that POISE_CPU names

}  // namespace poise
