// How a model's memory grows: more columns, more classes, more kept rows.
#include <algorithm>

#include "engine.hpp"
#include "model.hpp"

namespace poise {
namespace {

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
    for (size_t i = kept; i < count; ++i) {  // a place without a row must not count in scores
        for (size_t o = 0; o < outputs; ++o) coef[(i / 8 * outputs + o) * 8 + i % 8] = 0.0;
        for (size_t j = 0; j < stride; ++j) rows[(i / 8 * stride + j) * 8 + i % 8] = 0.0;
        square[i] = 0.0;
    }
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
    Doubles more(slots(after) ? slots(after) * width + 8 : 0, start);  // the last eight may be read whole
    for (size_t t = 0; before && t < tables; ++t)
        std::copy_n(memory.sums.data() + t * before * width, slots(before) / tables * width, more.data() + t * after * width);
    memory.sums.swap(more);
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

}  // namespace poise
