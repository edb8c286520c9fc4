// The only file that knows Python: settings by name, blocks and single rows in, scores out, state as named arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "engine.hpp"
#include "hash.hpp"
#include "model.hpp"
#include "named_row.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace poise {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

PyObject* refused_type = nullptr;  // RowRefused(rule, row, column)

const char* name_of(Rule rule) {
    static constexpr const char* names[] = {"none", "missing",      "infinite",     "norm",
                                            "far",  "column_range", "column_order", "new_class"};
    return names[static_cast<size_t>(rule)];
}

[[noreturn]] void refuse(const Stop& stop) {
    PyObject* args =
        Py_BuildValue("(snL)", name_of(stop.rule), static_cast<Py_ssize_t>(stop.row), static_cast<long long>(stop.column));
    if (args) PyErr_SetObject(refused_type, args);
    Py_XDECREF(args);
    throw nb::python_error();
}

template <class Choice>
Choice chosen(const nb::dict& settings, const char* key, const std::map<std::string, Choice>& choices) {
    const std::string name = nb::cast<std::string>(settings[key]);
    const auto found = choices.find(name);
    if (found == choices.end()) throw nb::value_error((std::string(key) + " has no choice '" + name + "'").c_str());
    return found->second;
}

Settings settings_of(const nb::dict& given) {
    Settings set;
    set.loss = chosen<Loss>(
        given, "loss",
        {{"perceptron", Loss::perceptron}, {"hinge", Loss::hinge}, {"logistic", Loss::logistic}, {"softmax", Loss::softmax}});
    set.method = chosen<Method>(given, "method", {{"ogd", Method::ogd}, {"hgd", Method::hgd}, {"ohgd", Method::ohgd}});
    set.clamp =
        chosen<Clamp>(given, "clamp", {{"none", Clamp::none}, {"value", Clamp::value}, {"assumption4", Clamp::assumption4}});
    set.many_classes = chosen<ManyClasses>(
        given, "multiclass",
        {{"complement", ManyClasses::complement}, {"inverse", ManyClasses::inverse}, {"printed", ManyClasses::printed}});
    set.schedule =
        chosen<Schedule>(given, "learning_rate",
                         {{"constant", Schedule::constant}, {"sqrt", Schedule::sqrt}, {"invscaling", Schedule::invscaling}});
    set.intercept = nb::cast<bool>(given["intercept"]);
    set.average = nb::cast<bool>(given["average"]);
    set.unit_rows = nb::cast<bool>(given["unit_rows"]);
    set.skip_missing = nb::cast<bool>(given["skip_missing"]);
    set.squared_pull = nb::cast<bool>(given["squared_pull"]);
    set.eta0 = nb::cast<double>(given["eta0"]);
    set.power = nb::cast<double>(given["power_t"]);
    set.slowest_average = nb::cast<double>(given["slowest_average"]);
    set.largest_weight = nb::cast<double>(given["largest_weight"]);
    set.memory = nb::cast<double>(given["memory"]);
    set.radius = nb::cast<double>(given["radius"]);
    return set;
}

Block dense_block(const AnyArray& X) {
    Block block;
    block.rows = X.shape(0);
    block.width = block.longest = X.shape(1);
    block.values = X.data();
    block.row_step = X.stride(0);
    block.column_step = block.width > 1 ? X.stride(1) : 1;
    block.layout = X.dtype() == nb::dtype<float>() ? Layout::f32 : Layout::f64;
    const size_t item = block.layout == Layout::f32 ? sizeof(float) : sizeof(double);
    const ptrdiff_t last =
        block.rows ? static_cast<ptrdiff_t>(block.rows - 1) * block.row_step + static_cast<ptrdiff_t>(block.width) : 0;
    block.end = static_cast<const char*>(block.values) + last * static_cast<ptrdiff_t>(item);
    return block;
}

// Whether the rows of a CSR matrix follow each other within its entries; leaves the length of the longest.
template <class I>
bool rows_follow(const AnyArray& starts, size_t entries, size_t& longest) {
    const I* at = static_cast<const I*>(starts.data());
    bool good = at[0] >= 0 && static_cast<size_t>(at[starts.shape(0) - 1]) <= entries;
    using Length = std::make_unsigned_t<I>;
    Length most = 0;
    for (size_t i = 1; i < starts.shape(0); ++i) {
        good &= at[i] >= at[i - 1];
        most = std::max(most, static_cast<Length>(static_cast<Length>(at[i]) - static_cast<Length>(at[i - 1])));
    }
    longest = good ? static_cast<size_t>(most) : 0;
    return good;
}

