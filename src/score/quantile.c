/* The two-sided normal quantile z of a level p:  P(|Z| < z) = erf(z / sqrt 2) = p,  to the last digit or two.
 *
 * With x = z / sqrt 2 a closed approximation of erf^-1 (Winitzki) starts within 0.4 %, and each Halley step on
 * f(x) = erf(x) - p,  f' = 2/sqrt(pi) exp(-x^2),  f'' = -2 x f'  cubes that; near p = 1 it takes three. From p = 1/2
 * on, f is taken from erfc and 1 - p, which is then exact: the upper tail keeps its digits. */
#include "base/base.h"

#include <math.h>

static const double sqrt_pi = 1.772453850905516027298;

/* x^2 = s/a / (sqrt(t^2 + s/a) + t),  s = -log(1 - p^2),  t = 2/(pi a) - s/2;  no difference of near-equal numbers. */
static double start(double p)
{
    const double a = 0.147;
    double s = -(log1p(p) + log1p(-p)), t = 2 / (sqrt_pi * sqrt_pi * a) - s / 2;
    return sqrt(s / a / (sqrt(t * t + s / a) + t));
}

double surekrig_quantile(double level)
{
    if (!(level > 0 && level < 1))
        return level == 0 ? 0 : level == 1 ? INFINITY : NAN;
    double x = start(level);
    for (int step = 0; step < 3; step++) {
        double f = level < 0.5 ? erf(x) - level : (1 - level) - erfc(x);
        double newton = f * sqrt_pi / 2 * exp(x * x); /* f / f' */
        x -= newton / (1 + x * newton);               /* f f'' / (2 f'^2) = -x f / f' */
    }
    return x * 1.414213562373095048802;
}
