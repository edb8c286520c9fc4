#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine.hpp"

namespace poise {
namespace {

// Values one row's staging area must hold; kept per thread so that scoring needs no memory of the model.
struct Scratch {
    Doubles staged, raw, copy, slope, scored, before;
    std::vector<int64_t> column;
};

Scratch& scratch() {
    static thread_local Scratch one;
    return one;
}

template <class Values>
void at_least(Values& values, size_t size) {
    if (values.size() < size) values.resize(size);
}

// What a block is about to change, so that it can be put back: all of the memory, or only the columns the block names.
class Undo {
  public:
    Undo(Memory& memory, const Settings& set, const Block& block, bool whole) : memory_(memory) {
        tally_ = memory.tally;
        account_ = memory.account;
        classes_ = memory.classes;
        if (!whole) return;
        few_ = names_few_columns(set, block);
        if (few_)
            gather(block);
        else
            copy_ = memory;
        whole_ = true;
    }
    void put_back() {
        if (whole_ && !few_) {
            memory_ = std::move(*copy_);
            return;
        }
        memory_.tally = tally_;
        memory_.account = account_;
        memory_.classes = classes_;
        if (few_) scatter();
    }
    // Before the memory changes its shape, the whole of it must be put aside.
    void before_growth(const Memory& now) {
        if (whole_ && !few_) return;
        copy_ = now;
        copy_->tally = tally_;
        copy_->account = account_;
        copy_->classes = classes_;
        if (few_) swap_in(*copy_);
        whole_ = true;
        few_ = false;
    }

  private:
    bool names_few_columns(const Settings& set, const Block& block) const {
        if (block.layout != Layout::csr32 && block.layout != Layout::csr64) return false;
        if (set.radius > 0.0 || (memory_.scaling == Scaling::center && !memory_.each)) return false;
        if (entries(block) >= memory_.width) return false;
        const double rows = static_cast<double>(block.rows);
        const double faintest = memory_.tally.blend * std::pow(1.0 - set.slowest_average, rows) / (rows + 1.0);
        return !set.average || faintest > kFaintest;  // else the average may be folded, which touches every column
    }
    static size_t entries(const Block& block) {
        return block.layout == Layout::csr32 ? static_cast<size_t>(static_cast<const int32_t*>(block.row_start)[block.rows] -
                                                                   static_cast<const int32_t*>(block.row_start)[0])
                                             : static_cast<size_t>(static_cast<const int64_t*>(block.row_start)[block.rows] -
                                                                   static_cast<const int64_t*>(block.row_start)[0]);
    }
    template <class I>
    void take_columns(const Block& block) {
        const I* starts = static_cast<const I*>(block.row_start);
        const I* column = static_cast<const I*>(block.column);
        for (size_t e = static_cast<size_t>(starts[0]); e < static_cast<size_t>(starts[block.rows]); ++e)
            if (column[e] >= 0 && static_cast<size_t>(column[e]) < memory_.width)
                columns_.push_back(static_cast<size_t>(column[e]));
    }
    template <class Visit>
    static void each_array(Memory& memory, Visit visit) {
        for (size_t k = 0; k < memory.outputs; ++k) {
            visit(memory.weights.data() + k * memory.stride);
            if (!memory.shadow.empty()) visit(memory.shadow.data() + k * memory.stride);
        }
        if (!memory.mean.empty()) {
            visit(memory.mean.data());
            visit(memory.spread.data());
        }
    }
    void gather(const Block& block) {
        block.layout == Layout::csr32 ? take_columns<int32_t>(block) : take_columns<int64_t>(block);
        each_array(memory_, [&](double* array) {
            for (size_t j : columns_) values_.push_back(array[j]);
        });
        if (!memory_.count.empty())
            for (size_t j : columns_) counts_.push_back(memory_.count[j]);
        intercept_ = memory_.intercept;
        shadow_intercept_ = memory_.shadow_intercept;
    }
    void swap_in(Memory& memory) const {
        const double* value = values_.data();
        each_array(memory, [&](double* array) {
            for (size_t j : columns_) array[j] = *value++;
        });
        const uint64_t* count = counts_.data();
        if (!memory.count.empty())
            for (size_t j : columns_) memory.count[j] = *count++;
        memory.intercept = intercept_;
        memory.shadow_intercept = shadow_intercept_;
    }
    void scatter() { swap_in(memory_); }

