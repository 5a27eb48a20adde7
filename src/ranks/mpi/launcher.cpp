#include "ranks/mpi/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace penstock::ranks {
namespace {

std::optional<std::uint32_t> number_of(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return {};
  const std::string_view digits = text;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end()) return {};
  return number;
}

}  // namespace

// Open MPI's mpirun sets PMIx's variables, too. SLURM_NTASKS is also there in a batch script, which
// srun did not start; the variables of a step are not.
Launch launch_of_process() {
  if (const auto size = number_of("OMPI_COMM_WORLD_SIZE")) return {Launcher::open_mpi, size};
  if (number_of("PMI_RANK")) return {Launcher::pmi, number_of("PMI_SIZE")};
  const auto tasks = number_of("SLURM_STEP_NUM_TASKS");
  if (number_of("PMIX_RANK")) return {Launcher::pmix, tasks};
  if (tasks) return {Launcher::slurm, tasks};
  return {};
}

}  // namespace penstock::ranks
