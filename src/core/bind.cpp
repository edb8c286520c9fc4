// The Python module: settings by name, rows in, scores out. Only the files named bind know Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "bind_dict.hpp"
#include "bind_own.hpp"
#include "bind_rows.hpp"
#include "bind_settings.hpp"
#include "bind_state.hpp"
#include "engine.hpp"
#include "hash.hpp"
#include "model.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace poise {
namespace {

PyObject* refused_type = nullptr;  // RowRefused(rule, row, column)

const char* name_of(Rule rule) {
    static constexpr const char* names[] = {"none",         "missing",      "infinite",  "norm",      "far",
                                            "column_range", "column_order", "new_class", "own_value", "own_failed"};
    return names[static_cast<size_t>(rule)];
}

[[noreturn]] void refuse(const Stop& stop) {
    PyObject* args =
        Py_BuildValue("(snL)", name_of(stop.rule), static_cast<Py_ssize_t>(stop.row), static_cast<long long>(stop.column));
    if (args) PyErr_SetObject(refused_type, args);
    Py_XDECREF(args);
    throw nb::python_error();
}

bool python_interrupts() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

class Core {
  public:
    Core(const nb::dict& settings, const std::string& scaling, bool each, bool open) : model_(settings_of(settings)) {
        model_.memory.scaling = scaling == "center" ? Scaling::center : scaling == "scale" ? Scaling::scale : Scaling::none;
        model_.memory.each = each;
        model_.memory.open = open;
    }

    nb::object learn(AnyArray X, Labels labels, nb::object weights, bool flip, size_t many, bool scored) {
        Block block = dense_block(X);
        return learn_block(block, labels, weights, {flip, many, scored});
    }
    nb::object learn_csr(AnyArray starts, AnyArray columns, Weights values, size_t width, Labels labels, nb::object weights,
                         bool flip, size_t many, bool scored) {
        Block block = csr_block(starts, columns, values, width);
        return learn_block(block, labels, weights, {flip, many, scored});
    }
    nb::object score(AnyArray X) const { return score_block(dense_block(X)); }
    nb::object score_csr(AnyArray starts, AnyArray columns, Weights values, size_t width) const {
        return score_block(csr_block(starts, columns, values, width));
    }

    // A single array row; None when it is no plain 1-D float array of the model's width.
    nb::object learn_one(nb::handle x, int32_t label, double weight, size_t many) {
        OneRow row(x);
        if (!row.good || row.block.width != model_.memory.width) return nb::none();
        return learn_row(row.block, label, weight, many);
    }
    nb::object score_one(nb::handle x) const {
        OneRow row(x);
        if (!row.good || row.block.width != model_.memory.width) return nb::none();
        return score_row(row.block);
    }
    // A single dict; None when it holds a name the vocabulary has not met.
    nb::object learn_named(nb::dict x, nb::dict numbers, nb::dict texts, int32_t label, double weight, size_t many) {
        if (!read(x, numbers, texts, false)) return nb::none();
        const int64_t starts[2] = {0, static_cast<int64_t>(named_.column.size())};
        return learn_row(named_block(starts), label, weight, many);
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
    void follow(const nb::dict& functions) {
        own_ = own_method(functions, model_.own_method);
        calls_back_ = nb::cast<bool>(functions["calls_back"]);
    }
    void sort_classes(const std::vector<int32_t>& rank, size_t positive, size_t positive_alone) {
        model_.rank = rank;
        model_.positive = positive;
        model_.positive_alone = positive_alone;
    }
    void count_each() {
        model_.count_each();
        model_.memory.open = true;
        model_.memory.tally.entries = model_.memory.tally.rows * model_.memory.width;
        if (model_.memory.kind.empty())
            model_.memory.kind.assign(model_.memory.width, static_cast<uint8_t>(model_.memory.scaling));
    }
    void hash_onto(size_t width) { hashed_ = width; }

    nb::dict state() const { return state_of(model_, hashed_); }
    void restore(const nb::dict& saved) {
        const std::vector<int32_t> rank = model_.rank;
        const size_t positive = model_.positive, alone = model_.positive_alone;
        const Own own = model_.own_method;
        std::tie(model_, hashed_) = model_of(model_.set, saved);
        model_.own_method = own;
        if (rank.size() >= model_.rank.size()) sort_classes(rank, positive, alone);
    }
    size_t width() const { return model_.memory.width; }
    size_t classes() const { return model_.memory.classes; }
    bool each() const { return model_.memory.each; }
    uint64_t rows() const { return model_.memory.tally.rows; }

    nb::object& own() { return own_; }

  private:
    struct Wish {
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
            std::optional<nb::gil_scoped_release> free_others;
            if (!calls_back_) free_others.emplace();
            finished = model_.learn(block, scores, wish.many, python_interrupts, stop);
            if (finished && stop.rule == Rule::none && scores && wish.flip && !wish.many) turn(block, known, scores);
        }
        if (!finished) throw nb::python_error();
        if (stop.rule != Rule::none) refuse_row(stop);
        return out;
    }
    [[noreturn]] void refuse_row(const Stop& stop) const {
        if (stop.rule == Rule::own_failed) throw_failure(model_.own_method);
        refuse(stop);
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
        bool finished = false;
        {
            nb::gil_scoped_release free_others;
            finished = model_.score(block, scores, many, python_interrupts, stop);
        }
        if (!finished) throw nb::python_error();
        if (stop.rule != Rule::none) refuse(stop);
        return out;
    }

    nb::object learn_row(Block block, int32_t label, double weight, size_t many) {
        block.label = &label;
        if (weight != 1.0) block.weight = &weight;
        double two = 0.0, *scores = &two;
        nb::object out;
        if (many) {
            out = new_scores(1, many, scores);
            std::fill_n(scores, many, std::numeric_limits<double>::quiet_NaN());
        }
        Stop stop;
        model_.learn(block, scores, many, [] { return false; }, stop);
        if (stop.rule != Rule::none) refuse_row(stop);
        return many ? out : nb::object(nb::float_(two));
    }
    nb::object score_row(const Block& block) const {
        if (model_.memory.classes > 2) return score_block(block);
        double score = 0.0;
        Stop stop;
        model_.score(block, &score, 0, [] { return false; }, stop);
        if (stop.rule != Rule::none) refuse(stop);
        return nb::float_(score);
    }

    Model model_;
    NamedRow named_;
    size_t hashed_ = 0;
    nb::object own_;  // keeps a user's own method alive
    bool calls_back_ = false;
};

// A model may hold a function that knows the model: the collector of cycles must see it.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Core>(self)->own().ptr());
    return 0;
}
PyType_Slot kSlots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {0, nullptr}};

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
    bind_own(m);
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
    nb::class_<Core>(m, "Core", nb::type_slots(kSlots))
        .def(nb::init<const nb::dict&, const std::string&, bool, bool>(), "settings"_a, "scaling"_a, "each"_a, "open"_a)
        .def("learn", &Core::learn, "X"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.none(), "flip"_a, "many"_a, "scored"_a)
        .def("learn_csr", &Core::learn_csr, "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a,
             "labels"_a.noconvert(), "weights"_a.none(), "flip"_a, "many"_a, "scored"_a)
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
        .def("follow", &Core::follow)
        .def("sort_classes", &Core::sort_classes)
        .def("count_each", &Core::count_each)
        .def("hash_onto", &Core::hash_onto)
        .def("state", &Core::state)
        .def("restore", &Core::restore)
        .def_prop_ro("width", &Core::width)
        .def_prop_ro("classes", &Core::classes)
        .def_prop_ro("each", &Core::each)
        .def_prop_ro("rows", &Core::rows);
}