Block csr_block(const AnyArray& starts, const AnyArray& columns, const Weights& values, size_t width) {
    Block block;
    const bool wide = starts.dtype() == nb::dtype<int64_t>();
    const size_t entries = columns.shape(0) < values.shape(0) ? columns.shape(0) : values.shape(0);
    if (starts.dtype() != columns.dtype() || !starts.shape(0) ||
        !(wide ? rows_follow<int64_t>(starts, entries, block.longest) : rows_follow<int32_t>(starts, entries, block.longest)))
        throw nb::value_error("the CSR matrix is damaged: indptr must rise from 0 to the number of entries");
    block.layout = wide ? Layout::csr64 : Layout::csr32;
    block.rows = starts.shape(0) - 1;
    block.width = width;
    block.row_start = starts.data();
    block.column = columns.data();
    block.values = values.data();
    return block;
}

nb::object new_scores(size_t rows, size_t columns, double*& data) {
    const size_t n = rows * (columns ? columns : 1);
    data = new double[n ? n : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const size_t shape[2] = {rows, columns};
    return nb::cast(nb::ndarray<nb::numpy, double>(data, columns ? 2 : 1, shape, owner));
}

bool python_interrupts() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// One row of a 1-D array through the buffer protocol: cheaper than an ndarray object for a handful of numbers.
class OneRow {
  public:
    explicit OneRow(nb::handle x) {
        if (PyObject_GetBuffer(x.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
            PyErr_Clear();
            return;
        }
        const char* format = view_.format ? view_.format : "B";
        const bool f64 = !std::strcmp(format, "d"), f32 = !std::strcmp(format, "f");
        good = view_.ndim == 1 && (f64 || f32) && view_.strides[0] % view_.itemsize == 0 &&
               reinterpret_cast<uintptr_t>(view_.buf) % static_cast<size_t>(view_.itemsize) == 0;
        if (!good) return;
        block.layout = f64 ? Layout::f64 : Layout::f32;
        block.rows = 1;
        block.width = block.longest = static_cast<size_t>(view_.shape[0]);
        block.values = view_.buf;
        block.column_step = view_.strides[0] / view_.itemsize;
        block.end = static_cast<const char*>(view_.buf) + view_.shape[0] * view_.itemsize;
    }
    ~OneRow() {
        if (view_.obj) PyBuffer_Release(&view_);
    }
    OneRow(const OneRow&) = delete;
    OneRow& operator=(const OneRow&) = delete;
    Block block;
    bool good = false;

  private:
    Py_buffer view_{};
};

class Core {
  public:
    Core(const nb::dict& settings, const std::string& scaling, bool each, bool open) : model_(settings_of(settings)) {
        model_.memory.scaling = scaling == "center" ? Scaling::center : scaling == "scale" ? Scaling::scale : Scaling::none;
        model_.memory.each = each;
        model_.memory.open = open;
    }

    nb::object learn(AnyArray X, Labels labels, nb::object weights, size_t positive, bool flip, size_t many, bool scored) {
        Block block = dense_block(X);
        return learn_block(block, labels, weights, {positive, flip, many, scored});
    }
    nb::object learn_csr(AnyArray starts, AnyArray columns, Weights values, size_t width, Labels labels, nb::object weights,
                         size_t positive, bool flip, size_t many, bool scored) {
        Block block = csr_block(starts, columns, values, width);
        return learn_block(block, labels, weights, {positive, flip, many, scored});
    }
    nb::object score(AnyArray X) const { return score_block(dense_block(X)); }
    nb::object score_csr(AnyArray starts, AnyArray columns, Weights values, size_t width) const {
        return score_block(csr_block(starts, columns, values, width));
    }

    // A single array row; None when it is no plain 1-D float array of the model's width.
    nb::object learn_one(nb::handle x, int32_t label, double weight, size_t positive, size_t many) {
        OneRow row(x);
        if (!row.good || row.block.width != model_.memory.width) return nb::none();
        return learn_row(row.block, label, weight, positive, many);
    }
    nb::object score_one(nb::handle x) const {
        OneRow row(x);
        if (!row.good || row.block.width != model_.memory.width) return nb::none();
        return score_row(row.block);
    }
    // A single dict; None when it holds a name the vocabulary has not met.
    nb::object learn_named(nb::dict x, nb::dict numbers, nb::dict texts, int32_t label, double weight, size_t positive,
                           size_t many) {
        if (!read(x, numbers, texts, false)) return nb::none();
        const int64_t starts[2] = {0, static_cast<int64_t>(named_.column.size())};
        return learn_row(named_block(starts), label, weight, positive, many);
    }
    nb::object score_named(nb::dict x, nb::dict numbers, nb::dict texts) {
        read(x, numbers, texts, true);
        const int64_t starts[2] = {0, static_cast<int64_t>(named_.column.size())};
        return score_row(named_block(starts));
    }
    // The entries of one dict, for whoever gathers a block.
    nb::tuple entries(nb::dict x, nb::dict numbers, nb::dict texts, bool skip_unknown) {
        if (!read(x, numbers, texts, skip_unknown)) return nb::make_tuple(nb::none(), nb::none());
        return nb::make_tuple(nb::cast(named_.column), nb::cast(named_.value));
    }

    void widen(size_t width) { model_.widen(width); }
    void add_columns(const std::vector<uint8_t>& kinds) { model_.add_columns(kinds); }
    void narrow(size_t width) { model_.narrow(width); }
    void declare(size_t classes) { model_.declare(classes); }
    void count_each() {
        model_.count_each();
        model_.memory.open = true;
        model_.memory.tally.entries = model_.memory.tally.rows * model_.memory.width;
        if (model_.memory.kind.empty())
            model_.memory.kind.assign(model_.memory.width, static_cast<uint8_t>(model_.memory.scaling));
    }
    void hash_onto(size_t width) { hashed_ = width; }

    nb::dict state() const;
    void restore(const nb::dict& saved);
    size_t width() const { return model_.memory.width; }
    size_t classes() const { return model_.memory.classes; }
    bool each() const { return model_.memory.each; }
    uint64_t rows() const { return model_.memory.tally.rows; }

  private:
    struct Wish {
        size_t positive;
        bool flip;
        size_t many;
        bool scored;
    };

    bool read(const nb::dict& x, const nb::dict& numbers, const nb::dict& texts, bool skip_unknown) {
        const Reading reading = named_.read(x.ptr(), {numbers.ptr(), texts.ptr(), hashed_}, skip_unknown);
        if (reading == Reading::failed) throw nb::python_error();
        if (reading == Reading::bad_value) {
            PyErr_SetObject(PyExc_TypeError, named_.culprit);
            throw nb::python_error();
        }
        return reading == Reading::done;
    }
    Block named_block(const int64_t* starts) const {
        Block block;
        block.layout = Layout::csr64;
        block.rows = 1;
        block.width = model_.memory.width;
        block.row_start = starts;
        block.longest = named_.column.size();
        block.column = named_.column.data();
        block.values = named_.value.data();
        return block;
    }

    nb::object learn_block(Block& block, const Labels& labels, const nb::object& weights, const Wish& wish) {
        block.label = labels.data();
        Weights given;
        if (!weights.is_none()) {
            given = nb::cast<Weights>(weights);
            block.weight = given.data();
        }
        double* scores = nullptr;
        nb::object out = nb::none();
        if (wish.scored) {
            out = new_scores(block.rows, wish.many, scores);
            if (wish.many) std::fill_n(scores, block.rows * wish.many, std::numeric_limits<double>::quiet_NaN());
        }
        const size_t known = model_.memory.classes;
        Stop stop;
        bool finished = false;
        {
            nb::gil_scoped_release free_others;
            finished = model_.learn(block, wish.positive, scores, wish.many, python_interrupts, stop);
            if (finished && stop.rule == Rule::none && scores && wish.flip && !wish.many) turn(block, known, scores);
        }
        if (!finished) throw nb::python_error();
        if (stop.rule != Rule::none) refuse(stop);
        return out;
    }
    // Inside, the first class to arrive is the negative one; outside, the smaller label is. Rows scored before there was a
    // second class keep their sign, as they would have in a call of their own.
    static void turn(const Block& block, size_t known, double* scores) {
        size_t i = 0;
        if (known < 2) {
            while (i < block.rows && !(block.label[i] == 1 && (!block.weight || block.weight[i] != 0.0))) ++i;
            ++i;
        }
        for (; i < block.rows; ++i) scores[i] = -scores[i];
    }

    nb::object score_block(const Block& block) const {
        const size_t many = model_.memory.classes > 2 ? model_.memory.classes : 0;
        double* scores = nullptr;
        nb::object out = new_scores(block.rows, many, scores);
        Stop stop;
        {
            nb::gil_scoped_release free_others;
            stop = model_.score(block, scores, many);
        }
        if (stop.rule != Rule::none) refuse(stop);
        return out;
    }

    nb::object learn_row(Block block, int32_t label, double weight, size_t positive, size_t many) {
        block.label = &label;
        if (weight != 1.0) block.weight = &weight;
        double two = 0.0, *scores = &two;
        nb::object out;
        if (many) {
            out = new_scores(1, many, scores);
            std::fill_n(scores, many, std::numeric_limits<double>::quiet_NaN());
        }
        Stop stop;
        model_.learn(block, positive, scores, many, [] { return false; }, stop);
        if (stop.rule != Rule::none) refuse(stop);
        return many ? out : nb::object(nb::float_(two));
    }
    nb::object score_row(const Block& block) const {
        if (model_.memory.classes > 2) return score_block(block);
        double score = 0.0;
        const Stop stop = model_.score(block, &score, 0);
        if (stop.rule != Rule::none) refuse(stop);
        return nb::float_(score);
    }

    Model model_;
    NamedRow named_;
    size_t hashed_ = 0;
};

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

nb::dict Core::state() const {
    const Memory& m = model_.memory;
    const Tally& t = m.tally;
    nb::dict out;
    const auto rows_of = [&](const std::vector<double>& values, size_t stride, size_t width) {
        return copied<double>(m.outputs, width, [&](size_t k, size_t j) { return values[k * stride + j]; });
    };
    out["weights"] = rows_of(m.weights, m.stride, m.width);
    out["intercept"] = rows_of(m.intercept, 1, 1);
    if (model_.set.average) {
        out["shadow"] = rows_of(m.shadow, m.stride, m.width);
        out["shadow_intercept"] = rows_of(m.shadow_intercept, 1, 1);
    }
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
    const uint64_t shape[] = {static_cast<uint64_t>(m.scaling), m.each, m.open, m.width, hashed_};
    out["columns"] = copied<uint64_t>(1, 5, [&](size_t, size_t j) { return shape[j]; });
    return out;
}

void Core::restore(const nb::dict& saved) {
    Model fresh(model_.set);
    Memory& m = fresh.memory;
    uint64_t shape[5], counts[4];
    taken<uint64_t>(saved, "columns", 1, 5, [&](size_t, size_t j, uint64_t v) { shape[j] = v; });
    taken<uint64_t>(saved, "tally_counts", 1, 4, [&](size_t, size_t j, uint64_t v) { counts[j] = v; });
    Table<double> weights;
    if (!nb::try_cast<Table<double>>(saved["weights"], weights) || weights.shape(1) != shape[3] || shape[0] > 2 ||
        weights.shape(0) != (counts[3] > 2 ? counts[3] : 1))
        throw nb::value_error("tensor 'weights' does not fit the number of classes and columns");
    m.scaling = static_cast<Scaling>(shape[0]);
    m.each = shape[1] != 0;
    m.open = shape[2] != 0;
    fresh.widen(shape[3]);
    fresh.declare(counts[3]);
    const auto finite = [](const char* name, double v) {
        if (!std::isfinite(v))
            throw nb::value_error((std::string("tensor '") + name + "' holds a number that is not finite").c_str());
        return v;
    };
    const auto rows_of = [&](const char* name, std::vector<double>& values, size_t stride, size_t width) {
        taken<double>(saved, name, m.outputs, width,
                      [&](size_t k, size_t j, double v) { values[k * stride + j] = finite(name, v); });
    };
    rows_of("weights", m.weights, m.stride, m.width);
    rows_of("intercept", m.intercept, 1, 1);
    if (model_.set.average) {
        rows_of("shadow", m.shadow, m.stride, m.width);
        rows_of("shadow_intercept", m.shadow_intercept, 1, 1);
    }
    if (m.scaling != Scaling::none) {
        taken<double>(saved, "scaler_mean", 1, m.width,
                      [&](size_t, size_t j, double v) { m.mean[j] = finite("scaler_mean", v); });
        taken<double>(saved, "scaler_spread", 1, m.width,
                      [&](size_t, size_t j, double v) { m.spread[j] = finite("scaler_spread", v); });
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
        (j == 0 ? a.share : j == 1 ? a.pulled : a.travelled) = finite("ledger_sums", v);
    });
    Tally& t = m.tally;
    t.rows = counts[0];
    t.entries = counts[1];
    t.compared = counts[2];
    double* factors[] = {&t.blend, &t.worst_ratio, &t.phantom_share};
    taken<double>(saved, "tally_factors", 1, 3, [&](size_t, size_t j, double v) { *factors[j] = finite("tally_factors", v); });
    taken<double>(saved, "imbalance", 2, 8,
                  [&](size_t k, size_t lane, double v) { (k ? t.log_imbalance : t.imbalance)[lane] = finite("imbalance", v); });
    model_ = std::move(fresh);
    hashed_ = shape[4];
}

// Turns labels into class numbers by looking them up in `table`; returns the first row whose label is not there, or -1.
template <class T>
int64_t encode(const nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>& y,
               const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& table,
               nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> codes) {
    const size_t n = y.shape(0), k = table.shape(0);
    const T* known = table.data();
    const T* label = y.data();
    const ptrdiff_t step = n > 1 ? y.stride(0) : 1;
    int32_t* code = codes.data();
    size_t last = 0, i = 0;
    if constexpr (std::is_same_v<T, int64_t>)
        if (k == 2 && step == 1) i = engine().tell_apart(label, n, known[0], known[1], code);
    for (; i < n; ++i) {
        const T value = label[static_cast<ptrdiff_t>(i) * step];
        if (last >= k || !(known[last] == value)) {
            last = 0;
            while (last < k && !(known[last] == value)) ++last;
            if (last == k) return static_cast<int64_t>(i);
        }
        code[i] = static_cast<int32_t>(last);
    }
    return -1;
}

}  // namespace
}  // namespace poise

