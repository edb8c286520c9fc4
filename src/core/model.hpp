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

// Rows kept as they were, eight side by side (see Shelf).
struct Kept {
    Doubles rows, square, coef;
    std::vector<uint64_t> born;
    std::vector<int32_t> label;
    size_t stride = 0, count = 0, outputs = 0;  // outputs: coefficients of a row, 0 for rows without any
    uint64_t births = 0;

    void make_room(size_t wanted);
    void widen(size_t width);
    void forget_behind(size_t kept, uint64_t kept_births);  // takes back what was added last
};

// Everything learning changes, but for kept rows.
struct Memory {
    Scaling scaling = Scaling::none;
    bool each = false, open = false;
    size_t width = 0, stride = 0, classes = 0;
    size_t members = 1, span = 1, outputs = 1;  // span: outputs of a member
    size_t weight_rows = 1;                     // one per output; a kernel has none, but rows are always met by one
    Doubles weights, shadow, intercept{0.0}, shadow_intercept{0.0};
    Doubles mean, spread;
    std::vector<uint64_t> count;
    std::vector<uint8_t> kind;
    std::vector<Account> account{2};
    Doubles sums;  // what ensembles remember
    Doubles wave_weights, wave_shadow;
    Tally tally;
};

struct Scratch;
class Undo;

class Model {
  public:
    explicit Model(const Settings& settings);

    Settings set;
    Memory memory;
    Kept support, buffer;
    Own own_method;                           // a user's, or nothing
    std::vector<int32_t> rank;                // place of each class among the sorted labels
    size_t positive = 1, positive_alone = 1;  // internal index of the positive class; while it is the only one

    void widen(size_t width);                             // more columns
    void add_columns(const std::vector<uint8_t>& kinds);  // named columns, each with its own Scaling
    void narrow(size_t width);                            // takes back columns that no row has touched
    void declare(size_t classes);                         // more classes
    size_t wave_stride() const { return (set.features + 7) & ~size_t{7}; }
    size_t sum_width() const;            // numbers in a row of sums
    size_t slots(size_t classes) const;  // rows of sums
    void count_each();                   // from one row count for all columns to one per column

    // Learns the block or none of it. `interrupted` is asked now and then; true puts everything back and returns false.
    bool learn(Block block, double* scores, size_t many, const std::function<bool()>& interrupted, Stop& stop);
    // Scores without learning; false when interrupted.
    bool score(Block block, double* scores, size_t many, const std::function<bool()>& interrupted, Stop& stop) const;

  private:
    State view(const Block& block, Scratch& own) const;
    bool learn_stretches(const Block& block, Scratch& own, double* scores, size_t many, const std::function<bool()>& interrupted,
                         Stop& stop, Undo& undo);
    bool steps_are_bounded() const;
    void keep_room(size_t rows);
    void draw_waves();
    void split_sums(size_t before, size_t after);
    size_t rows_at_once(const Block& block) const;
    size_t rows_between_polls(const Block& block) const;

    Doubles wave_table_, wave_phase_;  // follow from the seed
};

}  // namespace poise
