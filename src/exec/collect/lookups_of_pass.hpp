// The build sides of a program's lookups in device memory. A program with a partitioned lookup runs
// in as many passes as that has partitions, and each pass has one of them.
#pragma once
#include "exec/collect/run_tiles.hpp"

namespace penstock::plan {

class LookupsOfPass {
 public:
  // All of these outlive it.
  LookupsOfPass(const RunContext& run, const TileProgram& program, const TileInput& input)
      : run_(run), program_(program), input_(input) {}
  // Uploads what lookups read in a pass. Kernels of the one before are done.
  Status begin(std::size_t pass);
  const std::vector<BufferPointer>& buffers() const { return memory_.buffers(); }
  std::uint64_t bytes_uploaded() const { return memory_.bytes_uploaded(); }

 private:
  Status upload_all();
  Status renew(std::size_t pass);
  // Partitions are of a lookup or of the pairs that are read.
  bool has_partitions() const {
    return input_.partitions && !(input_.pairs && input_.pairs->partitions());
  }

  const RunContext& run_;
  const TileProgram& program_;
  const TileInput& input_;
  BuildSides sides_;             // of this pass
  std::size_t partitioned_ = 0;  // the lookup that has partitions
  LookupMemory memory_;
};

}  // namespace penstock::plan