NB_MODULE(_core, m) {
    using namespace poise;
    m.doc() = "The compiled loop. Private: use poise.StreamClassifier.";
    engine();  // a wrong POISE_CPU fails here, at import
    refused_type = PyErr_NewException("poise._core.RowRefused", PyExc_Exception, nullptr);
    m.attr("RowRefused") = nb::borrow(refused_type);
    m.def("build", [] { return engine().name; }, "Name of the build of the loop in use.");
    m.def(
        "builds",
        [] {
            std::vector<std::string> names;
            for (const Engine* one : offered()) names.emplace_back(one->name);
            return names;
        },
        "Names of the builds that this machine can run, the fastest first.");
    m.def(
        "proportions",
        [](nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> scores) {
            engine().proportions(scores.data(), scores.shape(0), scores.shape(1));
        },
        "scores"_a.noconvert(), "In place: softmax of each row, or the sigmoid of a single column.");
    m.def("encode_i64", &encode<int64_t>, "y"_a.noconvert(), "table"_a.noconvert(), "codes"_a.noconvert());
    m.def("encode_f64", &encode<double>, "y"_a.noconvert(), "table"_a.noconvert(), "codes"_a.noconvert());
    m.def("murmur3", [](nb::bytes key) { return murmur3(key.c_str(), key.size()); }, "key"_a, "MurmurHash3 x86-32 with seed 0.");
    nb::class_<Core>(m, "Core")
        .def(nb::init<const nb::dict&, const std::string&, bool, bool>(), "settings"_a, "scaling"_a, "each"_a, "open"_a)
        .def("learn", &Core::learn, "X"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.none(), "positive"_a, "flip"_a,
             "many"_a, "scored"_a)
        .def("learn_csr", &Core::learn_csr, "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a,
             "labels"_a.noconvert(), "weights"_a.none(), "positive"_a, "flip"_a, "many"_a, "scored"_a)
        .def("score", &Core::score, "X"_a.noconvert())
        .def("score_csr", &Core::score_csr, "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a)
        .def("learn_one", &Core::learn_one)
        .def("score_one", &Core::score_one)
        .def("learn_named", &Core::learn_named)
        .def("score_named", &Core::score_named)
        .def("entries", &Core::entries)
        .def("widen", &Core::widen)
        .def("add_columns", &Core::add_columns)
        .def("narrow", &Core::narrow)
        .def("declare", &Core::declare)
        .def("count_each", &Core::count_each)
        .def("hash_onto", &Core::hash_onto)
        .def("state", &Core::state)
        .def("restore", &Core::restore)
        .def_prop_ro("width", &Core::width)
        .def_prop_ro("classes", &Core::classes)
        .def_prop_ro("each", &Core::each)
        .def_prop_ro("rows", &Core::rows);
}
