#include "peers.h"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/version.hpp>

/* Promotion to long double is its default; doubles are what a user in a hurry would ask for. */
typedef boost::math::policies::policy<boost::math::policies::promote_double<false>> plain;

double bench_boost_bessel_k(double nu, double u)
{
    return boost::math::cyl_bessel_k(nu, u, plain());
}

const char *bench_boost_version(void)
{
    return BOOST_LIB_VERSION;
}
