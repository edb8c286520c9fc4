// What a model is made of, as plain records and pointers. model.cpp owns the memory; the loop, which is compiled once per
// instruction set, only ever sees these, so no standard library code is shared between the two builds.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poise {

enum class Loss : uint8_t { perceptron, hinge, logistic, softmax };
enum class Scaling : uint8_t { none, center, scale };
enum class Schedule : uint8_t { constant, sqrt, invscaling };
enum class Method : uint8_t { ogd, hgd, ohgd };
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
};

// The numbers beside the arrays that learning moves.
struct Tally {
    uint64_t rows = 0;                                // learned
    uint64_t entries = 0;                             // active features of all learned rows, for rows of named or hashed features
    uint64_t compared = 0;                            // rows that entered the sums of gradient imbalance
    double blend = 1.0;                               // average = weights + blend * shadow
    double worst_ratio = 1.0;                         // running largest max N / min N
    double phantom_share = 0.5;                       // share of the second class while only one was seen
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

struct State {
    Settings set;
    Columns columns;
    Tally* tally;
    Account* account;
    size_t classes;            // known
    size_t outputs;            // 1 for two classes, else one per class
    size_t stride;             // between the weights of two outputs
    size_t positive;           // internal index (0 or 1) of the positive of the first two classes
    double *weights, *shadow;  // shadow: null without averaging
    double *intercept, *shadow_intercept;
    double *staged, *staged_raw;  // one scaled row, padded, and what it was before
    int64_t* staged_column;
    double *slope, *scored;  // per output
    double* before;          // weights before a step, with a radius
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

enum class Rule : uint8_t { none, missing, infinite, norm, far, column_range, column_order, new_class };

// Why and where the loop stopped: at `row`, which was not learned.
struct Stop {
    Rule rule = Rule::none;
    size_t row = 0;
    int64_t column = -1;
};

// No step is longer; 2^63 of them stay below 1e99, and with squared row norms below 1.8e308 every score stays finite.
constexpr double kFarthest = 1e80;
constexpr double kFaintest = 1e-50;     // below this the average is folded into the weights' shadow
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
};

}  // namespace poise
