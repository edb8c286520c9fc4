// A model's state as named arrays, and back.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <string>
#include <utility>

#include "model.hpp"

namespace nb = nanobind;

namespace poise {

template <class T, class From>
nb::object copied(size_t rows, size_t columns, From from) {
    const size_t n = rows * columns;
    T* data = new T[n ? n : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) data[i * columns + j] = from(i, j);
    const size_t shape[2] = {rows, columns};
    return nb::cast(nb::ndarray<nb::numpy, T>(data, 2, shape, owner));
}

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Fills `to` from a saved table that must have exactly this shape.
template <class T, class To>
void taken(const nb::dict& saved, const char* name, size_t rows, size_t columns, To to) {
    if (!saved.contains(name)) throw nb::value_error((std::string("tensor '") + name + "' is missing").c_str());
    Table<T> table;
    if (!nb::try_cast<Table<T>>(saved[name], table) || table.shape(0) != rows || table.shape(1) != columns)
        throw nb::value_error((std::string("tensor '") + name + "' has the wrong type or shape").c_str());
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) to(i, j, table(i, j));
}

// Kept rows as arrays: the rows, their numbers of arrival, and what belongs to each.
inline void put_kept(nb::dict& out, const std::string& name, const Kept& kept, size_t width) {
    const size_t step = kept.stride * 8;
    out[(name + "_rows").c_str()] =
        copied<double>(kept.count, width, [&](size_t i, size_t j) { return kept.rows[i / 8 * step + j * 8 + i % 8]; });
    out[(name + "_born").c_str()] = copied<uint64_t>(1, kept.count, [&](size_t, size_t i) { return kept.born[i]; });
    if (name == "buffer")
        out["buffer_label"] =
            copied<uint64_t>(1, kept.count, [&](size_t, size_t i) { return static_cast<uint64_t>(kept.label[i]); });
    else
        out["support_coef"] = copied<double>(
            kept.count, kept.outputs, [&](size_t i, size_t o) { return kept.coef[(i / 8 * kept.outputs + o) * 8 + i % 8]; });
}

inline double finite_in(const char* name, double v) {
    if (!std::isfinite(v))
        throw nb::value_error((std::string("tensor '") + name + "' holds a number that is not finite").c_str());
    return v;
}

inline void take_kept(const nb::dict& saved, const std::string& name, Kept& kept, size_t width, uint64_t births) {
    Table<uint64_t> born;
    const std::string numbers = name + "_born", rows = name + "_rows";
    if (!saved.contains(numbers.c_str()) || !nb::try_cast<Table<uint64_t>>(saved[numbers.c_str()], born) || born.shape(0) != 1)
        throw nb::value_error(("tensor '" + numbers + "' has the wrong type or shape").c_str());
    const size_t count = born.shape(1), step = kept.stride * 8;
    kept.make_room(count);
    kept.count = count;
    kept.births = births;
    taken<uint64_t>(saved, numbers.c_str(), 1, count, [&](size_t, size_t i, uint64_t v) { kept.born[i] = v; });
    taken<double>(saved, rows.c_str(), count, width, [&](size_t i, size_t j, double v) {
        kept.rows[i / 8 * step + j * 8 + i % 8] = finite_in("kept rows", v);
        kept.square[i] += v * v;
    });
    if (name == "buffer")
        taken<uint64_t>(saved, "buffer_label", 1, count,
                        [&](size_t, size_t i, uint64_t v) { kept.label[i] = static_cast<int32_t>(v); });
    else
        taken<double>(saved, "support_coef", count, kept.outputs, [&](size_t i, size_t o, double v) {
            kept.coef[(i / 8 * kept.outputs + o) * 8 + i % 8] = finite_in("support_coef", v);
        });
}

