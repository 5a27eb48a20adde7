#include "ranks/mpi/mpi_library.hpp"

#include <array>
#include <cstring>

namespace penstock::ranks {
namespace {

// MPICH's MPI_MAX_LIBRARY_VERSION_STRING is 8192, Open MPI's 256.
constexpr std::size_t longest_version_bytes = 16384;

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

// Handles of MPICH's ABI are wrong for every other library, and some crash on them.
bool has_abi_of_mpich(const device::Library& library) {
  int (*version)(char*, int*) = nullptr;
  if (!library.bind(version, "MPI_Get_library_version").ok()) return false;
  std::string text(longest_version_bytes, '\0');
  int length = 0;
  if (version(text.data(), &length) != 0) return false;
  text.resize(std::strlen(text.c_str()));
  for (const char* const maker : {"MPICH", "Intel", "CRAY", "Cray"})
    if (text.find(maker) != std::string::npos) return true;
  return false;
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
  // Open MPI's library of the standard ABI has its own objects, too.
  if (ends_in_abi(opened.library.name()))
    opened.kind = MpiKind::standard;
  else if (opened.library.symbol("ompi_mpi_comm_world") != nullptr)
    opened.kind = MpiKind::open_mpi;
  else if (has_abi_of_mpich(opened.library))
    opened.kind = MpiKind::mpich;
  else
    return Status(Code::unsupported, opened.library.name() +
                                         " is of none of Open MPI, MPICH, Intel MPI, Cray MPICH "
                                         "and the standard ABI");
  return opened;
}

}  // namespace penstock::ranks
