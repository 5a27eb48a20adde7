#include "exec/scan/pair_scan.hpp"

#include <algorithm>

#include "device/memory_budget.hpp"
#include "exec/kernel/device_columns.hpp"
#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/own_codes.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

bool read_pairs(TileProgram& program) {
  write_late_columns(program);
  use_codes_of_run(program);
  return fits_parameters(program);
}

// Every partition has memory for its own table, and for the counts of all left rows.
Status PairedRows::begin_partition(std::size_t partition) {
  pairs_.reset();
  PENSTOCK_ASSIGN(auto side, partitions_->side_of(partition));
  PENSTOCK_ASSIGN(pairs_, DevicePairs::count(left_.rows, left_.keys, std::move(side), left_.kind,
                                             ~std::uint64_t{0}));
  if (pairs_) {
    add(pairs_->figures());
    return {};
  }
  return Status(Code::no_memory, "pairs of a partition of a join do not fit device memory");
}

std::uint64_t pairs_per_chunk(const RunOptions& options, const Traits& traits,
                              const TileProgram& program) {
  constexpr std::uint64_t bytes_of_numbers = 9, most = 1 << 22;
  const std::uint64_t asked = options.batch_rows > 0 ? options.batch_rows : most,
                      row_bytes = input_bytes_per_row(program) + output_bytes_per_row(program) +
                                  program.device_columns.size() + bytes_of_numbers,
                      that_fit = device::MemoryBudget(traits, options.memory_limit_bytes)
                                     .share_of(device::MemoryUse::pairs_of_chunk) /
                                 row_bytes;
  return std::clamp<std::uint64_t>(std::min(asked, that_fit) / 64 * 64, 64, most);
}

void PairedRows::add(const KernelFigures& figures) {
  figures_.launches += figures.launches;
  figures_.bytes_moved += figures.bytes_moved;
  figures_.device_seconds += figures.device_seconds;
}

void PairedRows::add_to(RunReport& report) const {
  if (pairs_) pairs_->kernels().add_to(report, "join_pairs", figures_);
}

std::uint64_t PairedRows::bytes() const {
  constexpr std::uint64_t bytes_of_counts = 16;
  if (!partitions_) return pairs_->bytes();
  return bytes_on_device(left_.rows) + bytes_of_counts * left_.rows.row_count;
}

Result<std::unique_ptr<ChunkSource>> PairScan::open(PairedRows& rows, const TileProgram& program,
                                                    StringPool& strings,
                                                    std::uint64_t chunk_pairs) {
  std::unique_ptr<PairScan> scan(new PairScan(rows, program, chunk_pairs));
  PENSTOCK_TRY(scan->find_columns(strings));
  return std::unique_ptr<ChunkSource>(std::move(scan));
}

// Functions of strings are computed once for all rows of their side.
Status PairScan::find_columns(StringPool& strings) {
  const DevicePairs& pairs = rows_.pairs();
  PENSTOCK_ASSIGN(const auto queue, pairs.kernels().device().queue());
  DeviceColumns of_left(pairs.kernels(), *queue, pairs.left(), 0, strings),
      of_right(pairs.kernels(), *queue, pairs.right().rows, rows_.left_columns(), strings);
  Status found;
  for (const std::uint32_t column : program_.device_columns) {
    auto of_side = (is_of_left(column) ? of_left : of_right).column_of(program_, column);
    found = of_side.status();
    if (!found.ok()) break;
    columns_.push_back(std::move(of_side).value());
  }
  bytes_uploaded_ = of_left.bytes_uploaded() + of_right.bytes_uploaded();
  PENSTOCK_TRY(queue->finish());  // also after an error: uploads read what the two hold
  return found;
}

Result<bool> PairScan::next(ChunkMemory& memory, Queue& compute) {
  const DevicePairs& pairs = rows_.pairs();
  const std::uint64_t count = std::min(chunk_pairs_, pairs.pair_count() - taken_);
  memory.input = {};
  if (count == 0) return false;
  const std::uint64_t launches_before = pairs.kernels().launches();
  Launched launched;
  PENSTOCK_ASSIGN(launched.begun, compute.record());
  PENSTOCK_TRY(make(memory, compute, count));
  PENSTOCK_ASSIGN(launched.done, compute.record());
  launched_.push_back(std::move(launched));
  figures_.launches += pairs.kernels().launches() - launches_before;
  memory.input.row_count = count;
  memory.first_row = taken_;
  taken_ += count;
  return true;
}

// Makes a range of pairs, and the columns that the kernel reads of it. Each value is read and
// written.
Status PairScan::make(ChunkMemory& memory, Queue& compute, std::uint64_t count) {
  constexpr std::uint64_t bytes_of_numbers = 9;
  const DevicePairs& pairs = rows_.pairs();
  PENSTOCK_ASSIGN(const DevicePairs::Range range, pairs.make(compute, taken_, count));
  figures_.bytes_moved += count * bytes_of_numbers;
  for (std::size_t i = 0; i < columns_.size(); i++) {
    const std::uint32_t column = program_.device_columns[i];
    PENSTOCK_ASSIGN(
        const DeviceColumn of_pairs,
        pairs.gather(compute, columns_[i], is_of_left(column) ? range.left : range.right));
    PENSTOCK_TRY(add_column(pairs.kernels(), compute, of_pairs, count,
                            program_.source_schema[column].nullable, memory.input.buffers));
    figures_.bytes_moved += 2 * count * width_bytes(of_pairs.type);
  }
  return {};
}

Status PairScan::check(ChunkMemory& memory) {
  const Launched launched = std::move(launched_.front());  // chunks are done in their order
  launched_.pop_front();
  PENSTOCK_ASSIGN(const double seconds, launched.done->seconds_since(*launched.begun));
  figures_.device_seconds += seconds;
  memory.input.buffers.clear();
  return {};
}

std::vector<KernelReport> PairScan::take_code_reports() {
  rows_.add(figures_);
  return {};
}

}  // namespace penstock::plan
