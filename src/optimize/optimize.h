/* Minimisation of expensive functions: Bayesian optimisation, a local search, a search by gradients where there are
 * any, and the method of multipliers around each. Every evaluation ever made is kept and re-scored when the multipliers
 * change, unless each round is to search anew. */
#ifndef SK_OPTIMIZE_H
#define SK_OPTIMIZE_H

#include "base/base.h"

/* What is minimised. The owner keeps its evaluations by number: 0, 1, 2, ... in the order they were made. */
typedef struct sk_objective {
    int axes;
    const surekrig_axis *axis;
    int constraints;
    /* Makes the next evaluation. SUREKRIG_STOPPED where the caller wants no more; a theta that cannot be evaluated is
     * no failure, but has a Lagrangian that is not finite. */
    surekrig_status (*evaluate)(void *self, const double *theta, surekrig_error *error);
    /* L of an evaluation (M8) and its residuals C - alpha; residual may be NULL. */
    double (*lagrangian)(void *self, int64_t evaluation, const double *lambda, double beta, double *residual);
    /* What an evaluation suggests as a better theta, at no cost, into theta; false: nothing. May be NULL. */
    bool (*suggest)(void *self, int64_t evaluation, double *theta);
    void *self;
    /* L of the latest evaluation with its constraints smoothed, and its derivatives by theta; *value is not finite
     * where there are none. May be NULL. */
    surekrig_status (*gradient)(void *self, const double *lambda, double beta, double *value, double *by_theta,
                                surekrig_error *error);
    /* Whether a time of sk_now is past, as all ranks that evaluate together see it. NULL: as the clock says. */
    bool (*past)(void *self, double time);
} sk_objective;

typedef enum sk_optimizer {
    SK_OPTIMIZER_BAYES,
    SK_OPTIMIZER_LOCAL,
    SK_OPTIMIZER_LBFGS,
    SK_OPTIMIZER_AUTO
} sk_optimizer;
typedef enum sk_acquisition { SK_ACQUISITION_EI, SK_ACQUISITION_UCB } sk_acquisition;

typedef struct sk_plan {
    sk_optimizer optimizer;
    sk_acquisition acquisition;
    double kappa;
    int64_t initial; /* evaluations of the initial design, each round whose archive is smaller; not of a local search */
    int64_t evaluations; /* of the first round, initial ones included */
    int64_t later;       /* of each round after it */
    int64_t polish; /* further ones of the local search that ends a round; the first round has as many for short ones */
    double seconds; /* in all; infinite: no limit */
    uint64_t seed;
    int rounds;
    double beta, growth;             /* beta_0 and r (M9) */
    double beta_limit, lambda_limit; /* what beta and |lambda| may grow to */
    double tolerance;                /* a residual within it counts as met */
    bool multipliers;                /* false: lambda stays 0 and beta beta_0, the penalty alone */
    bool take_last;                  /* return theta_N as the paper does, instead of the best */
    bool own_rounds;                 /* each round searches anew and knows its own evaluations alone */
    bool plain_values;               /* the surrogate models the values as they are */
    bool whole_budget;               /* Bayesian optimisation makes all its evaluations */
    bool rough;                      /* another search by gradients will refine what this one finds */
    bool brief;                      /* likewise, or this one refines another: its first run is enough */
    bool near; /* the start lies near the minimum: a search by gradients needs no design, and steps shortly at first */
} sk_plan;

int64_t sk_plan_capacity(const sk_plan *plan); /* the most evaluations it can make */

typedef struct sk_round {
    double *lambda; /* [constraints] in force during the round, and beta */
    double beta;
    double searched;  /* the beta that best is best under; beta is firmer where theta is a compromise */
    double *residual; /* [constraints] at the round's best */
    int64_t best;     /* its evaluation */
    double lagrangian;
    int64_t evaluations; /* made so far */
} sk_round;

typedef struct sk_result {
    int rounds;
    sk_round *round; /* the last one's multipliers are those under which the chosen evaluation was judged */
    int64_t chosen;
    surekrig_outcome outcome;
} sk_result;

