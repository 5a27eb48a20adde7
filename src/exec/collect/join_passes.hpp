// The passes of a run over its rows: one, or one for each partition of a join that it reads. A pass
// has the right sides of its lookups, and the pairs that it reads, in device memory.
#pragma once
#include "exec/kernel/lookup_memory.hpp"
#include "exec/scan/pair_scan.hpp"

namespace penstock::plan {

// What passes read, all of which outlives them.
struct PassSides {
  std::shared_ptr<Device> device;
  const TileProgram& program;
  const BuildSides* sides = nullptr;  // of the program's lookups, where it has any
  StringPool& strings;
  PairedRows* pairs = nullptr;           // the rows, where they are these
  JoinPartitions* partitions = nullptr;  // of a lookup or of the pairs, where there are some
};

class JoinPasses {
 public:
  explicit JoinPasses(PassSides of) : of_(std::move(of)) {}
  std::size_t count() const { return of_.partitions ? of_.partitions->count() : 1; }
  // Makes the pairs of a pass, which may be scanned then.
  Status begin_rows(std::size_t pass);
  // Uploads what lookups read in a pass. Kernels of the one before are done.
  Status begin_lookups(std::size_t pass);
  const std::vector<BufferPointer>& buffers() const { return memory_.buffers(); }
  std::uint64_t bytes_uploaded() const { return memory_.bytes_uploaded(); }

 private:
  Status upload_all();
  Status renew(std::size_t pass);
  bool are_of_lookup() const { return of_.partitions && !(of_.pairs && of_.pairs->partitions()); }

  PassSides of_;
  BuildSides sides_;             // with those of the pass
  std::size_t partitioned_ = 0;  // the lookup that has partitions
  LookupMemory memory_;
};

}  // namespace penstock::plan
