/* The plain C loops that mark the limit of speed: what one careful programmer writes by hand for
 * one case, with no checks, no labels to look up and no second learner. Every loop over columns is
 * left to the compiler's vectoriser. The file includes itself three times: for double data, for
 * float data with the weights and the arithmetic in double as poise has them (f32), and for float
 * data with everything but the ledger in float (f32_all: faster, and its sums are less exact). */
#ifndef REAL

#include <float.h>
#include <stdint.h>
#include <tgmath.h>

#define ETA 0.3
#define CLAMP 100.0
#define CLIP 5
#define GUARD_ROWS 20
#define AVERAGE_RATE 0.002
#define TINY_NORM 1e-14

typedef enum { HINGE, LOGISTIC } Loss;

/* Both start at 1 for both classes. */
typedef struct {
  double seen[2];
  double pulled[2];
} Ledger;

static inline double weigh(const Ledger* ledger, int c) {
  const double *n = ledger->seen, *s = ledger->pulled;
  const double most = n[0] > n[1] ? n[0] : n[1];
  return 2.0 * most * s[1 - c] / (n[c] * (s[0] + s[1]));
}

#define JOIN_(name, kind) name##_##kind
#define JOIN(name, kind) JOIN_(name, kind)
#define OF(name) JOIN(name, KIND)

#define DATA double
#define REAL double
#define KIND f64
#define REFOLD 1e-50
#define REAL_MAX DBL_MAX
#include "limit.c"
#undef DATA
#undef KIND
#define DATA float
#define KIND f32
#include "limit.c"
#undef REAL
#undef KIND
#undef REFOLD
#undef REAL_MAX

/* A float holds no 1e50, so the average is folded earlier. */
#define REAL float
#define KIND f32_all
#define REFOLD 1e-20
#define REAL_MAX FLT_MAX
#include "limit.c"

/* Sparse rows: double only. */
static inline void csr(int64_t rows, const int32_t* restrict start, const int32_t* restrict column,
                       const double* restrict value, const int32_t* restrict y, double* restrict w,
                       double* restrict scores, Loss loss) {
  Ledger ledger = {{1, 1}, {1, 1}};
  for (int64_t i = 0; i < rows; i++) {
    const int32_t from = start[i], to = start[i + 1];
    double dot = 0, squares = 0;
    for (int32_t k = from; k < to; k++) {
      dot += w[column[k]] * value[k];
      squares += value[k] * value[k];
    }
    const double norm = sqrt(squares);
    const double inverse = 1 / (norm > TINY_NORM ? norm : TINY_NORM);
    const double f = dot * inverse;
    scores[i] = f;
    const int c = y[i];
    const double sign = c ? 1 : -1;
    if (loss == LOGISTIC || sign * f < 1) {
      const double slope = loss == LOGISTIC ? 1 / (1 + exp(sign * f)) : 1;
      const double step = ETA * weigh(&ledger, c) * slope * inverse;
      const double move = sign * step;
      for (int32_t k = from; k < to; k++) w[column[k]] += move * value[k];
      ledger.pulled[c] += step * norm;
    }
    ledger.seen[c] += 1;
  }
}

void csr_hinge_f64(int64_t rows, const int32_t* start, const int32_t* column, const double* value,
                   const int32_t* y, double* w, double* scores) {
  csr(rows, start, column, value, y, w, scores, HINGE);
}

void csr_logistic_f64(int64_t rows, const int32_t* start, const int32_t* column,
                      const double* value, const int32_t* y, double* w, double* scores) {
  csr(rows, start, column, value, y, w, scores, LOGISTIC);
}

#else

/* The paper's setting: rows of length 1 (the length enters as a factor), no intercept or average.
 */
static inline void OF(plain)(int64_t rows, int64_t d, const DATA* restrict X,
                             const int32_t* restrict y, REAL* restrict w, double* restrict scores,
                             Loss loss) {
  Ledger ledger = {{1, 1}, {1, 1}};
  for (int64_t i = 0; i < rows; i++) {
    const DATA* restrict x = X + i * d;
    REAL dot = 0, squares = 0;
    for (int64_t j = 0; j < d; j++) {
      const REAL value = x[j];
      dot += w[j] * value;
      squares += value * value;
    }
    const REAL norm = sqrt(squares);
    const REAL inverse = 1 / (norm > (REAL)TINY_NORM ? norm : (REAL)TINY_NORM);
    const REAL f = dot * inverse;
    scores[i] = f;
    const int c = y[i];
    const REAL sign = c ? 1 : -1;
    if (loss == LOGISTIC || sign * f < 1) {
      const REAL slope = loss == LOGISTIC ? 1 / (1 + exp(sign * f)) : 1;
      const double step = ETA * weigh(&ledger, c) * slope * inverse;
      const REAL move = sign * (REAL)step;
      for (int64_t j = 0; j < d; j++) w[j] += move * x[j];
      ledger.pulled[c] += step * norm;
    }
    ledger.seen[c] += 1;
  }
}

