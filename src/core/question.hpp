// How a user's own method is asked, as plain records.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poise {

// What a user's own method is told of a row and of the classes, before the row is learned.
struct RowFacts {
    int64_t y, positive, right, t, member;  // class number; whether it is the positive one, and the one the member names
    double score, margin, loss, slope;
    const double* x;  // as the learner sees it, or null
    int64_t width;
};
struct ClassFacts {
    double seen, share, pulled, travelled;
};
struct Question {
    RowFacts row;
    const ClassFacts* classes;
    int64_t count;
    double top_share, least_share;
    double* memo;
    int64_t memo_size;
    uint64_t* random;
};
struct Answer {
    double weight = 1.0, repeats = 1.0, margin = 1.0;
};
// What a compiled function takes; the layout is known to the Python file that makes them.
using Compiled = double (*)(const RowFacts*, const ClassFacts*, int64_t classes, double top_share, double least_share,
                            double* memo, int64_t memo_size, const double* parameters, uint64_t* random, const double* x,
                            int64_t width);
// How to ask it: false where it failed. `make` says how many synthetic rows it has, `made` gives one, null where it failed.
struct Own {
    void* context = nullptr;
    bool (*decide)(void* context, const Question&, Answer&) = nullptr;
    int64_t (*make)(void* context, const Question&) = nullptr;
    const double* (*made)(void* context, int64_t index) = nullptr;
    Compiled weigh_only = nullptr;  // where all there is to ask is a compiled weight, it is asked directly
    const double* numbers = nullptr;
    bool sees_row = false, sees_loss = false;  // else x, and loss and slope, are not worked out
};

}  // namespace poise
