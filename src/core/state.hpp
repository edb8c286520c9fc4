// What a model is made of, as plain records and pointers. model.cpp owns the memory; the loop, which is compiled once per
// instruction set, only ever sees these, so no standard library code is shared between the two builds.
#pragma once
#include <cstddef>
#include <cstdint>

#include "question.hpp"

namespace poise {

enum class Loss : uint8_t { perceptron, hinge, logistic, softmax };
enum class Scaling : uint8_t { none, center, scale };
enum class Schedule : uint8_t { constant, sqrt, invscaling };
enum class Learning : uint8_t { linear, kernel, fourier };
enum class KernelKind : uint8_t { rbf, poly, linear };
// Families in this order: one weight, repeats, dual averaging, bagging (from ob), boosting (from oadab), a user's own.
enum class Method : uint8_t {
    ogd,
    hgd,
    ohgd,
    csogd,
    oor,
    our,
    ohr,
    osmote,
    csrda,
    ob,
    okb,
    oob,
    oub,
    owob,
    owub,
    ouob,
    oeb,
    weob,
    oadab,
    oadac2,
    ocsb2,
    orusb,
    own
};
enum class Coin : uint8_t { fair, root, literal, shares };  // how OHR uses its two rates
enum class Clamp : uint8_t { none, value, assumption4 };
enum class ManyClasses : uint8_t { complement, inverse, printed };

struct Settings {
    Loss loss = Loss::logistic;
    Method method = Method::hgd;
    Clamp clamp = Clamp::value;
    ManyClasses many_classes = ManyClasses::complement;
    Schedule schedule = Schedule::constant;
    bool intercept = true;
    bool average = true;
    bool unit_rows = false;
    bool skip_missing = false;  // NaN means "not there"
    bool squared_pull = false;
    double eta0 = 0.3;
    double power = 0.5;
    double slowest_average = 0.002;
    double largest_weight = 100.0;
    double memory = 0.0;  // 0: plain counts
    double radius = 0.0;  // 0: no ball

    Learning learning = Learning::linear;
    bool together = false;        // all members step on the loss of the ensemble, and votes are those of the paper reading
    bool repeats_weigh = false;   // k repeats are one step of weight k
    bool minority_rates = false;  // rates of 2013: one over a share, for a minority that stays the same
    bool plain_votes = false;     // every member has one vote
    bool plain_rates = false;     // rates do not look at what a member got wrong
    bool by_counts = false;       // costs are times negatives per positive
    bool one_synthetic = false;   // at most one synthetic row, toward a random neighbour
    bool margin_cost = false;     // the cost is a wider margin, not a weight
    bool squared_loss = false;    // half the squared loss
    bool frequency_cost = false;  // the cost is one over the class's frequency
    Coin coin = Coin::fair;
    uint64_t form = 1;  // of ORUSB: fixed class ratio, weight ratio or rate; of WEOB: both halves or the better
    uint64_t members = 1;
    double ir = 0.0;     // negatives per positive of the whole stream; 0: running
    double decay = 0.9;  // of class shares, recalls, or the table of kappa
    double positive_cost = 1.0, negative_cost = 1.0;
    double kept = 0.7;                       // negatives kept per positive
    double threshold = 0.0, strength = 1.0;  // dual averaging: L1 and gamma
    uint64_t neighbors = 3;
    uint64_t buffer = 100;  // rows per class; 0: no limit

    KernelKind kernel = KernelKind::rbf;
    bool drops_smallest = false;
    double gamma = 0.0;  // 0: by the width
    double degree = 3.0, coef0 = 1.0;
    uint64_t budget = 0;    // support vectors; 0: no limit
    uint64_t features = 0;  // random waves
    uint64_t memo = 0;      // numbers that a user's own method keeps
    uint64_t seed = 0, wave_seed = 0;
};

constexpr bool is_bagging(Method method) { return method >= Method::ob && method <= Method::weob; }
constexpr bool is_boosting(Method method) { return method >= Method::oadab && method <= Method::orusb; }

// The numbers beside the arrays that learning moves.
struct Tally {
    uint64_t rows = 0;                                // learned
    uint64_t entries = 0;                             // active features of all learned rows, for rows of named or hashed features
    uint64_t compared = 0;                            // rows that entered the sums of gradient imbalance
    double blend = 1.0;                               // average = weights + blend * shadow
    double worst_ratio = 1.0;                         // running largest max N / min N
    double phantom_share = 0.5;                       // share of the second class while only one was seen
    uint64_t random = 0;                              // state of the generator
    double imbalance[8] = {}, log_imbalance[8] = {};  // sums of (GI - 1)^2 and of (ln GI)^2, row t in lane t % 8
};

// One class in the ledger.
struct Account {
    uint64_t seen = 0;
    double share = 0.0;      // decayed, kept only when the method has a memory
    double pulled = 0.0;     // what the method counts as this class's pull
    double travelled = 0.0;  // length of the steps really taken
};

// How the columns are scaled; `each` keeps one row count per column (names, missing values), else all columns share Tally::rows.
struct Columns {
    Scaling scaling;  // of all columns, unless `kind` says otherwise
    bool each;
    bool open;  // names or hashes: the width is the running mean of active features
    size_t width;
    double factor;        // what scaled rows are multiplied by, unless open: 1 / sqrt(width)
    double* mean;         // center: of all values; scale: of the non-zero ones
    double* spread;       // sum of squared deviations from that mean
    uint64_t* count;      // values that entered them (center: only with `each`)
    const uint8_t* kind;  // Scaling per column, or null
};

// Rows kept as they were when learned, eight side by side: of a block of eight, column j lies at rows + (block * stride + j) * 8.
struct Shelf {
    double* rows;
    double* square;  // of each row's length
    double* coef;    // of block b and output o: coef + (b * outputs + o) * 8
    uint64_t* born;  // numbered in order of arrival
    int32_t* label;
    size_t stride;
    size_t* count;
    uint64_t* births;
};

struct State {
    Settings set;
    Columns columns;
    Tally* tally;
    Account* account;
    size_t classes;            // known
    size_t outputs;            // 1 for two classes, else one per class
    size_t stride;             // between the weights of two outputs
    size_t positive;           // internal index (0 or 1) of the positive of the first two classes
    size_t positive_alone;     // the same while only one class is known
    double *weights, *shadow;  // shadow: null without averaging
    double *intercept, *shadow_intercept;
    double *staged, *staged_raw;  // one scaled row, padded, and what it was before
    int64_t* staged_column;
    double *slope, *scored;  // per output
    double* before;          // weights before a step, with a radius

