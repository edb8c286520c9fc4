// A user's own method in Python: compiled functions by their addresses, or functions that are called back.
#pragma once
#include <nanobind/nanobind.h>

#include "state.hpp"

namespace nb = nanobind;

namespace poise {

void bind_own(nb::module_& module);

// The method that `functions` describe: "weigh", "repeats" and "margin" as addresses or functions, "synthetic" as a function.
// Whoever keeps the object keeps the method alive.
nb::object own_method(const nb::dict& functions, Own& own);
// Throws what Python said when a function failed.
[[noreturn]] void throw_failure(const Own& own);

}  // namespace poise
