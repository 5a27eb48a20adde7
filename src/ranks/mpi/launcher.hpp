// Finds out from the environment which launcher started this process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace penstock::ranks {

enum class Launcher : unsigned char {
  none,
  open_mpi,  // its mpirun
  pmi,       // mpiexec of MPICH and Intel MPI (Hydra), srun --mpi=pmi2
  pmix,      // prun, srun --mpi=pmix
  slurm,     // srun without any of these
};

struct Launch {
  Launcher by = Launcher::none;
  std::optional<std::uint32_t> processes;  // that were started together, if it says so
};

Launch launch_of_process();

}  // namespace penstock::ranks
