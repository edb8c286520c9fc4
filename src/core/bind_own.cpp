#include "bind_own.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "engine.hpp"

namespace poise {
namespace {

using namespace nb::literals;
using Array = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

// The row, the ledger and the draws as Python sees them; filled anew for every call.
struct RowView {
    RowFacts facts;
};
struct LedgerView {
    std::vector<ClassFacts> classes;
    double top_share = 0.0, least_share = 0.0;
};
struct DrawsView {
    uint64_t state = 0;
};

constexpr const char* kNames[] = {"weigh", "repeats", "margin"};

class OwnMethod {
  public:
    explicit OwnMethod(const nb::dict& functions) {
        parameters_ = functions["parameters"];
        if (functions.contains("numbers")) numbers_ = nb::cast<std::vector<double>>(functions["numbers"]);
        for (size_t k = 0; k < 3; ++k) {
            if (!functions.contains(kNames[k])) continue;
            nb::object given = functions[kNames[k]];
            if (nb::isinstance<nb::int_>(given))
                compiled_[k] = reinterpret_cast<Compiled>(nb::cast<uintptr_t>(given));
            else
                called_[k] = given;
        }
        if (functions.contains("synthetic")) synthetic_ = functions["synthetic"];
        row_ = nb::cast(RowView{});
        ledger_ = nb::cast(LedgerView{});
        draws_ = nb::cast(DrawsView{});
        const size_t memo = nb::cast<size_t>(functions["memo"]);
        memo_values_ = new double[memo ? memo : 1]();
        nb::capsule owner(memo_values_, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        memo_ = nb::cast(Array(memo_values_, {memo}, owner));
    }

    Own own(bool sees_row, bool sees_loss) {
        const bool weighs_only =
            compiled_[0] && !compiled_[1] && !compiled_[2] && !called_[1].is_valid() && !called_[2].is_valid();
        return {this,
                decide,
                synthetic_.is_valid() ? make : nullptr,
                made,
                weighs_only ? compiled_[0] : nullptr,
                numbers_.data(),
                sees_row,
                sees_loss};
    }

    nb::object failure;  // what Python raised

    // Python objects it holds, for the collector of cycles: a function may know the model that calls it.
    int traverse(visitproc visit, void* arg) const {
        for (const nb::object* held : {&called_[0], &called_[1], &called_[2], &synthetic_, &parameters_, &failure})
            Py_VISIT(held->ptr());
        return 0;
    }
    void let_go() {
        for (nb::object* held : {&called_[0], &called_[1], &called_[2], &synthetic_, &parameters_, &failure}) held->reset();
    }

  private:
    double ask(size_t k, const Question& q) {
        if (compiled_[k])
            return compiled_[k](&q.row, q.classes, q.count, q.top_share, q.least_share, q.memo, q.memo_size, numbers_.data(),
                                q.random, q.row.x, q.row.width);
        nb::object told = call(called_[k], q);
        return PyFloat_CheckExact(told.ptr()) ? PyFloat_AS_DOUBLE(told.ptr()) : nb::cast<double>(nb::float_(told));
    }
    nb::object call(const nb::object& function, const Question& q) {
        nb::inst_ptr<RowView>(row_)->facts = q.row;
        LedgerView& ledger = *nb::inst_ptr<LedgerView>(ledger_);
        ledger.classes.assign(q.classes, q.classes + q.count);
        ledger.top_share = q.top_share;
        ledger.least_share = q.least_share;
        uint64_t& random = nb::inst_ptr<DrawsView>(draws_)->state;
        random = *q.random;
        std::copy_n(q.memo, q.memo_size, memo_values_);
        PyObject* given[] = {nullptr, row_.ptr(), ledger_.ptr(), memo_.ptr(), parameters_.ptr(), draws_.ptr()};
        PyObject* told = PyObject_Vectorcall(function.ptr(), given + 1, 5 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
        std::copy_n(memo_values_, q.memo_size, q.memo);
        *q.random = random;
        if (!told) throw nb::python_error();
        return nb::steal(told);
    }
    template <class Use>
    bool attempt(Use use) {
        try {
            use();
            return true;
        } catch (nb::python_error& error) {
            failure = nb::borrow(error.value());
        } catch (const nb::builtin_exception& error) {
            failure = nb::handle(PyExc_TypeError)(error.what());
        } catch (const std::exception& error) {
            failure = nb::handle(PyExc_TypeError)(error.what());
        }
        return false;
    }
    // What a row is made of is gone when it was learned, though somebody may have kept the view of it.
    void forget_row() { nb::inst_ptr<RowView>(row_)->facts.x = nullptr; }

    static bool decide(void* context, const Question& question, Answer& answer) {
        OwnMethod& own = *static_cast<OwnMethod*>(context);
        double* answers[] = {&answer.weight, &answer.repeats, &answer.margin};
        bool calls = false;
        for (size_t k = 0; k < 3; ++k) {
            if (own.compiled_[k]) *answers[k] = own.ask(k, question);
            calls |= own.called_[k].is_valid();
        }
        if (!calls) return true;
        const bool done = own.attempt([&] {
            for (size_t k = 0; k < 3; ++k)
                if (own.called_[k].is_valid()) *answers[k] = own.ask(k, question);
        });
        own.forget_row();
        return done;
    }
    static int64_t make(void* context, const Question& question) {
        OwnMethod& own = *static_cast<OwnMethod*>(context);
        own.rows_.clear();
        const bool done = own.attempt([&] {
            nb::object given = own.call(own.synthetic_, question);
            for (nb::handle row : nb::iter(given)) {  // a generator runs only now, so the row stays until then
                std::vector<double> values = nb::cast<std::vector<double>>(nb::list(row));
                if (values.size() != static_cast<size_t>(question.row.width))
                    throw nb::value_error("a synthetic row must have as many numbers as row.x");
                own.rows_.push_back(std::move(values));
                if (own.rows_.size() > kMostSynthetic) break;
            }
        });
        own.forget_row();
        return done ? static_cast<int64_t>(own.rows_.size()) : -1;
    }
    static const double* made(void* context, int64_t index) {
        return static_cast<OwnMethod*>(context)->rows_[static_cast<size_t>(index)].data();
    }

    Compiled compiled_[3] = {};
    nb::object called_[3], synthetic_, parameters_, row_, ledger_, draws_, memo_;
    std::vector<double> numbers_;
    double* memo_values_ = nullptr;  // of memo_, which owns them
    std::vector<std::vector<double>> rows_;
};

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<OwnMethod>(self)->traverse(visit, arg) : 0;
}
int clear(PyObject* self) {
    nb::inst_ptr<OwnMethod>(self)->let_go();
    return 0;
}
PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

nb::object own_method(const nb::dict& functions, Own& own) {
    nb::object kept = nb::cast(new OwnMethod(functions), nb::rv_policy::take_ownership);
    own = nb::inst_ptr<OwnMethod>(kept)->own(nb::cast<bool>(functions["sees_row"]), nb::cast<bool>(functions["sees_loss"]));
    return kept;
}

void throw_failure(const Own& own) {
    nb::object failure = std::move(static_cast<OwnMethod*>(own.context)->failure);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failure.ptr())), failure.ptr());
    throw nb::python_error();
}

