// Learning and scoring blocks: the view of the memory that the loop gets, and the stretches between two questions whether to
// stop.
#include "model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>

#include "engine.hpp"
#include "undo.hpp"

namespace poise {

// Values one row's staging area must hold; kept per thread so that scoring needs no memory of the model.
struct Scratch {
    Doubles staged, raw, copy, slope, scored, before;
    Doubles chances, largest_chances;
    Doubles shown, moves, votes, rates, joint, kernel_sums, waves, wave_column, own_row, synthetic;
    std::vector<int64_t> column;
    std::vector<ClassFacts> facts;
};

namespace {

// A user's own method may ask other models while one learns: each call in progress on a thread has a scratch of its own.
class Lent {
  public:
    Lent() : own_(depth() < pool().size() ? pool()[depth()] : pool().emplace_back()) { ++depth(); }
    ~Lent() { --depth(); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Scratch& operator*() const { return own_; }

  private:
    static std::deque<Scratch>& pool() {
        static thread_local std::deque<Scratch> all;
        return all;
    }
    static size_t& depth() {
        static thread_local size_t calls = 0;
        return calls;
    }
    Scratch& own_;
};

template <class Values>
void at_least(Values& values, size_t size) {
    if (values.size() < size) values.resize(size);
}

Shelf shelf_of(Kept& kept) {
    return {kept.rows.data(),  kept.square.data(), kept.coef.data(), kept.born.data(),
            kept.label.data(), kept.stride,        &kept.count,      &kept.births};
}

}  // namespace

// Rows that take some milliseconds, as far as their width and the kept rows tell.
size_t Model::rows_at_once(const Block& block) const {
    const size_t kept = (support.count + buffer.count) * (block.longest + memory.outputs);
    const size_t cells = (block.longest + 8) * (memory.outputs + wave_stride()) + kept;
    return std::max<size_t>(1, (size_t{1} << 22) / cells);
}

// The same while learning, where kept rows need room beforehand and synthetic ones are not counted beforehand.
size_t Model::rows_between_polls(const Block& block) const {
    const size_t wide = std::max<size_t>(1, (size_t{64} << 20) / (8 * (memory.stride + 1)));
    const bool grows = set.learning == Learning::kernel || set.method == Method::osmote || set.method == Method::own;
    const size_t most = own_method.make ? 1 : grows ? std::min<size_t>(256, wide) : block.rows;
    return std::min(most, rows_at_once(block));
}

void Model::keep_room(size_t rows) {
    if (set.learning == Learning::kernel) {
        const size_t synthetic = set.method == Method::osmote ? set.neighbors : own_method.make ? kMostSynthetic : 0;
        const size_t wanted = support.count + rows * (1 + synthetic);
        support.make_room(set.budget ? std::min<size_t>(wanted, std::max<size_t>(set.budget, support.count)) : wanted);
    }
    if (set.method == Method::osmote) buffer.make_room(buffer.count + rows);
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

State Model::view(const Block& block, Scratch& own) const {
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
    at_least(own.chances, (2 * memory.members + 1) * (1 + kChances));
    at_least(own.largest_chances, kMostEvents);
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

namespace {

// How many rows to do before asking whether to stop: as many as take some milliseconds, by what the last ones took.
class Pace {
  public:
    Pace(size_t most, size_t first) : most_(most), rows_(std::min(most, first)) {}
    size_t rows() {
        if (most_ > 1) begun_ = Clock::now();
        return rows_;
    }
    void done() {
        if (most_ <= 1) return;  // a single row
        const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
        if (seconds < 0.005) rows_ = std::min(most_, 2 * rows_);
        if (seconds > 0.05) rows_ = std::max<size_t>(1, rows_ / 2);
    }

  private:
    using Clock = std::chrono::steady_clock;
    size_t most_, rows_;
    Clock::time_point begun_;
};

}  // namespace

bool Model::learn(Block block, double* scores, size_t many, const std::function<bool()>& interrupted, Stop& stop) {
    const Lent lent;
    at_least((*lent).copy, block.width + 8);
    block.scratch = (*lent).copy.data();
    const bool scales = memory.scaling != Scaling::none;
    // A single row is looked at before anything changes, but for the scaler and for steps at synthetic rows.
    const bool steps_twice = set.method == Method::osmote || own_method.make;
    Undo undo(*this, block, block.rows > 1 || steps_twice || (scales && !steps_are_bounded()));
    try {
        const bool finished = learn_stretches(block, *lent, scores, many, interrupted, stop, undo);
        if (!finished || stop.rule != Rule::none) undo.put_back();
        return finished;
    } catch (...) {  // no memory left
        undo.put_back();
        throw;
    }
}

bool Model::learn_stretches(const Block& block, Scratch& own, double* scores, size_t many,
                            const std::function<bool()>& interrupted, Stop& stop, Undo& undo) {
    // One step a row takes as long as the row is wide; how often repeated ones are taken is known only afterwards.
    const bool steps_once = set.method <= Method::csogd || set.method == Method::csrda;
    Pace pace(std::min(block.rows, rows_between_polls(block)), steps_once ? block.rows : 256);
    size_t begin = 0, scored = 0;
    while (begin < block.rows) {
        const size_t end = std::min({block.rows, begin + pace.rows(), begin + rows_between_polls(block)});
        keep_room(end - begin);
        State state = view(block, own);
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
        if (stop.rule != Rule::none) return true;
        pace.done();
        begin = end;
        if (begin < block.rows && interrupted()) return false;
    }
    return true;
}

bool Model::score(Block block, double* scores, size_t many, const std::function<bool()>& interrupted, Stop& stop) const {
    const Lent lent;
    at_least((*lent).copy, block.width + 8);
    block.scratch = (*lent).copy.data();
    const State state = view(block, *lent);
    Pace pace(block.rows, rows_at_once(block));
    for (size_t begin = 0; begin < block.rows;) {
        const size_t end = std::min(block.rows, begin + pace.rows());
        stop = engine().score(state, block, begin, end, scores, many);
        if (stop.rule != Rule::none) return true;
        pace.done();
        begin = end;
        if (begin < block.rows && interrupted()) return false;
    }
    return true;
}

}  // namespace poise
