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
    Doubles chances, largest_chances;
    Doubles shown, moves, votes, rates, joint, kernel_sums, waves, wave_column, own_row, synthetic;
    std::vector<int64_t> column;
    std::vector<ClassFacts> facts;
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
    Undo(Model& model, const Block& block, bool whole)
        : memory_(model.memory), support_(model.support), buffer_(model.buffer) {
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

Shelf shelf_of(Kept& kept) {
    return {kept.rows.data(), kept.square.data(), kept.coef.data(), kept.born.data(), kept.label.data(),
            kept.stride,      &kept.count,        &kept.births};
}

// Spreads `span` outputs of every member, `row` numbers each, onto `classes`: one output for two classes becomes two halves.
void split(Doubles& values, size_t members, size_t span, size_t classes, size_t row) {
    Doubles more(members * classes * row);
    for (size_t m = 0; m < members; ++m) {
        const double* from = values.data() + m * span * row;
        double* to = more.data() + m * classes * row;
        std::copy_n(from, span * row, to);
        for (size_t j = 0; span == 1 && j < row; ++j) {
            const double half = 0.5 * from[j];
            to[j] = 0.0 - half;
            to[row + j] = half;
        }
    }
    values.swap(more);
}

}  // namespace

void Kept::make_room(size_t wanted) {
    const size_t blocks = (wanted + 7) / 8;
    if (blocks * 8 <= born.size()) return;
    rows.resize(blocks * stride * 8);
    square.resize(blocks * 8);
    coef.resize(blocks * outputs * 8);
    born.resize(blocks * 8);
    label.resize(blocks * 8);
}

void Kept::widen(size_t width) {
    if (width <= stride) return;
    const size_t blocks = born.size() / 8;
    Doubles wider(blocks * width * 8);
    for (size_t b = 0; b < blocks; ++b) std::copy_n(rows.data() + b * stride * 8, stride * 8, wider.data() + b * width * 8);
    rows.swap(wider);
    stride = width;
}

void Kept::forget_behind(size_t kept, uint64_t kept_births) {
    for (size_t i = kept; i < count; ++i)  // a place without a row must not count in scores
        for (size_t o = 0; o < outputs; ++o) coef[((i / 8) * outputs + o) * 8 + i % 8] = 0.0;
    count = std::min(count, kept);
    births = kept_births;
}

Model::Model(const Settings& settings) : set(settings) {
    memory.members = memory.outputs = set.members;
    memory.weight_rows = set.learning == Learning::kernel ? 1 : set.members;
    memory.intercept.assign(set.members, 0.0);
    memory.shadow_intercept.assign(set.members, 0.0);
    memory.wave_weights.assign(set.members * wave_stride(), 0.0);
    if (set.average) memory.wave_shadow.assign(set.members * wave_stride(), 0.0);
    memory.tally.random = set.seed;
    split_sums(0, 2);
    support.outputs = set.members;
}

// WEOB remembers its two halves, a user's own method what it likes, others their members.
size_t Model::sum_width() const { return set.method == Method::weob ? 2 : set.method == Method::own ? 1 : set.members; }

size_t Model::slots(size_t classes) const {
    if (is_boosting(set.method)) return 5;
    if (set.method == Method::own) return set.memo;
    if (set.method == Method::okb) return classes * classes;
    if (set.method == Method::oeb) return 2 * classes;
    const bool recalls = set.method == Method::owob || set.method == Method::owub || set.method == Method::weob;
    return recalls && !set.plain_votes ? classes : 0;
}

// New classes begin with a recall of one half; tables of right and wrong with zeros.
void Model::split_sums(size_t before, size_t after) {
    const bool same = is_boosting(set.method) || set.method == Method::own;  // whatever the classes
    if (before && same) return;
    const size_t width = sum_width(), tables = set.method == Method::okb ? before : 1;
    const double start = same || set.method == Method::okb || set.method == Method::oeb ? 0.0 : 0.5;
    Doubles more(slots(after) * width + 8, start);  // the last eight may be read whole
    for (size_t t = 0; before && t < tables; ++t)
        std::copy_n(memory.sums.data() + t * before * width, slots(before) / tables * width, more.data() + t * after * width);
    memory.sums.swap(more);
}

