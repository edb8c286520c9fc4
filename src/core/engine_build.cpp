// One build of the loop. Compiled once per instruction set, each time into a namespace of its own (POISE_ISA).
#include "loop.hpp"

namespace poise::POISE_ISA {
namespace {

bool entry_by_entry(const State& state) {
    return state.columns.each || state.columns.scaling == Scaling::scale || state.columns.kind || state.set.skip_missing;
}

template <class T, class Use>
Stop with_dense(const State& state, const Block& block, Use use) {
    const DenseRows<T> rows{block};
    if (entry_by_entry(state)) return use(Listed<DenseRows<T>>{rows});
    return state.columns.scaling == Scaling::center ? use(Centered<DenseRows<T>, T>{rows}) : use(PlainDense<T>{rows});
}

template <class I, class Use>
Stop with_sparse(const State& state, const Block& block, Use use) {
    const CsrRows<I> rows{block};
    if (entry_by_entry(state)) return use(Listed<CsrRows<I>>{rows});
    return state.columns.scaling == Scaling::center ? use(Centered<CsrRows<I>, double>{rows}) : use(PlainCsr<I>{rows});
}

// Calls use(source) with the source that fits the block's layout and the way its columns are scaled.
template <class Use>
Stop with_source(const State& state, const Block& block, Use use) {
    switch (block.layout) {
        case Layout::f64:
            return with_dense<double>(state, block, use);
        case Layout::f32:
            return with_dense<float>(state, block, use);
        case Layout::csr32:
            if constexpr (kWidest < 64) return with_sparse<int32_t>(state, block, use);
            break;
        case Layout::csr64:
            if constexpr (kWidest < 64) return with_sparse<int64_t>(state, block, use);
            break;
    }
    return {};
}

Way way_of(const State& state) {
    const bool weighs = state.set.method == Method::ogd || state.set.method == Method::hgd || state.set.method == Method::ohgd;
    const bool ensemble = state.members > 1 || is_bagging(state.set.method) || is_boosting(state.set.method);
    if (state.set.learning != Learning::linear || ensemble) return Way::team;
    if (weighs) return state.span == 1 ? Way::two : Way::many;
    return state.span == 1 ? Way::single : Way::team;
}

// Calls use(constant of the way).
template <class Use>
Stop with_way(const State& state, Use use) {
    switch (way_of(state)) {
        case Way::two:
            return use(std::integral_constant<Way, Way::two>{});
        case Way::many:
            return use(std::integral_constant<Way, Way::many>{});
        case Way::single:
            return use(std::integral_constant<Way, Way::single>{});
        default:
            return use(std::integral_constant<Way, Way::team>{});
    }
}

Stop learn(State& state, const Block& block, size_t begin, size_t end, size_t scored, double* scores, size_t many) {
    return with_source(state, block, [&](const auto& source) {
        return with_way(state, [&](auto way) {
            return scores && state.shadow ? learn_rows<way.value, true>(state, source, block, begin, end, scored, scores, many)
                                          : learn_rows<way.value, false>(state, source, block, begin, end, scored, scores, many);
        });
    });
}

Stop score(const State& state, const Block& block, size_t begin, size_t end, double* scores, size_t many) {
    return with_source(state, block, [&](const auto& source) {
        return with_way(state, [&](auto way) { return score_rows<way.value>(state, source, begin, end, scores, many); });
    });
}

double draw_uniform(uint64_t& state) { return uniform(state); }
double draw_poisson(uint64_t& state, double rate) { return poisson(state, rate); }

void draw_waves(const Settings& set, size_t first, size_t last, size_t stride, double* table, double* phases) {
    for (size_t j = first; j < last; ++j) draw_column(set.wave_seed, j, set.features, table + j * stride);
    draw_phases(set.wave_seed, set.features, phases);
}

void proportions(double* scores, size_t rows, size_t columns) {
    if (columns == 1) {
        for (size_t i = 0; i < rows; ++i) scores[i] = pull_of_margin(Loss::logistic, -scores[i]);
        return;
    }
    for (size_t i = 0; i < rows; ++i) softmax(scores + i * columns, columns, scores + i * columns);
}

// A stretch at a time, without a branch that a rare label would mislead.
size_t tell_apart(const int64_t* label, size_t rows, int64_t first, int64_t second, int32_t* code) {
    constexpr size_t stretch = 64;
    for (size_t done = 0;; done += stretch) {
        if (done + stretch > rows) return done;
        int64_t strange = 0;
        for (size_t i = done; i < done + stretch; ++i) {
            strange |= (label[i] != first) & (label[i] != second);
            code[i] = label[i] == second;
        }
        if (strange) return done;
    }
}

}  // namespace

extern const Engine built;
const Engine built{POISE_ISA_NAME, learn, score, proportions, tell_apart, draw_uniform, draw_poisson, draw_waves};

}  // namespace poise::POISE_ISA
