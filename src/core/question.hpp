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
// How to ask it: false where it failed. `make` says how many synthetic rows it has, `made` gives one, null where it failed.
struct Own {
    void* context = nullptr;
    bool (*decide)(void* context, const Question&, Answer&) = nullptr;
    int64_t (*make)(void* context, const Question&) = nullptr;
    const double* (*made)(void* context, int64_t index) = nullptr;
    bool sees_row = false;
};

}  // namespace poise
