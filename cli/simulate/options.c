/* Where to draw and with which covariance: the options of 'surekrig simulate'. */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "a", "a,b" or "a,b,c" into value; how many, or 0. */
static int up_to_three(const char *text, char separator, double value[SIMULATE_AXES])
{
    char copy[128], *at = copy, *end;
    if (strlen(text) >= sizeof copy || strpbrk(text, separator == 'x' ? " ;X" : " ;xX"))
        return 0;
    strcpy(copy, text);
    for (char *mark = copy; (mark = strchr(mark, separator));)
        *mark = ';'; /* 0x5 is no hexadecimal number */
    for (int count = 0; count < SIMULATE_AXES; at = end + 1) {
        value[count++] = strtod(at, &end);
        if (end == at || (*end && *end != ';'))
            return 0;
        if (!*end)
            return count;
    }
    return 0;
}

static surekrig_status read_corner(const cli_call *call, const char *option, int64_t d, double *corner,
                                   surekrig_error *error)
{
    const char *text = cli_value(call, option);
    static const char *const WANTED[] = {"one number", "two numbers, as 0,0", "three numbers, as 0,0,0"};
    if (text && up_to_three(text, ',', corner) != d)
        return cli_usage(error, "--%s takes %s, not '%s'", option, WANTED[d - 1], text);
    return SUREKRIG_OK;
}

surekrig_status simulate_read_places(const cli_call *call, simulate_job *j, surekrig_error *error)
{
    const char *grid = cli_value(call, "grid");
    double size[SIMULATE_AXES] = {0}, all = 1;
    if (!grid == !call->arguments)
        return cli_usage(error, "give either --grid SIZE or a file of POINTS");
    if (!grid && (cli_value(call, "lower") || cli_value(call, "upper")))
        return cli_usage(error, "--lower and --upper go with --grid");
    if (!grid)
        return SUREKRIG_OK;
    int d = up_to_three(grid, 'x', size);
    for (int a = 0; a < d; a++) {
        all *= size[a];
        if (!(size[a] >= 1 && size[a] <= 1e9) || size[a] != floor(size[a]))
            d = 0;
    }
    if (d == 0 || all > 1e9)
        return cli_usage(error, "--grid takes a number of points, as 10000, 500x300 or 60x40x30, not '%s'", grid);
    j->sample.d = d;
    for (int a = 0; a < d; a++) {
        j->sample.size[a] = (int64_t)size[a];
        j->sample.upper[a] = 1;
    }
    j->n = (int64_t)all;
    if (read_corner(call, "lower", d, j->sample.lower, error) || read_corner(call, "upper", d, j->sample.upper, error))
        return error->status;
    for (int a = 0; a < d; a++)
        if (!(j->sample.lower[a] < j->sample.upper[a]))
            return cli_usage(error, "--upper must be above --lower: %g to %g given", j->sample.lower[a],
                             j->sample.upper[a]);
    return SUREKRIG_OK;
}

surekrig_status simulate_read_theta(const cli_call *call, simulate_job *j, surekrig_error *error)
{
    const char *rho = cli_value(call, "rho"), *nu = cli_value(call, "nu");
    j->nu = 0.5;
    j->rho[0] = 0.1;
    j->gamma2 = 1;
    if (cli_seed(call, &j->sample.seed, error))
        return error->status;
    j->rhos = rho ? up_to_three(rho, ',', j->rho) : 1;
    if (!j->rhos || (j->rhos > 1 && j->sample.size[0] && j->sample.d != j->rhos))
        return cli_usage(error, "--rho takes a length, or one for each axis as 0.1,0.3, not '%s'", rho);
    for (int a = j->rhos == 1; a > 0 && a < SIMULATE_AXES; a++)
        j->rho[a] = j->rho[0];
    if (nu && !strcmp(nu, "inf"))
        j->nu = INFINITY;
    else if (cli_number(call, "nu", 0.01, 50, &j->nu, error))
        return error->status;
    if (cli_number(call, "tau2", 0, 1e12, &j->tau2, error) ||
        cli_number(call, "gamma2", 1e-300, 1e300, &j->gamma2, error))
        return error->status;
    return cli_count(call, "threads", 4096, &j->sample.threads, error);
}

/* What --time, of POINTS, and --times, of a grid, go with. */
static surekrig_status check_time(const cli_call *call, bool times, surekrig_error *error)
{
    static const char *const OF_TIME[] = {"time-rho", "time-nu", "time-mix"};
    bool grid = cli_value(call, "grid"), column = cli_value(call, "time");
    if (column && grid)
        return cli_usage(error, "--time goes with a file of POINTS; a grid has --times");
    if (times && !grid)
        return cli_usage(error, "--times goes with --grid; points have their own, in the column of --time");
    for (size_t i = 0; i < sizeof OF_TIME / sizeof *OF_TIME; i++)
        if (cli_value(call, OF_TIME[i]) && !times && !column)
            return cli_usage(error, "--%s goes with --times N or --time COLUMN", OF_TIME[i]);
    return SUREKRIG_OK;
}

surekrig_status simulate_read_time(const cli_call *call, simulate_job *j, surekrig_error *error)
{
    int times = 0;
    j->time_nu = 0.5;
    j->clock.rho = 10;
    j->time = -1;
    if (cli_count(call, "times", 1000000000, &times, error) ||
        cli_number(call, "time-rho", 1e-6, 1e12, &j->clock.rho, error) ||
        cli_number(call, "time-nu", 0.01, 50, &j->time_nu, error) ||
        cli_number(call, "time-mix", 0, 1, &j->mix, error) || check_time(call, times > 0, error))
        return error->status;
    j->clock.times = times;
    j->clock.forgets = j->time_nu == 0.5 && j->mix == 0;
    if (times && (double)j->n * times > 1e9)
        return cli_usage(error, "%lld points at %d times are more than 1e9", (long long)j->n, times);
    if (times && !j->clock.forgets && j->sample.d == SIMULATE_AXES)
        return cli_usage(error, "--time-nu and --time-mix go with a grid of one or two axes beside --times");
    j->n *= times ? times : 1;
    return SUREKRIG_OK;
}