void bind_own(nb::module_& module) {
    nb::class_<OwnMethod>(module, "OwnMethod", nb::type_slots(kSlots));
    const auto fact = [](auto field) { return [field](const RowView& view) { return view.facts.*field; }; };
    nb::class_<RowView>(module, "Row")
        .def_prop_ro("y", fact(&RowFacts::y))
        .def_prop_ro("positive", fact(&RowFacts::positive))
        .def_prop_ro("right", fact(&RowFacts::right))
        .def_prop_ro("t", fact(&RowFacts::t))
        .def_prop_ro("member", fact(&RowFacts::member))
        .def_prop_ro("score", fact(&RowFacts::score))
        .def_prop_ro("margin", fact(&RowFacts::margin))
        .def_prop_ro("loss", fact(&RowFacts::loss))
        .def_prop_ro("slope", fact(&RowFacts::slope))
        .def_prop_ro("x", [](const RowView& view) -> nb::object {
            if (!view.facts.x) throw nb::value_error("row.x is there only while the row is learned; keep a copy of it");
            const size_t width = static_cast<size_t>(view.facts.width);
            double* copy = new double[width ? width : 1];
            std::copy_n(view.facts.x, width, copy);
            nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
            return nb::cast(Array(copy, {width}, owner));
        });
    nb::class_<ClassFacts>(module, "ClassFacts")
        .def_ro("seen", &ClassFacts::seen)
        .def_ro("share", &ClassFacts::share)
        .def_ro("pulled", &ClassFacts::pulled)
        .def_ro("travelled", &ClassFacts::travelled);
    nb::class_<LedgerView>(module, "OwnLedger")
        .def("__len__", [](const LedgerView& ledger) { return ledger.classes.size(); })
        .def("__getitem__",
             [](const LedgerView& ledger, int64_t index) {
                 if (index < 0 || static_cast<size_t>(index) >= ledger.classes.size()) throw nb::index_error();
                 return ledger.classes[static_cast<size_t>(index)];
             })
        .def_ro("top_share", &LedgerView::top_share)
        .def_ro("least_share", &LedgerView::least_share);
    nb::class_<DrawsView>(module, "Draws")
        .def("uniform", [](DrawsView& draws) { return engine().draw_uniform(draws.state); })
        .def("poisson", [](DrawsView& draws, double rate) { return engine().draw_poisson(draws.state, rate); }, "rate"_a);
}

}  // namespace poise
