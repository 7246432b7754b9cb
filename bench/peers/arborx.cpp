// bench_arborx FOLDER K: ArborX's distributed tree on the rows and questions that bench_seek has written there, one rank's
// each; a row of a table. On as many ranks as these were. Built where CMake finds ArborX with MPI (CMAKE_PREFIX_PATH).
#include <ArborX_DistributedTree.hpp>
#include <ArborX_Version.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

namespace
{

// Of all threads: other programs do not count, nor does waiting for messages, below.
double processor()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double in_messages = 0;

template <class Call> int counted(const Call &call)
{
    double begun = processor();
    int status = call();
    in_messages += processor() - begun;
    return status;
}

using Space = Kokkos::DefaultExecutionSpace;
using Point = ArborX::Point<2, double>;
using Points = Kokkos::View<Point *, Space::memory_space>;

Points read(const std::string &path)
{
    std::ifstream from(path, std::ios::binary | std::ios::ate);
    size_t n = from ? size_t(from.tellg()) / sizeof(Point) : 0;
    Points points("points", n);
    from.seekg(0);
    from.read(reinterpret_cast<char *>(points.data()), std::streamsize(n * sizeof(Point)));
    if (!from) {
        std::cerr << "cannot read " << path << '\n';
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return points;
}

// As bench_seek adds them up.
double add_squares(const Points &question, const Points &found, int k)
{
    double sum = 0;
    for (size_t i = 0; i < found.size(); i++)
        for (int a = 0; a < 2; a++)
            sum += std::pow(found(i)[a] - question(i / size_t(k))[a], 2);
    return sum;
}

} // namespace

// Those of MPI's functions in which ArborX waits.
int MPI_Waitall(int count, MPI_Request *request, MPI_Status *status)
{
    return counted([&] { return PMPI_Waitall(count, request, status); });
}

int MPI_Alltoall(const void *from, int some, MPI_Datatype of, void *to, int more, MPI_Datatype kind, MPI_Comm with)
{
    return counted([&] { return PMPI_Alltoall(from, some, of, to, more, kind, with); });
}

int MPI_Allgather(const void *from, int some, MPI_Datatype of, void *to, int more, MPI_Datatype kind, MPI_Comm with)
{
    return counted([&] { return PMPI_Allgather(from, some, of, to, more, kind, with); });
}

namespace
{

void run(const std::string &folder, int k)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Points row = read(folder + "/rows." + std::to_string(rank));
    Points question = read(folder + "/questions." + std::to_string(rank)), found("found", 0);
    Kokkos::View<int *, Space::memory_space> offset("offset", 0);
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    ArborX::DistributedTree tree(MPI_COMM_WORLD, Space{}, row);
    MPI_Barrier(MPI_COMM_WORLD);
    double built = MPI_Wtime(), spent = processor() - in_messages;
    tree.query(Space{}, ArborX::Experimental::make_nearest(question, k), found, offset);
    double seconds = MPI_Wtime() - built, most;
    spent = processor() - in_messages - spent;
    double own[3] = {double(question.size()), add_squares(question, found, k), spent}, all[3];
    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("| ArborX %s | %d | %d | %.2f | %.2f | %.0f | %.2f | | | | | %.7g | |\n", ArborX::version().c_str(),
                    size, Space{}.concurrency(), built - begun, most, all[0] / most, 1e6 * all[2] / all[0], all[1]);
}

} // namespace

int main(int count, char **word)
{
    MPI_Init(&count, &word);
    if (count != 3) {
        std::cerr << "bench_arborx FOLDER K\n";
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    Kokkos::initialize();
    run(word[1], std::atoi(word[2]));
    Kokkos::finalize();
    MPI_Finalize();
    return 0;
}
