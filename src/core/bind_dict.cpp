#include "bind_dict.hpp"

#include <string>

#include "hash.hpp"

namespace poise {
namespace {

// The number a value stands for; None is a missing one.
bool number(PyObject* value, double& out) {
    if (PyFloat_CheckExact(value)) {
        out = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (value == Py_None) {
        out = Py_NAN;
        return true;
    }
    out = PyFloat_AsDouble(value);
    if (out == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}

bool as_text(PyObject* key, std::string& out) {
    PyObject* text = PyUnicode_Check(key) ? Py_NewRef(key) : PyObject_Str(key);
    if (!text) return false;
    Py_ssize_t length = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes) out.assign(bytes, static_cast<size_t>(length));
    Py_DECREF(text);
    return bytes != nullptr;
}

}  // namespace

Reading NamedRow::read(PyObject* dict, const Names& names, bool skip_unknown) {
    column.clear();
    value.clear();
    culprit = nullptr;
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    std::string name;
    while (PyDict_Next(dict, &position, &key, &item)) {
        double x = 1.0;
        const bool text = PyUnicode_Check(item);
        if (!text && !number(item, x)) {
            culprit = key;
            return Reading::bad_value;
        }
        if (names.hashed) {
            if (!as_text(key, name)) return Reading::failed;
            if (text) {
                std::string category;
                if (!as_text(item, category)) return Reading::failed;
                name += '=';
                name += category;
            }
            const Hashed at = hashed_column(name.data(), name.size(), names.hashed);
            if (x == 0.0) continue;
            column.push_back(static_cast<int64_t>(at.column));
            value.push_back(x * at.sign);
            continue;
        }
        PyObject* found = PyDict_GetItemWithError(text ? names.texts : names.numbers, key);
        if (found && text) found = PyDict_GetItemWithError(found, item);
        if (!found) {
            if (PyErr_Occurred()) return Reading::failed;
            if (skip_unknown) continue;
            return Reading::unknown_name;
        }
        column.push_back(PyLong_AsLongLong(found));
        value.push_back(x);
    }
    sort();
    return Reading::done;
}

// Rows are short and mostly in order already: insertion; hashed names that meet in one column are added up.
void NamedRow::sort() {
    const size_t n = column.size();
    bool rising = true;
    for (size_t i = 1; i < n; ++i) rising = rising && column[i - 1] < column[i];
    if (rising) return;
    std::vector<std::pair<int64_t, double>> entries(n);
    for (size_t i = 0; i < n; ++i) entries[i] = {column[i], value[i]};
    for (size_t i = 1; i < n; ++i)
        for (size_t j = i; j > 0 && entries[j].first < entries[j - 1].first; --j) std::swap(entries[j], entries[j - 1]);
    column.clear();
    value.clear();
    for (const auto& [at, x] : entries) {
        if (!column.empty() && column.back() == at) {
            value.back() += x;
            continue;
        }
        column.push_back(at);
        value.push_back(x);
    }
}

}  // namespace poise
