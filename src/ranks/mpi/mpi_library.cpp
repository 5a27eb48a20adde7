#include "ranks/mpi/mpi_library.hpp"

#include <array>

namespace penstock::ranks {
namespace {

// libmpi.so.12 is the name that MPICH, Intel MPI and Cray's share; Open MPI counts on from 40.
std::vector<std::string> library_names(Launcher launcher) {
  const std::vector<std::string> open_mpi = {"libmpi.so.40", "libmpi.so.80"};
  const std::vector<std::string> mpich = {"libmpi.so.12", "libmpich.so.12"};
  const bool is_of_mpich = launcher == Launcher::pmi;
  std::vector<std::string> names = is_of_mpich ? mpich : open_mpi;
  names.insert(names.end(), {"libmpi_abi.so.1", "libmpi_abi.so.0"});
  if (launcher != Launcher::open_mpi && !is_of_mpich)
    names.insert(names.end(), mpich.begin(), mpich.end());
  names.emplace_back("libmpi.so");
  return names;
}

bool ends_in_abi(const std::string& name) {
  const std::string file = name.substr(name.find_last_of('/') + 1);
  return file.starts_with("libmpi_abi.");
}

}  // namespace

std::string_view name_of(MpiKind kind) {
  constexpr std::array<std::string_view, 3> names = {"Open MPI", "MPICH's ABI", "the standard ABI"};
  return names[static_cast<std::size_t>(kind)];
}

Result<MpiLibrary> open_mpi_library(Launcher launcher, const std::string& path) {
  auto library = device::Library::open(path.empty() ? library_names(launcher) : std::vector{path});
  if (!library.ok())
    return library.with(
        "opening MPI's library, since several processes were started together; "
        "PENSTOCK_MPI names another, or is off");
  MpiLibrary opened{std::move(*library)};
  if (opened.library.symbol("ompi_mpi_comm_world") != nullptr)
    opened.kind = MpiKind::open_mpi;
  else if (ends_in_abi(opened.library.name()))
    opened.kind = MpiKind::standard;
  else
    opened.kind = MpiKind::mpich;
  return opened;
}

}  // namespace penstock::ranks
