// The library of MPI, opened at run time. Libraries have three kinds of handles: Open MPI's are
// addresses of its own objects, those of MPICH and Intel MPI are numbers of 32 bits, and the
// standard's (MPI 5) are small numbers as pointers. Which it is, its symbols tell.
#pragma once
#include "device/library.hpp"
#include "ranks/mpi/launcher.hpp"

namespace penstock::ranks {

enum class MpiKind : unsigned char { open_mpi, mpich, standard };

struct MpiLibrary {
  device::Library library;
  MpiKind kind = MpiKind::open_mpi;
};

std::string_view name_of(MpiKind kind);
// Opens `path`, or, where it is empty, what the launcher's processes use.
Result<MpiLibrary> open_mpi_library(Launcher launcher, const std::string& path);

}  // namespace penstock::ranks
