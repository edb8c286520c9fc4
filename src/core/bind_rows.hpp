// Rows that Python hands over, as blocks: arrays, CSR matrices, a single 1-D array; and an array for their scores.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "state.hpp"

namespace nb = nanobind;

namespace poise {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline Block dense_block(const AnyArray& X) {
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

inline Block csr_block(const AnyArray& starts, const AnyArray& columns, const Weights& values, size_t width) {
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

inline nb::object new_scores(size_t rows, size_t columns, double*& data) {
    const size_t n = rows * (columns ? columns : 1);
    data = new double[n ? n : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const size_t shape[2] = {rows, columns};
    return nb::cast(nb::ndarray<nb::numpy, double>(data, columns ? 2 : 1, shape, owner));
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

}  // namespace poise
