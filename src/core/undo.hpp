// What a block is about to change, put aside before it is learned and put back when a row of it is refused.
#pragma once
#include <cmath>
#include <optional>

#include "model.hpp"

namespace poise {

// What a block is about to change, so that it can be put back: all of the memory, or only the columns the block names.
class Undo {
  public:
    Undo(Model& model, const Block& block, bool whole) : memory_(model.memory), support_(model.support), buffer_(model.buffer) {
        const Settings& set = model.set;
        const Memory& memory = model.memory;
        tally_ = memory.tally;
        account_ = memory.account;
        classes_ = memory.classes;
        sums_ = memory.sums;
        if (!whole) return;
        support_.put_aside(set.budget > 0);
        buffer_.put_aside(set.buffer > 0);
        few_ = names_few_columns(set, block);
        if (few_)
            gather(block);
        else
            copy_ = memory;
        whole_ = true;
    }
    void put_back() {
        support_.put_back();
        buffer_.put_back();
        if (whole_ && !few_) {
            memory_ = std::move(*copy_);
            return;
        }
        memory_.sums = sums_;
        memory_.tally = tally_;
        memory_.account = account_;
        memory_.classes = classes_;
        if (few_) scatter();
    }
    // Before the memory changes its shape, the whole of it must be put aside.
    void before_growth() {
        support_.put_aside(true);
        buffer_.put_aside(true);
        if (whole_ && !few_) return;
        copy_ = memory_;
        copy_->sums = sums_;
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
        if (set.method == Method::osmote || set.method == Method::own) return false;  // synthetic rows have columns of their own
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
        for (size_t k = 0; k < memory.weight_rows; ++k) {
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
        wave_weights_ = memory_.wave_weights;
        wave_shadow_ = memory_.wave_shadow;
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
        memory.wave_weights = wave_weights_;
        memory.wave_shadow = wave_shadow_;
    }
    void scatter() { swap_in(memory_); }

    // Kept rows are only added to, unless there is a limit to them: then the whole of them is put aside.
    class KeptUndo {
      public:
        explicit KeptUndo(Kept& kept) : kept_(kept), count_(kept.count), births_(kept.births) {}
        void put_aside(bool whole) {
            if (whole && !copy_) copy_ = kept_;
        }
        void put_back() {
            if (copy_) kept_ = std::move(*copy_);
            kept_.forget_behind(count_, births_);
        }

      private:
        Kept& kept_;
        size_t count_;
        uint64_t births_;
        std::optional<Kept> copy_;
    };

    Memory& memory_;
    KeptUndo support_, buffer_;
    std::optional<Memory> copy_;  // a Memory of its own would be allocated for every row
    Tally tally_;
    std::vector<Account> account_;
    size_t classes_ = 0;
    std::vector<size_t> columns_;
    Doubles values_, intercept_, shadow_intercept_, wave_weights_, wave_shadow_, sums_;
    std::vector<uint64_t> counts_;
    bool whole_ = false, few_ = false;
};

}  // namespace poise
