// From a block to prepared rows: plain dense, dense centred, CSR, and rows whose entries are scaled one by one.
// Each source checks a row before it changes anything.
#pragma once
#include "learner.hpp"
#include "scale.hpp"

namespace poise::POISE_ISA {

POISE_INLINE Rule rule_of(double value) { return value != value ? Rule::missing : Rule::infinite; }

template <class T>
struct DenseRows {
    const Block& block;

    // Rows whose last eight would reach behind the array, or with a column step, are copied aside.
    POISE_INLINE DenseRow<T> at(size_t i) const {
        const T* start = static_cast<const T*>(block.values) + static_cast<ptrdiff_t>(i) * block.row_step;
        const size_t padded = (block.width + 7) & ~size_t{7};
        if (block.column_step == 1 && block.row_step >= 0 && start + padded <= static_cast<const T*>(block.end))
            return {start, block.width};
        T* copy = reinterpret_cast<T*>(block.scratch);
        for (size_t j = 0; j < block.width; ++j) copy[j] = start[static_cast<ptrdiff_t>(j) * block.column_step];
        return {copy, block.width};
    }
    POISE_INLINE Stop blame(size_t i) const {
        const DenseRow<T> row = at(i);
        for (size_t j = 0; j < row.width; ++j)
            if (!finite(row.x[j])) return {rule_of(row.x[j]), i, static_cast<int64_t>(j)};
        return {Rule::norm, i, -1};
    }
    template <class Visit>
    POISE_INLINE Stop entries(size_t i, Visit visit) const {
        const DenseRow<T> row = at(i);
        for (size_t j = 0; j < row.width; ++j) visit(j, static_cast<double>(row.x[j]));
        return {};
    }
};

template <class I>
struct CsrRows {
    const Block& block;

    POISE_INLINE SparseRow<I> at(size_t i) const {
        const I* starts = static_cast<const I*>(block.row_start);
        const size_t from = static_cast<size_t>(starts[i]), to = static_cast<size_t>(starts[i + 1]);
        return {static_cast<const I*>(block.column) + from, static_cast<const double*>(block.values) + from, to - from};
    }
    Stop blame_columns(size_t i) const {
        const SparseRow<I> row = at(i);
        for (size_t e = 0; e < row.count; ++e)
            if (row.column[e] < 0 || static_cast<size_t>(row.column[e]) >= block.width)
                return {Rule::column_range, i, static_cast<int64_t>(row.column[e])};
        return {Rule::column_order, i, -1};
    }
    POISE_INLINE Stop blame(size_t i) const {
        const SparseRow<I> row = at(i);
        for (size_t e = 0; e < row.count; ++e)
            if (!finite(row.x[e])) return {rule_of(row.x[e]), i, static_cast<int64_t>(row.column[e])};
        return {Rule::norm, i, -1};
    }
    template <class Visit>
    POISE_INLINE Stop entries(size_t i, Visit visit) const {
        const SparseRow<I> row = at(i);
        if (!rises(row, block.width)) return blame_columns(i);
        for (size_t e = 0; e < row.count; ++e) visit(static_cast<size_t>(row.column[e]), row.x[e]);
        return {};
    }
};

// Brings a row to length 1 when asked to.
POISE_INLINE double row_factor(const State& state, double factor, double squares) {
    if (!state.set.unit_rows) return factor;
    const double length = factor * __builtin_sqrt(squares);
    return factor / (length > 1e-14 ? length : 1e-14);
}

// Rows taken as they are.
template <class T>
struct PlainDense {
    DenseRows<T> rows;
    using Row = DenseRow<T>;

    template <bool with_shadow, bool sees>
    POISE_INLINE Stop prepare(const State& state, size_t i, Prepared<Row>& x) const {
        x.row = rows.at(i);
        x.first = products<with_shadow>(x.row, state.weights, state.shadow);
        if (!finite(x.first.square)) return rows.blame(i);
        x.factor = row_factor(state, 1.0, x.first.square);
        return {};
    }
    POISE_INLINE void see(State&) const {}
};

template <class I>
struct PlainCsr {
    CsrRows<I> rows;
    using Row = SparseRow<I>;

