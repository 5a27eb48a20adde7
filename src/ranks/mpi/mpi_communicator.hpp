// Communicator over MPI_COMM_WORLD.
#pragma once
#include "penstock/ranks.hpp"
#include "ranks/mpi/mpi_library.hpp"

namespace penstock::ranks {

// Initialises MPI, which a process can do once.
Result<std::unique_ptr<Communicator>> mpi_communicator(const MpiLibrary& mpi);

}  // namespace penstock::ranks
