/* The two-sided quantile t of Student's distribution with f degrees of freedom, P(|T| < t) = p. With t = sqrt(f) tan a
 * the probability is a finite sum that grows with a (Abramowitz and Stegun, 26.7.3 and 26.7.4), so that a is found by
 * halving:
 *   f odd    2/pi (a + sin a (cos a + 2/3 cos^3 a + 2 4/(3 5) cos^5 a + ...)),   to the power f - 2
 *   f even   sin a (1 + 1/2 cos^2 a + 1 3/(2 4) cos^4 a + ...),                  likewise
 * From MANY degrees on it is within 1e-10 of (26.7.5), with the normal quantile z,
 *   z + (z^3 + z) / (4 f) + (5 z^5 + 16 z^3 + 3 z) / (96 f^2) */
#include "model/inside.h"

#include <math.h>

enum { MANY = 10000, HALVINGS = 60 };
static const double half_pi = 1.570796326794896619231;

static double probability(double a, int64_t f)
{
    bool odd = f % 2;
    double c = cos(a), term = odd ? c : 1, sum = 0;
    for (int64_t power = odd; power <= f - 2; power += 2) {
        sum += term;
        term *= c * c * (double)(power + 1) / (double)(power + 2);
    }
    return odd ? (a + sin(a) * sum) / half_pi : sin(a) * sum;
}

double sk_student_quantile(double level, int64_t f)
{
    double z = surekrig_quantile(level), z2 = z * z, low = 0, high = half_pi;
    if (!(level > 0 && level < 1))
        return z;
    if (f > MANY)
        return z + z * ((z2 + 1) + (z2 * (5 * z2 + 16) + 3) / (24 * (double)f)) / (4 * (double)f);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (probability(middle, f) < level)
            low = middle;
        else
            high = middle;
    }
    return sqrt((double)f) * tan(low);
}

double sk_student_scale(const surekrig_model *m)
{
    return m->info.freedom > 0 ? fmax((double)m->data.n / (double)m->info.freedom, 1) : 1;
}