// All of a model as named arrays; `hashed` is what it keeps beside its memory.
inline nb::dict state_of(const Model& model, size_t hashed) {
    const Memory& m = model.memory;
    const Tally& t = m.tally;
    nb::dict out;
    const auto rows_of = [&](const Doubles& values, size_t stride, size_t width) {
        return copied<double>(m.outputs, width, [&](size_t k, size_t j) { return values[k * stride + j]; });
    };
    const bool kernel = model.set.learning == Learning::kernel, waves = model.set.learning == Learning::fourier;
    if (!kernel) out["weights"] = rows_of(m.weights, m.stride, m.width);
    out["intercept"] = rows_of(m.intercept, 1, 1);
    if (waves) out["wave_weights"] = rows_of(m.wave_weights, model.wave_stride(), model.set.features);
    if (model.set.average) {
        out["shadow"] = rows_of(m.shadow, m.stride, m.width);
        out["shadow_intercept"] = rows_of(m.shadow_intercept, 1, 1);
        if (waves) out["wave_shadow"] = rows_of(m.wave_shadow, model.wave_stride(), model.set.features);
    }
    if (kernel) put_kept(out, "support", model.support, m.width);
    if (model.set.method == Method::osmote) put_kept(out, "buffer", model.buffer, m.width);
    const size_t slots = model.slots(m.classes > 2 ? m.classes : 2);
    if (slots)
        out["sums"] =
            copied<double>(slots, model.sum_width(), [&](size_t k, size_t j) { return m.sums[k * model.sum_width() + j]; });
    const uint64_t drawing[] = {t.random, model.support.births, model.buffer.births};
    out["drawing"] = copied<uint64_t>(1, 3, [&](size_t, size_t j) { return drawing[j]; });
    if (!m.mean.empty()) {
        out["scaler_mean"] = copied<double>(1, m.width, [&](size_t, size_t j) { return m.mean[j]; });
        out["scaler_spread"] = copied<double>(1, m.width, [&](size_t, size_t j) { return m.spread[j]; });
    }
    if (!m.count.empty()) out["scaler_count"] = copied<uint64_t>(1, m.width, [&](size_t, size_t j) { return m.count[j]; });
    if (!m.kind.empty()) out["column_kind"] = copied<uint8_t>(1, m.width, [&](size_t, size_t j) { return m.kind[j]; });
    out["ledger_seen"] = copied<uint64_t>(1, m.account.size(), [&](size_t, size_t c) { return m.account[c].seen; });
    out["ledger_sums"] = copied<double>(m.account.size(), 3, [&](size_t c, size_t j) {
        return j == 0 ? m.account[c].share : j == 1 ? m.account[c].pulled : m.account[c].travelled;
    });
    const uint64_t counts[] = {t.rows, t.entries, t.compared, m.classes};
    out["tally_counts"] = copied<uint64_t>(1, 4, [&](size_t, size_t j) { return counts[j]; });
    const double factors[] = {t.blend, t.worst_ratio, t.phantom_share};
    out["tally_factors"] = copied<double>(1, 3, [&](size_t, size_t j) { return factors[j]; });
    out["imbalance"] = copied<double>(2, 8, [&](size_t k, size_t lane) { return (k ? t.log_imbalance : t.imbalance)[lane]; });
    const uint64_t shape[] = {static_cast<uint64_t>(m.scaling), m.each, m.open, m.width, hashed};
    out["columns"] = copied<uint64_t>(1, 5, [&](size_t, size_t j) { return shape[j]; });
    return out;
}

