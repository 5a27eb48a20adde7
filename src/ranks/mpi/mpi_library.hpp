// The library of MPI, opened at run time. Libraries have three kinds of handles, told apart by the
// library's symbols: Open MPI's are addresses of its own objects, handles of MPICH and Intel MPI
// are numbers of 32 bits, and the standard's (MPI 5) are small numbers as pointers.
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
// Opens `path`, or, if it is empty, the library that the launcher's processes use.
Result<MpiLibrary> open_mpi_library(Launcher launcher, const std::string& path);

}  // namespace penstock::ranks