/* SUREKRIG_STOPPED only where nothing was evaluated. */
surekrig_status sk_minimize(const sk_objective *objective, const sk_plan *plan, sk_result *result,
                            surekrig_error *error);
void sk_result_free(sk_result *result);

/* ---- inside the room */

/* One run over all rounds. Points live in the unit cube: log axes are straightened, boxes stretched. */
typedef struct sk_search {
    const sk_objective *objective;
    const sk_plan *plan;
    double deadline;
    int64_t count, capacity;
    int64_t first;        /* evaluation that this round knows: 0 where rounds share them */
    int64_t budget;       /* of the inner optimiser in this round */
    double *unit;         /* [capacity][axes] */
    double *value;        /* [capacity] L under the current multipliers; infinite where it failed */
    double *theta, *next; /* [axes] scratch each */
    const double *lambda;
    double beta;
    bool stopped, exhausted, converged; /* exhausted: no time or no room left */
} sk_search;

/* theta_0 in the unit cube. */
void sk_search_start(const sk_search *search, double *unit);
/* Evaluates a point; *value may be NULL. */
surekrig_status sk_search_evaluate(sk_search *search, const double *unit, double *value, surekrig_error *error);
/* The smoothed L of the latest evaluation and its derivatives in the unit cube. */
surekrig_status sk_search_gradient(const sk_search *search, double *value, double *by_unit, surekrig_error *error);
/* Evaluates what the latest evaluation suggests, if that is new and fits the box. */
surekrig_status sk_search_follow(sk_search *search, surekrig_error *error);
/* Whether a point within 1e-3 of the unit cube's side was evaluated before. */
bool sk_search_known(const sk_search *search, const double *unit);
int64_t sk_search_best(const sk_search *search);
int64_t sk_search_best_since(const sk_search *search, int64_t first); /* among the evaluations from first on */
/* Among the first `end` evaluations, the best that lies apart from each of `count` others; -1: none. */
int64_t sk_search_best_apart(const sk_search *search, int64_t end, const int64_t *from, int count, double apart);
bool sk_search_over(const sk_search *search);

/* A shifted Kronecker sequence: evenly spread for every length, by the powers of the root of g^(axes+1) = g + 1. */
typedef struct sk_design {
    int axes;
    uint64_t seed;
    uint32_t stream;
    double root;
} sk_design;

sk_design sk_design_of(int axes, uint64_t seed, uint32_t stream);
void sk_design_point(const sk_design *sequence, int64_t i, double *unit);
/* theta_0 first, then evenly spread, with what they suggest. Where the archive already has as many, nothing. unit:
 * [axes]. */
surekrig_status sk_search_design(sk_search *search, double *unit, surekrig_error *error);

/* The inner optimisers: up to the search's budget more. */
surekrig_status sk_bayes(sk_search *search, surekrig_error *error);
surekrig_status sk_lbfgs(sk_search *search, surekrig_error *error);
/* Nelder and Mead from an evaluation, or from the start (-1), with the given first step: up to budget more. */
surekrig_status sk_local(sk_search *search, int64_t from, double step, int64_t budget, surekrig_error *error);

/* A Gaussian process with Matérn-5/2 kernel over points of the unit cube. */
typedef struct sk_surrogate sk_surrogate;
surekrig_status sk_surrogate_new(int axes, int64_t capacity, sk_surrogate **surrogate, surekrig_error *error);
void sk_surrogate_free(sk_surrogate *surrogate);
/* The n lowest of the values that the round knows, at most capacity; its length scales and noise by maximum likelihood. */
bool sk_surrogate_fit(sk_surrogate *surrogate, const sk_search *search);
/* Mean and sd of the (monotonically transformed) value; best: the lowest transformed value. */
void sk_surrogate_predict(sk_surrogate *surrogate, const double *unit, double *mean, double *sd);
double sk_surrogate_best(const sk_surrogate *surrogate);

#endif
