#include <cstdlib>

#include "base/exception_boundary.hpp"
#include "ranks/mpi/mpi_communicator.hpp"

namespace penstock {
namespace {

Result<std::unique_ptr<Communicator>> open_for(const ranks::Launch& launch,
                                               const std::string& path) {
  PENSTOCK_ASSIGN(const ranks::MpiLibrary mpi, ranks::open_mpi_library(launch.by, path));
  PENSTOCK_ASSIGN(auto communicator, ranks::mpi_communicator(mpi));
  if (launch.processes && communicator->size() != *launch.processes)
    return Status(Code::invalid,
                  std::to_string(*launch.processes) + " processes were started together, but " +
                      communicator->describe() + " sees " + std::to_string(communicator->size()) +
                      ": start them by this library's mpirun, or by srun --mpi=pmix; "
                      "PENSTOCK_MPI=off runs each alone");
  if (communicator->size() == 1) communicator.reset();
  return communicator;
}

}  // namespace

Result<std::unique_ptr<Communicator>> open_communicator() {
  const ranks::Launch launch = ranks::launch_of_process();
  const char* const named = std::getenv("PENSTOCK_MPI");
  const std::string path = named == nullptr ? "" : named;
  if (launch.by == ranks::Launcher::none || launch.processes == 1u || path == "off")
    return std::unique_ptr<Communicator>();
  return catch_exceptions([&] { return open_for(launch, path); });
}

}  // namespace penstock