// The model whose state `saved` is, and how many columns it hashes onto.
inline std::pair<Model, size_t> model_of(const Settings& settings, const nb::dict& saved) {
    Model fresh(settings);
    Memory& m = fresh.memory;
    uint64_t shape[5], counts[4];
    taken<uint64_t>(saved, "columns", 1, 5, [&](size_t, size_t j, uint64_t v) { shape[j] = v; });
    taken<uint64_t>(saved, "tally_counts", 1, 4, [&](size_t, size_t j, uint64_t v) { counts[j] = v; });
    if (shape[0] > 2 || counts[3] > (uint64_t{1} << 31))
        throw nb::value_error("its table of columns holds numbers that mean nothing");
    m.scaling = static_cast<Scaling>(shape[0]);
    m.each = shape[1] != 0;
    m.open = shape[2] != 0;
    fresh.widen(shape[3]);
    fresh.declare(counts[3]);
    const auto rows_of = [&](const char* name, Doubles& values, size_t stride, size_t width) {
        taken<double>(saved, name, m.outputs, width,
                      [&](size_t k, size_t j, double v) { values[k * stride + j] = finite_in(name, v); });
    };
    const bool kernel = settings.learning == Learning::kernel, waves = settings.learning == Learning::fourier;
    if (!kernel) rows_of("weights", m.weights, m.stride, m.width);
    rows_of("intercept", m.intercept, 1, 1);
    if (waves) rows_of("wave_weights", m.wave_weights, fresh.wave_stride(), settings.features);
    if (settings.average) {
        rows_of("shadow", m.shadow, m.stride, m.width);
        rows_of("shadow_intercept", m.shadow_intercept, 1, 1);
        if (waves) rows_of("wave_shadow", m.wave_shadow, fresh.wave_stride(), settings.features);
    }
    uint64_t drawing[3];
    taken<uint64_t>(saved, "drawing", 1, 3, [&](size_t, size_t j, uint64_t v) { drawing[j] = v; });
    m.tally.random = drawing[0];
    if (kernel) take_kept(saved, "support", fresh.support, m.width, drawing[1]);
    if (settings.method == Method::osmote) take_kept(saved, "buffer", fresh.buffer, m.width, drawing[2]);
    if (const size_t slots = fresh.slots(m.classes > 2 ? m.classes : 2))
        taken<double>(saved, "sums", slots, fresh.sum_width(), [&](size_t k, size_t j, double v) {
            m.sums[k * fresh.sum_width() + j] = settings.method == Method::own ? v : finite_in("sums", v);
        });
    if (m.scaling != Scaling::none) {
        taken<double>(saved, "scaler_mean", 1, m.width,
                      [&](size_t, size_t j, double v) { m.mean[j] = finite_in("scaler_mean", v); });
        taken<double>(saved, "scaler_spread", 1, m.width,
                      [&](size_t, size_t j, double v) { m.spread[j] = finite_in("scaler_spread", v); });
    }
    if (!m.count.empty())
        taken<uint64_t>(saved, "scaler_count", 1, m.width, [&](size_t, size_t j, uint64_t v) { m.count[j] = v; });
    if (saved.contains("column_kind")) {
        m.kind.resize(m.width);
        taken<uint8_t>(saved, "column_kind", 1, m.width, [&](size_t, size_t j, uint8_t v) {
            if (v > 2) throw nb::value_error("tensor 'column_kind' holds a kind that does not exist");
            m.kind[j] = v;
        });
    }
    taken<uint64_t>(saved, "ledger_seen", 1, m.account.size(), [&](size_t, size_t c, uint64_t v) { m.account[c].seen = v; });
    taken<double>(saved, "ledger_sums", m.account.size(), 3, [&](size_t c, size_t j, double v) {
        Account& a = m.account[c];
        (j == 0 ? a.share : j == 1 ? a.pulled : a.travelled) = finite_in("ledger_sums", v);
    });
    Tally& t = m.tally;
    t.rows = counts[0];
    t.entries = counts[1];
    t.compared = counts[2];
    double* factors[] = {&t.blend, &t.worst_ratio, &t.phantom_share};
    taken<double>(saved, "tally_factors", 1, 3, [&](size_t, size_t j, double v) { *factors[j] = finite_in("tally_factors", v); });
    taken<double>(saved, "imbalance", 2, 8, [&](size_t k, size_t lane, double v) {
        (k ? t.log_imbalance : t.imbalance)[lane] = finite_in("imbalance", v);
    });
    return {std::move(fresh), shape[4]};
}

}  // namespace poise