// Rows between two questions whether to stop: some milliseconds of work.
size_t Model::rows_between_polls(const Block& block) const {
    const size_t kept = (support.count + buffer.count) * (block.longest + memory.outputs);
    const size_t cells = (block.longest + 8) * (memory.outputs + wave_stride()) + kept;
    const bool grows = set.learning == Learning::kernel || set.method == Method::osmote || set.method == Method::own;
    const size_t most = own_method.make ? 1 : grows ? 256 : block.rows;
    return std::min(most, std::max<size_t>(1, (size_t{1} << 22) / cells));
}

void Model::keep_room(size_t rows) {
    if (set.learning == Learning::kernel) {
        const size_t synthetic = set.method == Method::osmote ? set.neighbors : own_method.make ? kMostSynthetic : 0;
        const size_t wanted = support.count + rows * (1 + synthetic);
        support.make_room(set.budget ? std::min<size_t>(wanted, std::max<size_t>(set.budget, support.count)) : wanted);
    }
    if (set.method == Method::osmote) buffer.make_room(buffer.count + rows);
}

void Model::widen(size_t width) {
    if (width <= memory.width) return;
    if (width > memory.stride) {
        const size_t grown = memory.width ? std::max(width, memory.stride + memory.stride / 2) : width;
        const size_t stride = (grown + 7) & ~size_t{7};
        const auto restride = [&](Doubles& values) {
            Doubles wider(memory.weight_rows * stride);
            for (size_t k = 0; k < memory.weight_rows && memory.stride; ++k)
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
        if (set.learning == Learning::kernel) support.widen(stride);
        if (set.method == Method::osmote) buffer.widen(stride);
        draw_waves();
    }
    memory.width = width;
}

// Columns of W are kept as long as they need less than 64 MB; else they are drawn again whenever a row has them.
void Model::draw_waves() {
    if (set.learning != Learning::fourier) return;
    const size_t own = wave_stride(), before = own ? wave_table_.size() / own : 0;
    wave_phase_.resize(own);
    const bool fits = memory.stride * own <= (size_t{64} << 20) / sizeof(double);
    wave_table_.resize(fits ? memory.stride * own : 0);
    engine().draw_waves(set, fits ? before : 0, fits ? memory.stride : 0, own, wave_table_.data(), wave_phase_.data());
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
    while (rank.size() < classes) rank.push_back(static_cast<int32_t>(rank.size()));
    if (classes > 2) {
        const size_t members = memory.members, span = memory.span;
        if (set.learning == Learning::kernel) {
            const size_t blocks = support.born.size() / 8;
            Doubles coef;
            for (size_t b = 0; b < blocks; ++b) {
                const auto from = support.coef.begin() + static_cast<ptrdiff_t>(b * support.outputs * 8);
                Doubles block(from, from + static_cast<ptrdiff_t>(support.outputs * 8));
                split(block, members, span, classes, 8);
                coef.insert(coef.end(), block.begin(), block.end());
            }
            support.coef.swap(coef);
            support.outputs = members * classes;
        } else {
            split(memory.weights, members, span, classes, memory.stride);
            split(memory.wave_weights, members, span, classes, wave_stride());
            if (set.average) {
                split(memory.shadow, members, span, classes, memory.stride);
                split(memory.wave_shadow, members, span, classes, wave_stride());
            }
            memory.weight_rows = members * classes;
        }
        split(memory.intercept, members, span, classes, 1);
        split(memory.shadow_intercept, members, span, classes, 1);
        split_sums(std::max<size_t>(memory.classes, 2), classes);
        memory.span = classes;
        memory.outputs = members * classes;
    }
    memory.classes = classes;
}

bool Model::steps_are_bounded() const {
    if (set.learning != Learning::linear) return false;
    double weight = 0.0;
    if (set.method == Method::ogd) weight = 1.0;
    if (set.method == Method::ohgd) weight = 2e2;
    if (set.method == Method::hgd && set.clamp == Clamp::value) weight = set.largest_weight;
    // A scaled row is at most 5.1 long and a sample weight at most 1e6.
    return weight > 0.0 && set.eta0 * weight * 1e8 * static_cast<double>(memory.outputs) < kFarthest;
}

State Model::view(const Block& block) const {
    Scratch& own = scratch();
    const bool centered = memory.scaling == Scaling::center;
    const size_t staged = std::max(centered ? memory.stride : 0, block.longest) + 8;
    at_least(own.staged, staged);
    at_least(own.raw, staged);
    at_least(own.column, staged);
    at_least(own.slope, memory.outputs + 8);
    at_least(own.scored, memory.outputs + 8);
    if (set.radius > 0.0) at_least(own.before, memory.outputs * (memory.stride + 1));
    at_least(own.shown, memory.outputs + 8);
    at_least(own.moves, memory.outputs + 8);
    at_least(own.votes, memory.members + 8);
    at_least(own.rates, memory.members + 8);
    at_least(own.joint, memory.span);
    if (set.learning == Learning::kernel) at_least(own.kernel_sums, memory.outputs * 8);
    at_least(own.waves, wave_stride());
    at_least(own.wave_column, wave_stride());
    at_least(own.chances, (2 * memory.members + 1) * 9);
    at_least(own.largest_chances, 256);
    at_least(own.facts, memory.account.size());
    if (set.method == Method::osmote || set.method == Method::own) {
        at_least(own.own_row, memory.stride + 8);
        at_least(own.synthetic, memory.stride + 8);
    }
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
    state.positive_alone = positive_alone;
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
    state.members = memory.members;
    state.span = memory.span;
    state.sums = own_memory.sums.data();
    state.slots = slots(std::max<size_t>(memory.classes, 2));
    state.sum_width = sum_width();
    state.rank = rank.data();
    state.shown = own.shown.data();
    state.moves = own.moves.data();
    state.votes = own.votes.data();
    state.rates = own.rates.data();
    state.joint = own.joint.data();
    state.kernel_sums = own.kernel_sums.data();
    state.support = shelf_of(const_cast<Kept&>(support));
    state.buffer = shelf_of(const_cast<Kept&>(buffer));
    state.waves = own.waves.data();
    state.wave_column = own.wave_column.data();
    state.wave_weights = own_memory.wave_weights.data();
    state.wave_shadow = own_memory.wave_shadow.data();
    state.wave_table = wave_table_.empty() ? nullptr : wave_table_.data();
    state.wave_phase = wave_phase_.data();
    state.wave_stride = wave_stride();
    state.chances = own.chances.data();
    state.largest_chances = own.largest_chances.data();
    state.own_row = own.own_row.data();
    state.synthetic = own.synthetic.data();
    state.own = &own_method;
    state.facts = own.facts.data();
    return state;
}

bool Model::learn(Block block, double* scores, size_t many, const std::function<bool()>& interrupted,
                  Stop& stop) {
    at_least(scratch().copy, block.width + 8);
    block.scratch = scratch().copy.data();
    const bool scales = memory.scaling != Scaling::none;
    // A single row is looked at before anything changes, but for the scaler and for OSMOTE's steps.
    Undo undo(*this, block, block.rows > 1 || set.method == Method::osmote || own_method.make || (scales && !steps_are_bounded()));
    size_t begin = 0, scored = 0;
    while (begin < block.rows) {
        const size_t end = std::min(block.rows, begin + rows_between_polls(block));
        keep_room(end - begin);
        State state = view(block);
        stop = engine().learn(state, block, begin, end, scored, scores, many);
        memory.classes = state.classes;
        if (stop.rule == Rule::new_class) {
            undo.before_growth();
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
    const State state = view(own);
    return engine().score(state, own, 0, own.rows, scores, many);
}

}  // namespace poise
