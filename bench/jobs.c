/* jobs TRAIN.csv TEST.csv: one objective and all predictions of a real job, by each back end this machine has, as
 * shares of the floor. The last column is the response. */
#include "base/base.h"
#include "bench.h"
#include "floors.h"

#include <stdio.h>
#include <string.h>

static const double NU[] = {0.135, 0.5, 0.85, 2.3};
enum { NUS = sizeof NU / sizeof *NU };

/* The floor of the back end's own instruction set; the reference is held to the best. */
static bench_floor floor_for(const char *backend)
{
    static const char *const NAME[] = {
#define QUOTED(isa) #isa,
        SK_EACH_ISA(QUOTED)};
    for (int isa = 0; isa < SK_ISA_COUNT; isa++)
        if (!strcmp(NAME[isa], backend))
            return bench_floor_of((sk_isa)isa);
    return bench_floor_of(sk_isa_best());
}

typedef struct predictions {
    const surekrig_model *model;
    const surekrig_data *at;
} predictions;

static void predict(void *context)
{
    const predictions *p = context;
    bench_predict(p->model, p->at->n, p->at->x, 0);
}

static void print_backend(const char *backend, const surekrig_data *train, const surekrig_data *test)
{
    double objective[NUS], seconds = 0;
    for (int i = 0; i < NUS; i++) {
        surekrig_model *model = bench_fit(train, (bench_choice){.backend = backend,
                                                                .nu = NU[i],
                                                                .neighbors = BENCH_NEIGHBORS,
                                                                .batch = BENCH_BATCH,
                                                                .evaluations = 48});
        objective[i] = bench_objective(model);
        if (i == NUS - 1)
            seconds = bench_seconds(predict, &(predictions){model, test});
        surekrig_model_free(model);
    }
    printf("| %s |", backend);
    for (int i = 0; i < NUS; i++)
        printf(" %.2f ms |", 1e3 * objective[i]);
    double floor = bench_point_floor(floor_for(backend), BENCH_NEIGHBORS) / sk_threads(0);
    printf(" %.0f %% | %.3f s | %.2f us | %.0f %% |\n", 100 * floor * BENCH_BATCH / objective[NUS - 1], seconds,
           1e6 * seconds / (double)test->n, 100 * floor * (double)test->n / seconds);
    fflush(stdout);
}

int main(int count, char **word)
{
    if (count != 3) {
        fputs("usage: jobs TRAIN.csv TEST.csv\n", stderr);
        return 2;
    }
    surekrig_data train = bench_read(word[1]), test = bench_read(word[2]);
    printf(
        "### Back ends, %d threads\n\n%lld training points, %lld predictions of mean and variance, neighbours included; k = %d. "
        "One objective: %d points left out\nin turn, as training evaluates it. Floor: that of the back end's "
        "instruction set (the reference: of the best) on as many cores.\n\n| back end |",
        sk_threads(0), (long long)train.n, (long long)test.n, BENCH_NEIGHBORS, BENCH_BATCH);
    for (int i = 0; i < NUS; i++)
        printf(" objective, nu %g |", NU[i]);
    puts(" of floor | predictions | each | of floor |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 0; bench_backend(i); i++)
        print_backend(bench_backend(i), &train, &test);
    puts("");
    bench_free(&train);
    bench_free(&test);
    return 0;
}