    Memory& memory_;
    std::optional<Memory> copy_;  // a Memory of its own would be allocated for every row
    Tally tally_;
    std::vector<Account> account_;
    size_t classes_ = 0;
    std::vector<size_t> columns_;
    Doubles values_, intercept_, shadow_intercept_;
    std::vector<uint64_t> counts_;
    bool whole_ = false, few_ = false;
};

// Rows between two questions whether to stop: some milliseconds of work.
size_t rows_between_polls(const Block& block, size_t outputs) {
    const size_t cells = (block.longest + 8) * outputs;
    return std::max<size_t>(1, (size_t{1} << 22) / cells);
}

}  // namespace

void Model::widen(size_t width) {
    if (width <= memory.width) return;
    if (width > memory.stride) {
        const size_t grown = memory.width ? std::max(width, memory.stride + memory.stride / 2) : width;
        const size_t stride = (grown + 7) & ~size_t{7};
        const auto restride = [&](Doubles& values) {
            Doubles wider(memory.outputs * stride);
            for (size_t k = 0; k < memory.outputs && memory.stride; ++k)
                std::copy_n(values.begin() + static_cast<ptrdiff_t>(k * memory.stride), memory.width,
                            wider.begin() + static_cast<ptrdiff_t>(k * stride));
            values.swap(wider);
        };
        restride(memory.weights);
        if (set.average) restride(memory.shadow);
        if (memory.scaling != Scaling::none) {
            memory.mean.resize(stride);
            memory.spread.resize(stride);
            if (memory.each || memory.scaling == Scaling::scale) memory.count.resize(stride);
        }
        memory.stride = stride;
    }
    memory.width = width;
}

void Model::add_columns(const std::vector<uint8_t>& kinds) {
    widen(memory.width + kinds.size());
    memory.kind.insert(memory.kind.end(), kinds.begin(), kinds.end());
}

void Model::narrow(size_t width) {
    memory.width = width;
    if (!memory.kind.empty()) memory.kind.resize(width);
}

void Model::count_each() {
    if (memory.each) return;
    memory.each = true;
    if (memory.scaling != Scaling::center) return;
    memory.count.assign(memory.stride, 0);
    std::fill_n(memory.count.begin(), memory.width, memory.tally.rows);
}

void Model::declare(size_t classes) {
    if (classes <= memory.classes) return;
    memory.account.resize(std::max<size_t>(classes, 2));
    if (classes > 2) {
        const auto split = [&](Doubles& values, size_t row) {
            Doubles more(classes * row);
            const bool two = memory.outputs == 1;
            std::copy_n(values.begin(), memory.outputs * row, more.begin());
            for (size_t j = 0; two && j < row; ++j) {
                const double half = 0.5 * values[j];
                more[j] = 0.0 - half;
                more[row + j] = half;
            }
            values.swap(more);
        };
        split(memory.weights, memory.stride);
        split(memory.intercept, 1);
        if (set.average) split(memory.shadow, memory.stride);
        split(memory.shadow_intercept, 1);
        memory.outputs = classes;
    }
    memory.classes = classes;
}

bool Model::steps_are_bounded() const {
    double weight = 0.0;
    if (set.method == Method::ogd) weight = 1.0;
    if (set.method == Method::ohgd) weight = 2e2;
    if (set.method == Method::hgd && set.clamp == Clamp::value) weight = set.largest_weight;
    // A scaled row is at most 5.1 long and a sample weight at most 1e6.
    return weight > 0.0 && set.eta0 * weight * 1e8 * static_cast<double>(memory.outputs) < kFarthest;
}

State Model::view(size_t positive, const Block& block) const {
    Scratch& own = scratch();
    const bool centered = memory.scaling == Scaling::center;
    const size_t staged = std::max(centered ? memory.stride : 0, block.longest) + 8;
    at_least(own.staged, staged);
    at_least(own.raw, staged);
    at_least(own.column, staged);
    at_least(own.slope, memory.outputs);
    at_least(own.scored, memory.outputs);
    if (set.radius > 0.0) at_least(own.before, memory.outputs * (memory.stride + 1));
    State state{};
    state.set = set;
    Memory& own_memory = const_cast<Memory&>(memory);  // score() only reads through the view
    state.columns = {memory.scaling,
                     memory.each,
                     memory.open,
                     memory.width,
                     memory.scaling == Scaling::none ? 1.0 : 1.0 / std::sqrt(static_cast<double>(memory.width)),
                     own_memory.mean.data(),
                     own_memory.spread.data(),
                     own_memory.count.data(),
                     memory.kind.empty() ? nullptr : memory.kind.data()};
    state.tally = &own_memory.tally;
    state.account = own_memory.account.data();
    state.classes = memory.classes;
    state.outputs = memory.outputs;
    state.stride = memory.stride;
    state.positive = positive;
    state.weights = own_memory.weights.data();
    state.shadow = set.average ? own_memory.shadow.data() : nullptr;
    state.intercept = own_memory.intercept.data();
    state.shadow_intercept = own_memory.shadow_intercept.data();
    state.staged = own.staged.data();
    state.staged_raw = own.raw.data();
    state.staged_column = own.column.data();
    state.slope = own.slope.data();
    state.scored = own.scored.data();
    state.before = own.before.data();
    return state;
}

bool Model::learn(Block block, size_t positive, double* scores, size_t many, const std::function<bool()>& interrupted,
                  Stop& stop) {
    at_least(scratch().copy, block.width + 8);
    block.scratch = scratch().copy.data();
    const bool scales = memory.scaling != Scaling::none;
    Undo undo(memory, set, block, block.rows > 1 || (scales && !steps_are_bounded()));
    const size_t stretch = rows_between_polls(block, memory.outputs);
    size_t begin = 0, scored = 0;
    while (begin < block.rows) {
        const size_t end = std::min(block.rows, begin + stretch);
        State state = view(positive, block);
        stop = engine().learn(state, block, begin, end, scored, scores, many);
        memory.classes = state.classes;
        if (stop.rule == Rule::new_class) {
            undo.before_growth(memory);
            declare(static_cast<size_t>(stop.column) + 1);
            begin = stop.row;
            scored = stop.row + 1;
            stop = {};
            continue;
        }
        if (stop.rule != Rule::none) {
            undo.put_back();
            return true;
        }
        begin = end;
        if (begin < block.rows && interrupted()) {
            undo.put_back();
            return false;
        }
    }
    return true;
}

Stop Model::score(const Block& block, double* scores, size_t many) const {
    Block own = block;
    at_least(scratch().copy, block.width + 8);
    own.scratch = scratch().copy.data();
    const State state = view(1, own);
    return engine().score(state, own, 0, own.rows, scores, many);
}

}  // namespace poise