void OF(plain_hinge)(int64_t rows, int64_t d, const DATA* X, const int32_t* y, REAL* w,
                     double* scores) {
  OF(plain)(rows, d, X, y, w, scores, HINGE);
}

void OF(plain_logistic)(int64_t rows, int64_t d, const DATA* X, const int32_t* y, REAL* w,
                        double* scores) {
  OF(plain)(rows, d, X, y, w, scores, LOGISTIC);
}

/* What pass one of a practical row leaves for the rest of it. */
typedef struct {
  REAL raw, drift, squares;
} OF(Scored);

/* One pass standardises the row into z, scores it with both weights and lets the scaler see it. */
static inline OF(Scored) OF(standardise)(int64_t seen, int64_t d, const DATA* restrict x,
                                         const REAL* restrict w, const REAL* restrict v,
                                         REAL* restrict mean, REAL* restrict m2, REAL* restrict z) {
  const REAL per_row = seen ? 1.0 / seen : 0.0, gain = 1.0 / (seen + 1), keep = 1 - gain;
  const REAL per_column = 1.0 / sqrt((double)d);
  const REAL floor = seen >= GUARD_ROWS ? 0 : REAL_MAX; /* a variance above it turns the guard on */
  OF(Scored) out = {0, 0, 0};
  for (int64_t j = 0; j < d; j++) {
    const REAL variance = m2[j] * per_row;
    const REAL inverse = variance > 0 ? 1 / sqrt(variance) : 0;
    const REAL delta = x[j] - mean[j];
    REAL clipped = delta * inverse;
    clipped = clipped > CLIP ? CLIP : clipped;
    clipped = clipped < -CLIP ? -CLIP : clipped;
    const REAL guarded = variance > floor ? clipped * variance * inverse : delta;
    mean[j] += guarded * gain;
    m2[j] += guarded * guarded * keep;
    const REAL scaled = clipped * per_column;
    z[j] = scaled;
    out.raw += w[j] * scaled;
    out.drift += v[j] * scaled;
    out.squares += scaled * scaled;
  }
  return out;
}

/* Standardised, with intercept; the averaged weights are w + B v: one more addition a column. */
void OF(practical_logistic)(int64_t rows, int64_t d, const DATA* restrict X,
                            const int32_t* restrict y, REAL* restrict w, REAL* restrict v,
                            REAL* restrict mean, REAL* restrict m2, REAL* restrict z,
                            double* restrict scores) {
  Ledger ledger = {{1, 1}, {1, 1}};
  REAL w0 = 0, v0 = 0;
  double B = 1;
  for (int64_t i = 0; i < rows; i++) {
    const OF(Scored) row = OF(standardise)(i, d, X + i * d, w, v, mean, m2, z);
    const REAL f = row.raw + w0;
    scores[i] = f + B * (row.drift + v0);
    const int c = y[i];
    const REAL sign = c ? 1 : -1;
    double a = weigh(&ledger, c);
    a = a > CLAMP ? CLAMP : a;
    const double step = ETA * a * (1 / (1 + exp(sign * f)));
    /* The first row's average is its own weights: B = 1, v = 0. */
    const REAL move = sign * (REAL)step, back = i ? sign * (REAL)(step / B) : 0;
    for (int64_t j = 0; j < d; j++) {
      w[j] += move * z[j];
      v[j] -= back * z[j];
    }
    w0 += move;
    v0 -= back;
    ledger.pulled[c] += step * sqrt((double)row.squares + 1);
    ledger.seen[c] += 1;
    if (i) B *= 1 - (1.0 / (i + 1) > AVERAGE_RATE ? 1.0 / (i + 1) : AVERAGE_RATE);
    if (B < REFOLD) {
      for (int64_t j = 0; j < d; j++) v[j] *= (REAL)B;
      v0 *= (REAL)B;
      B = 1;
    }
  }
}

#endif
