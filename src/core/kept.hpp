// Rows that are kept: support vectors of the kernel learner and the neighbours of OSMOTE. Eight lie side by side, so that a new
// row is compared with eight at once, column by column: zeros of a sparse row change no bit.
#pragma once
#include "learner.hpp"

namespace poise::POISE_ISA {

constexpr size_t kNoRow = ~size_t{0};

POISE_INLINE double* block_of(const Shelf& shelf, size_t row) { return shelf.rows + (row >> 3) * shelf.stride * 8; }

POISE_INLINE double value_of(const Shelf& shelf, size_t row, size_t column) {
    return block_of(shelf, row)[column * 8 + (row & 7)];
}

// The place where a row born earliest lies, among those with this label (any: -1).
POISE_INLINE size_t oldest(const Shelf& shelf, int32_t label) {
    size_t found = kNoRow;
    for (size_t i = 0; i < *shelf.count; ++i) {
        if (label >= 0 && shelf.label[i] != label) continue;
        if (found == kNoRow || shelf.born[i] < shelf.born[found]) found = i;
    }
    return found;
}

// Puts a row into a place and writes its number there.
template <class Row>
POISE_INLINE void put_row(Shelf& shelf, size_t place, const Prepared<Row>& x, int32_t label) {
    double* to = block_of(shelf, place) + (place & 7);
    for (size_t j = 0; j < shelf.stride; ++j) to[j * 8] = 0.0;
    double squares = 0.0;
    for_entries(x.row, x.factor, [&](size_t j, double value) POISE_ALWAYS {
        to[j * 8] = value;
        squares += value * value;
    });
    shelf.square[place] = squares;  // as whoever reads the row from a file will add it up
    shelf.born[place] = (*shelf.births)++;
    shelf.label[place] = label;
    if (place == *shelf.count) *shelf.count += 1;
}

// Calls visit(number of the eight, their squared distances to a row) for the kept rows, four eights at a time.
template <class Visit>
POISE_INLINE void for_distances(const Shelf& shelf, const double* row, size_t width, Visit visit) {
    const size_t blocks = (*shelf.count + 7) / 8, step = shelf.stride * 8;
    size_t b = 0;
    for (; b + 4 <= blocks; b += 4) {
        const double* at = shelf.rows + b * step;
        Octo sums[4] = {spread(0.0), spread(0.0), spread(0.0), spread(0.0)};
        for (size_t j = 0; j < width; ++j) {
            const Octo x = spread(row[j]);
            for (size_t k = 0; k < 4; ++k) {
                const Octo off = x - load(at + k * step + j * 8);
                sums[k] = sums[k] + off * off;
            }
        }
        for (size_t k = 0; k < 4; ++k) visit(b + k, sums[k]);
    }
    for (; b < blocks; ++b) {
        const double* at = shelf.rows + b * step;
        Octo sum = spread(0.0);
        for (size_t j = 0; j < width; ++j) {
            const Octo off = spread(row[j]) - load(at + j * 8);
            sum = sum + off * off;
        }
        visit(b, sum);
    }
}

// Calls visit(number of the eight, their products with a row) for the kept rows; four eights at a time hide the latency of
// additions.
template <class Row, class Visit>
POISE_INLINE void for_products(const Shelf& shelf, const Prepared<Row>& x, Visit visit) {
    const size_t blocks = (*shelf.count + 7) / 8, step = shelf.stride * 8;
    size_t b = 0;
    for (; b + 4 <= blocks; b += 4) {
        const double* at = shelf.rows + b * step;
        Octo first = spread(0.0), second = first, third = first, fourth = first;
        for_entries(x.row, x.factor, [&](size_t j, double value) POISE_ALWAYS {
            const Octo all = spread(value);
            first = first + all * load(at + j * 8);
            second = second + all * load(at + step + j * 8);
            third = third + all * load(at + 2 * step + j * 8);
            fourth = fourth + all * load(at + 3 * step + j * 8);
        });
        visit(b, first);
        visit(b + 1, second);
        visit(b + 2, third);
        visit(b + 3, fourth);
    }
    for (; b < blocks; ++b) {
        const double* at = shelf.rows + b * step;
        Octo sum = spread(0.0);
        for_entries(x.row, x.factor, [&](size_t j, double value) POISE_ALWAYS { sum = sum + spread(value) * load(at + j * 8); });
        visit(b, sum);
    }
}

}  // namespace poise::POISE_ISA