    template <bool with_shadow, bool sees>
    POISE_INLINE Stop prepare(const State& state, size_t i, Prepared<Row>& x) const {
        x.row = rows.at(i);
        if (!rises(x.row, rows.block.width)) return rows.blame_columns(i);
        x.first = products<with_shadow>(x.row, state.weights, state.shadow);
        if (!finite(x.first.square)) return rows.blame(i);
        x.factor = row_factor(state, 1.0, x.first.square);
        return {};
    }
    POISE_INLINE void see(State&) const {}
};

// Every column centred and scaled, all columns seen equally often. A CSR row is spread out first: O(width).
template <class Rows, class T>
struct Centered {
    Rows rows;
    using Row = DenseRow<double>;
    mutable Calm calm{};

    POISE_INLINE Stop dense(const State&, size_t i, DenseRow<T>& row) const
        requires requires(const Rows& r) { r.at(i).width; }
    {
        row = rows.at(i);
        return {};
    }
    POISE_INLINE Stop dense(const State& state, size_t i, DenseRow<T>& row) const {
        double* wide = state.staged_raw;
        __builtin_memset(wide, 0, rows.block.width * sizeof(double));
        row = {wide, rows.block.width};
        return rows.entries(i, [&](size_t j, double value) { wide[j] = value; });
    }
    template <bool with_shadow, bool sees>
    POISE_INLINE Stop prepare(const State& state, size_t i, Prepared<Row>& x) const {
        DenseRow<T> raw{};
        const Stop bad = dense(state, i, raw);
        if (bad.rule != Rule::none) return bad;
        const uint64_t seen = state.tally->rows;
        if (!center_row<with_shadow, sees>(raw, state.columns, seen, calm.check(state.columns, seen), state.weights, state.shadow,
                                           state.staged, x.first))
            return rows.blame(i);
        x.row = {state.staged, raw.width};
        x.factor = row_factor(state, width_factor(state.columns, *state.tally, raw.width), x.first.square);
        return {};
    }
    POISE_INLINE void see(State&) const {}
};

// Entries scaled one by one: scale without centring, columns seen unequally often, missing values.
template <class Rows>
struct Listed {
    Rows rows;
    using Row = SparseRow<int64_t>;
    mutable size_t active = 0;
    mutable bool wild = false;

    template <bool with_shadow, bool sees>
    POISE_INLINE Stop prepare(const State& state, size_t i, Prepared<Row>& x) const {
        ScatteredSum squares;
        size_t n = 0;
        const Stop bad = rows.entries(i, [&](size_t j, double value) {
            if (value != value && state.set.skip_missing) return;
            if (value == 0.0 && kind_of(state.columns, j) != Scaling::center) return;
            squares.add(value * value, j);
            state.staged_column[n] = static_cast<int64_t>(j);
            state.staged_raw[n] = value;
            state.staged[n++] = scaled_entry(state.columns, j, value, state.tally->rows);
        });
        if (bad.rule != Rule::none) return bad;
        const double square = squares.total();
        if (!finite(square)) return rows.blame(i);
        active = n;
        wild = square > kWild;
        x.row = {state.staged_column, state.staged, n};
        x.first = products<with_shadow>(x.row, state.weights, state.shadow);
        x.factor = row_factor(state, width_factor(state.columns, *state.tally, n), x.first.square);
        return {};
    }
    POISE_INLINE void see(State& state) const {
        for (size_t e = 0; e < active; ++e)
            see_entry(state.columns, static_cast<size_t>(state.staged_column[e]), state.staged_raw[e], state.tally->rows, wild);
        state.tally->entries += active;
    }
};

}  // namespace poise::POISE_ISA
