/* first: fit a few hundred points in the plane, predict one more, and say how sure the prediction is.
 *   cc first.c $(pkg-config --cflags --libs surekrig) -lm -o first && ./first */
#include <math.h>
#include <stdio.h>
#include <surekrig.h>

enum { N = 400 };

int main(void)
{
    double x[N][2], y[N], place[2] = {0.5, 0.25}, mean, sd;
    for (int i = 0; i < N; i++) { /* points spread over the unit square */
        x[i][0] = fmod((i + 1) * 0.7548776662466927, 1);
        x[i][1] = fmod((i + 1) * 0.5698402909980532, 1);
        y[i] = sin(6 * x[i][0]) + cos(5 * x[i][1]);
    }

    surekrig_error error;
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    surekrig_data data = {.n = N, .d = 2, .l = 1, .x = &x[0][0], .y = y};
    surekrig_prediction prediction = {.mean = &mean, .sd = &sd};
    int failed = surekrig_settings_new(&settings, &error) ||
                 surekrig_settings_set(settings, "neighbors", "30", &error) ||
                 surekrig_fit(&data, settings, NULL, &model, &error) ||
                 surekrig_predict(model, &(surekrig_query){.n = 1, .x = place}, NULL, &prediction, &error);
    if (failed)
        fprintf(stderr, "%s\n", error.sentence);
    else
        printf("at (%g, %g): %.5f +- %.5f, truth %.5f\n", place[0], place[1], mean, surekrig_quantile(0.95) * sd,
               sin(6 * place[0]) + cos(5 * place[1]));
    surekrig_model_free(model);
    surekrig_settings_free(settings);
    return failed;
}
