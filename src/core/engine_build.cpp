// One build of the loop. Compiled once per instruction set, each time into a namespace of its own (POISE_ISA).
#include "loop.hpp"

namespace poise::POISE_ISA {
namespace {

bool entry_by_entry(const State& state) {
    return state.columns.each || state.columns.scaling == Scaling::scale || state.columns.kind || state.set.skip_missing;
}

// Calls use(source) with the source that fits the block's layout and the way its columns are scaled.
template <class Use>
Stop with_source(const State& state, const Block& block, Use use) {
    const bool listed = entry_by_entry(state), centered = !listed && state.columns.scaling == Scaling::center;
    switch (block.layout) {
        case Layout::f64: {
            const DenseRows<double> rows{block};
            if (listed) return use(Listed<DenseRows<double>>{rows});
            return centered ? use(Centered<DenseRows<double>, double>{rows}) : use(PlainDense<double>{rows});
        }
        case Layout::f32: {
            const DenseRows<float> rows{block};
            if (listed) return use(Listed<DenseRows<float>>{rows});
            return centered ? use(Centered<DenseRows<float>, float>{rows}) : use(PlainDense<float>{rows});
        }
        case Layout::csr32: {
            const CsrRows<int32_t> rows{block};
            if (listed) return use(Listed<CsrRows<int32_t>>{rows});
            return centered ? use(Centered<CsrRows<int32_t>, double>{rows}) : use(PlainCsr<int32_t>{rows});
        }
        case Layout::csr64: {
            const CsrRows<int64_t> rows{block};
            if (listed) return use(Listed<CsrRows<int64_t>>{rows});
            return centered ? use(Centered<CsrRows<int64_t>, double>{rows}) : use(PlainCsr<int64_t>{rows});
        }
    }
    return {};
}

Stop learn(State& state, const Block& block, size_t begin, size_t end, size_t scored, double* scores, size_t many) {
    return with_source(state, block, [&](const auto& source) {
        const bool with_shadow = scores && state.shadow;
        if (state.outputs == 1)
            return with_shadow ? learn_rows<true, true>(state, source, block, begin, end, scored, scores, many)
                               : learn_rows<true, false>(state, source, block, begin, end, scored, scores, many);
        return with_shadow ? learn_rows<false, true>(state, source, block, begin, end, scored, scores, many)
                           : learn_rows<false, false>(state, source, block, begin, end, scored, scores, many);
    });
}

Stop score(const State& state, const Block& block, size_t begin, size_t end, double* scores, size_t many) {
    return with_source(state, block, [&](const auto& source) {
        return state.outputs == 1 ? score_rows<true>(state, source, begin, end, scores, many)
                                  : score_rows<false>(state, source, begin, end, scores, many);
    });
}

void proportions(double* scores, size_t rows, size_t columns) {
    if (columns == 1) {
        for (size_t i = 0; i < rows; ++i) scores[i] = pull_of_margin(Loss::logistic, -scores[i]);
        return;
    }
    for (size_t i = 0; i < rows; ++i) softmax(scores + i * columns, columns, scores + i * columns);
}

}  // namespace

extern const Engine built;
const Engine built{POISE_ISA_NAME, learn, score, proportions};

}  // namespace poise::POISE_ISA