    size_t members;
    size_t span;   // outputs of a member
    double* sums;  // what is remembered of members (WEOB: of halves), or a user's memo: `slots` rows, `sum_width` wide
    size_t slots, sum_width;
    const int32_t* rank;                            // place of each class among the sorted labels
    double *shown, *moves, *votes, *rates, *joint;  // per output or member, of the row at hand
    double* kernel_sums;                            // eight lanes per output
    Shelf support, buffer;
    double *waves, *wave_weights, *wave_shadow;  // Fourier: features of the row at hand, their weights
    const double *wave_table, *wave_phase;       // table: null if columns are drawn again for every row
    double* wave_column;
    size_t wave_stride;                 // features, padded
    double *own_row, *synthetic;        // dense rows, padded
    double *chances, *largest_chances;  // of Poisson draws, kept from row to row
    const Own* own;
    ClassFacts* facts;  // per class
};

enum class Layout : uint8_t { f64, f32, csr32, csr64 };

// A block of rows in somebody else's memory.
struct Block {
    Layout layout = Layout::f64;
    size_t rows = 0, width = 0;
    size_t longest = 0;  // entries of the longest row
    const void* values = nullptr;
    ptrdiff_t row_step = 0, column_step = 0;  // in elements
    const void* end = nullptr;                // behind the last readable value
    const void* row_start = nullptr;          // CSR
    const void* column = nullptr;
    const int32_t* label = nullptr;  // internal class of each row
    const double* weight = nullptr;  // or null: all 1
    double* scratch = nullptr;       // one padded row
};

enum class Rule : uint8_t { none, missing, infinite, norm, far, column_range, column_order, new_class, own_value, own_failed };

// Why and where the loop stopped: at `row`, which was not learned.
struct Stop {
    Rule rule = Rule::none;
    size_t row = 0;
    int64_t column = -1;
};

// No step is longer; 2^63 of them stay below 1e99, and with squared row norms below 1.8e308 every score stays finite.
constexpr double kFarthest = 1e80;
constexpr double kFaintest = 1e-50;     // below this the average is folded into the weights' shadow
constexpr size_t kMostEvents = 256;     // whose chances are kept for the largest rate of boosting
constexpr size_t kChances = 8;          // kept for other rates, each with its rate
constexpr size_t kMostSynthetic = 64;   // rows that a user's own method may make of one
constexpr double kClip = 5.0;           // deviations
constexpr uint64_t kTrusted = 20;       // rows before the scaler's guard works
constexpr double kWidestValue = 1e140;  // what the scaler sees of anything larger, so that its sums stay finite

// The entry points of one build. `scores` may be null; rows before `scored` have their score already. With `many` a score is
// one number per known class at scores[row * many + class].
struct Engine {
    const char* name;
    Stop (*learn)(State&, const Block&, size_t begin, size_t end, size_t scored, double* scores, size_t many);
    Stop (*score)(const State&, const Block&, size_t begin, size_t end, double* scores, size_t many);
    void (*proportions)(double* scores, size_t rows, size_t columns);  // in place: softmax of a row, sigmoid of one column
    // Class numbers 0 and 1 of labels; returns how many rows it did before one of another label may come.
    size_t (*tell_apart)(const int64_t* label, size_t rows, int64_t first, int64_t second, int32_t* code);
    double (*draw_uniform)(uint64_t& state);
    double (*draw_poisson)(uint64_t& state, double rate);
    // Fourier's columns [first, last) of W, each `stride` apart, and all phases.
    void (*draw_waves)(const Settings&, size_t first, size_t last, size_t stride, double* table, double* phases);
};

}  // namespace poise
