// A model's memory: it grows, is put aside before a block and put back when a row of that block is refused.
#pragma once
#include <functional>
#include <new>
#include <vector>

#include "state.hpp"

namespace poise {

// Memory that starts where a cache line does: numbers that are read and written together never lie in two lines.
template <class T>
struct InLines {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    InLines() = default;
    template <class U>
    InLines(const InLines<U>&) {}
    T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* memory, size_t) { ::operator delete(memory, line); }
    bool operator==(const InLines&) const { return true; }
};
using Doubles = std::vector<double, InLines<double>>;

// Everything learning changes. Copying it copies the model.
struct Memory {
    Scaling scaling = Scaling::none;
    bool each = false, open = false;
    size_t width = 0, stride = 0, classes = 0, outputs = 1;
    Doubles weights, shadow, intercept{0.0}, shadow_intercept{0.0};
    Doubles mean, spread;
    std::vector<uint64_t> count;
    std::vector<uint8_t> kind;
    std::vector<Account> account{2};
    Tally tally;
};

class Model {
  public:
    explicit Model(const Settings& settings) : set(settings) {}

    Settings set;
    Memory memory;

    void widen(size_t width);                             // more columns
    void add_columns(const std::vector<uint8_t>& kinds);  // named columns, each with its own Scaling
    void narrow(size_t width);                            // takes back columns that no row has touched
    void declare(size_t classes);                         // more classes
    void count_each();                                    // from one row count for all columns to one per column

    // Learns the block or none of it. `interrupted` is asked now and then; true puts everything back and returns false.
    bool learn(Block block, size_t positive, double* scores, size_t many, const std::function<bool()>& interrupted, Stop& stop);
    Stop score(const Block& block, double* scores, size_t many) const;

  private:
    State view(size_t positive, const Block& block) const;
    bool steps_are_bounded() const;
};

}  // namespace poise
