// A Python dict as a sparse row: by a vocabulary of names, or by hashing them.
#pragma once
#include <Python.h>

#include <cstdint>
#include <vector>

namespace poise {

// Where names live: numbers {name: column}, texts {name: {text: column}}; or hashed onto `hashed` columns.
struct Names {
    PyObject* numbers;
    PyObject* texts;
    size_t hashed;
};

enum class Reading : uint8_t { done, unknown_name, bad_value, failed };

struct NamedRow {
    std::vector<int64_t> column;
    std::vector<double> value;
    PyObject* culprit = nullptr;  // borrowed key of an unreadable value

    // Fills the entries, sorted by column. `skip_unknown` leaves out names the vocabulary has not met.
    Reading read(PyObject* dict, const Names& names, bool skip_unknown);

  private:
    void sort();
};

}  // namespace poise
