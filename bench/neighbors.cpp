// neighbors: our search beside nanoflann and FLANN, on one thread, with the same questions in the same order. Times are
// the best of several runs that take turns; ours once per instruction set, the best set first. Other rows at the same
// distances are ties, which only we break by row. Arguments: none for random points; the satellite training and test
// set as CSV for these; `uniform N D K` or `clustered N D K` for a single case; `build` for times and sizes of indexes;
// `sectors`, with or without the satellite's CSV, for neighbours in sectors beside the nearest.
#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <flann/flann.hpp>
#include <nanoflann.hpp>

extern "C" {
#include "io.h"
#include "neighbors/neighbors.h"
}

namespace
{

struct Points {
    int64_t n, d;
    std::vector<double> x; // [n][d]
    size_t kdtree_get_point_count() const
    {
        return size_t(n);
    }
    double kdtree_get_pt(size_t i, size_t a) const
    {
        return x[i * size_t(d) + a];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const
    {
        return false;
    }
};

Points uniform(int64_t n, int64_t d, uint64_t seed)
{
    Points p{n, d, std::vector<double>(size_t(n * d))};
    for (int64_t i = 0; i < n * d; i++)
        p.x[size_t(i)] = sk_uniform(seed, 77, uint64_t(i));
    return p;
}

// Nine points in ten in a hundred narrow clusters.
Points clustered(int64_t n, int64_t d, uint64_t seed)
{
    Points p = uniform(n, d, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < d && i % 10; a++) {
            double pair[2], center = sk_uniform(9, 78, uint64_t(i % 100 * d + a));
            sk_normal_pair(seed, 79, uint64_t(i * d + a), pair);
            p.x[size_t(i * d + a)] = center + 0.003 * pair[0];
        }
    return p;
}

using Work = std::function<void()>;

double seconds(const Work &work)
{
    double start = sk_now();
    work();
    return sk_now() - start;
}

// Of this thread alone: other programs do not count.
double processor_seconds(const Work &work)
{
    timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return double(end.tv_sec - start.tv_sec) + 1e-9 * double(end.tv_nsec - start.tv_nsec);
}

// The best of each, all taking turns.
std::vector<double> best(const std::vector<Work> &works, int runs)
{
    std::vector<double> least(works.size(), INFINITY);
    for (int r = 0; r < runs; r++)
        for (size_t i = 0; i < works.size(); i++)
            least[i] = std::min(least[i], processor_seconds(works[i]));
    return least;
}

// ---- those compared

struct Ours {
    surekrig_index *index = nullptr;
    explicit Ours(const Points &p)
    {
        surekrig_error error;
        if (surekrig_index_new(p.n, p.d, p.x.data(), &index, &error)) {
            std::puts(error.sentence);
            std::exit(1);
        }
    }
    ~Ours()
    {
        surekrig_index_free(index);
    }
    void search(const Points &q, int64_t k, int threads, sk_isa isa, std::vector<int64_t> &neighbor,
                bool sectors = false) const
    {
        surekrig_neighbor_query query{};
        query.n = q.n;
        query.x = q.x.data();
        query.k = k;
        query.threads = threads;
        query.sectors = sectors;
        sk_neighbors(index, &query, isa, neighbor.data(), nullptr, nullptr);
    }
};

template <int D> struct Nano {
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Points>, Points, D, uint32_t>;
    Tree tree;
    Nano(const Points &p, size_t leaf) : tree(int(p.d), p, nanoflann::KDTreeSingleIndexAdaptorParams(leaf))
    {
        tree.buildIndex();
    }
    void search(const Points &q, int64_t k, std::vector<int64_t> &neighbor) const
    {
        std::vector<uint32_t> row(static_cast<size_t>(k));
        std::vector<double> square(static_cast<size_t>(k));
        for (int64_t i = 0; i < q.n; i++) {
            tree.knnSearch(q.x.data() + i * q.d, size_t(k), row.data(), square.data());
            std::copy(row.begin(), row.end(), neighbor.begin() + i * k);
        }
    }
};

struct Flann {
    flann::Index<flann::L2_Simple<double>> tree;
    std::vector<size_t> row; // its results, kept from run to run: memory is not what is timed
    std::vector<double> square;
    explicit Flann(const Points &p)
        : tree(flann::Matrix<double>(const_cast<double *>(p.x.data()), size_t(p.n), size_t(p.d)),
               flann::KDTreeSingleIndexParams(16))
    {
        tree.buildIndex();
    }
    void search(const Points &q, int64_t k, std::vector<int64_t> &neighbor)
    {
        row.resize(size_t(q.n * k));
        square.resize(row.size());
        flann::Matrix<size_t> rows(row.data(), size_t(q.n), size_t(k));
        flann::Matrix<double> squares(square.data(), size_t(q.n), size_t(k));
        flann::SearchParams params(flann::FLANN_CHECKS_UNLIMITED);
        params.cores = 1;
        tree.knnSearch(flann::Matrix<double>(const_cast<double *>(q.x.data()), size_t(q.n), size_t(q.d)), rows, squares,
                       size_t(k), params);
        std::copy(row.begin(), row.end(), neighbor.begin());
    }
};

// ---- cases

double square_between(const Points &p, int64_t i, const Points &q, int64_t j)
{
    double sum = 0;
    for (int64_t a = 0; a < p.d; a++) {
        double gap = p.x[size_t(i * p.d + a)] - q.x[size_t(j * p.d + a)];
        sum += gap * gap;
    }
    return sum;
}

// Neighbours that differ, and those of them that are not as near as the other's.
struct Difference {
    int64_t rows = 0, distances = 0;
    Difference(const Points &p, const Points &q, int64_t k, const std::vector<int64_t> &a,
               const std::vector<int64_t> &b)
    {
        for (int64_t i = 0; i < q.n * k; i++) {
            int64_t one = a[size_t(i)], other = b[size_t(i)];
            rows += one != other;
            distances += square_between(p, one, q, i / k) != square_between(p, other, q, i / k);
        }
    }
};

template <int D> void compare(const char *what, const Points &p, const Points &q, int64_t k, int runs)
{
    Ours ours(p);
    Flann flann(p);
    std::vector<int64_t> mine(size_t(q.n * k)), theirs(size_t(q.n * k));
    std::unique_ptr<Nano<D>> nano;
    double least = INFINITY;
    Points few{std::min<int64_t>(q.n, 2000), q.d, q.x};
    for (size_t leaf : {8, 16, 32}) {
        auto made = std::make_unique<Nano<D>>(p, leaf);
        double time = best({[&] { made->search(few, k, theirs); }}, 2)[0];
        if (time < least) {
            least = time;
            nano = std::move(made);
        }
    }
    std::vector<Work> works = {[&] { nano->search(q, k, theirs); }, [&] { flann.search(q, k, theirs); }};
    for (int isa = 0; isa < SK_ISA_COUNT; isa++)
        if (sk_isa_here(sk_isa(isa)))
            works.push_back([&, isa] { ours.search(q, k, 1, sk_isa(isa), mine); });
    std::vector<double> time = best(works, runs);
    nano->search(q, k, theirs);
    std::printf("%-10s n %8lld  d %2lld  k %3lld   nanoflann %8.2f us   FLANN %8.2f   ours", what, (long long)p.n,
                (long long)p.d, (long long)k, 1e6 * time[0] / double(q.n), 1e6 * time[1] / double(q.n));
    for (size_t i = 2; i < time.size(); i++)
        std::printf(" %8.2f", 1e6 * time[i] / double(q.n));
    Difference d(p, q, k, mine, theirs);
    std::printf("   ratio %5.1f   other rows %lld, other distances %lld\n", time[0] / time[2], (long long)d.rows,
                (long long)d.distances);
    std::fflush(stdout);
}

void compare_any(const char *what, const Points &p, const Points &q, int64_t k, int runs)
{
    if (p.d == 2)
        compare<2>(what, p, q, k, runs);
    else if (p.d == 3)
        compare<3>(what, p, q, k, runs);
    else
        compare<-1>(what, p, q, k, runs);
}

void bench_uniform(int64_t n, int64_t d, int64_t k, const char *what = "uniform")
{
    int64_t questions = d < 5 ? 40000 : d < 9 ? 4000 : 500;
    auto make = std::strcmp(what, "uniform") ? clustered : uniform;
    compare_any(what, make(n, d, 1), make(questions, d, 2), k, d < 9 ? 5 : 2);
}

// In sectors beside the k nearest, ours alone: nobody else has them.
void bench_sectors(const char *what, const Points &p, const Points &q, int64_t k)
{
    Ours ours(p);
    std::vector<int64_t> neighbor(size_t(q.n * k));
    std::vector<Work> works;
    for (int isa = 0; isa < SK_ISA_COUNT; isa++)
        for (bool sectors : {false, true})
            if (sk_isa_here(sk_isa(isa)))
                works.push_back([&, isa, sectors] { ours.search(q, k, 1, sk_isa(isa), neighbor, sectors); });
    std::vector<double> time = best(works, 5);
    std::printf("%-10s n %8lld  d %2lld  k %3lld   nearest, in sectors:", what, (long long)p.n, (long long)p.d,
                (long long)k);
    for (size_t i = 0; i < time.size(); i += 2)
        std::printf("   %6.2f %6.2f us", 1e6 * time[i] / double(q.n), 1e6 * time[i + 1] / double(q.n));
    std::printf("   ratio %4.1f\n", time[1] / time[0]);
    std::fflush(stdout);
}

Points read_places(const char *path)
{
    enum { MOST = 200000 };
    io_reader *reader = nullptr;
    surekrig_error error;
    std::vector<double> value(3 * MOST);
    int64_t n;
    if (io_open(path, NULL, &reader, &error) || io_read(reader, MOST, value.data(), &n, &error)) {
        std::puts(error.sentence);
        std::exit(1);
    }
    io_close(reader);
    Points p{n, 2, std::vector<double>(size_t(2 * n))};
    for (size_t i = 0; i < size_t(2 * n); i++)
        p.x[i] = value[i / 2 * 3 + i % 2];
    return p;
}

// file: the training and the test set, whose test points are in gaps, or none.
void bench_all_sectors(char **file)
{
    if (file) {
        Points train = read_places(file[0]), test = read_places(file[1]);
        for (int64_t k : {50, 96}) {
            bench_sectors("in gaps", train, test, k);
            bench_sectors("among", train, train, k);
        }
    }
    for (int64_t d : {1, 2, 3, 5})
        bench_sectors("uniform", uniform(100000, d, 1), uniform(d < 4 ? 20000 : 2000, d, 2), 96);
}

void bench_build(int64_t n, int64_t d)
{
    Points p = uniform(n, d, 1);
    double ours = INFINITY, theirs = INFINITY;
    int64_t bytes = 0;
    for (int r = 0; r < 3; r++) {
        ours = std::min(ours, seconds([&] { bytes = sk_index_bytes(Ours(p).index); }));
        if (n < 5000000)
            theirs = std::min(theirs, seconds([&] { Nano<2> nano(p, 16); }));
    }
    std::printf("build      n %8lld   ours %.3f s on %d threads, %.0f ns and %.1f bytes a point   nanoflann %.3f s\n",
                (long long)n, ours, sk_threads(0), 1e9 * ours / double(n), double(bytes) / double(n), theirs);
    Ours index(p);
    Points q = uniform(200000, d, 2);
    std::vector<int64_t> neighbor(size_t(q.n * 50));
    for (int threads = 1; threads <= sk_threads(0); threads *= 2) {
        double least = INFINITY;
        for (int r = 0; r < 5; r++)
            least = std::min(least, seconds([&] { index.search(q, 50, threads, sk_isa_best(), neighbor); }));
        std::printf("           k 50 on %d threads: %.2f us\n", threads, 1e6 * least / double(q.n));
    }
}

} // namespace

int main(int count, char **word)
{
    if (count >= 2 && !std::strcmp(word[1], "sectors")) {
        bench_all_sectors(count == 4 ? word + 2 : nullptr);
        return 0;
    }
    if (count == 5) {
        bench_uniform(std::atoll(word[2]), std::atoll(word[3]), std::atoll(word[4]), word[1]);
        return 0;
    }
    if (count == 2) {
        for (int64_t n : {100000, 1000000, 10000000})
            bench_build(n, 2);
        return 0;
    }
    if (count == 3) {
        Points train = read_places(word[1]), test = read_places(word[2]);
        for (int64_t k : {1, 10, 50, 200, 512})
            compare_any("satellite", train, test, k, 5);
        return 0;
    }
    for (int64_t n : {100000, 1000000})
        for (int64_t k : {1, 10, 50, 200, 512})
            bench_uniform(n, 2, k);
    for (int64_t d : {1, 3, 5, 8, 16, 32})
        bench_uniform(100000, d, 50);
    bench_uniform(100000, 2, 50, "clustered");
    bench_uniform(1000000, 2, 50, "clustered");
    return 0;
}
