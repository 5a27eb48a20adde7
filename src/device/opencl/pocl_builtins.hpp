// PoCL's built-in functions, fewer of them.
//
// PoCL reads 9 MB of LLVM bitcode in every process that compiles, which takes half a second; nine
// tenths are functions of vectors, and no kernel here has vectors (docs/lab/cold-start.md). So the
// folder `pocl` of the cache has a copy of that bitcode without them, and links to what else PoCL
// reads. PoCL finds its files beside the path by which it was opened: the link in that folder.
//
// Only where $PENSTOCK_POCL_BUILTINS is "few", as the program sets it: kernels of others may need
// the rest.
#pragma once
#include "penstock/status.hpp"

namespace penstock::opencl {

// Opens PoCL by its link, where the folder was made and PoCL's files are the same as then. Call
// before the OpenCL loader is opened.
void use_fewer_builtins();
// Returns whether the folder should be made: PoCL was not opened by it.
bool wants_fewer_builtins();
// Makes the folder for later processes, in a second of one core. PoCL must be open.
Status make_fewer_builtins();

}  // namespace penstock::opencl
