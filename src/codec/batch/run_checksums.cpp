#include "codec/batch/run_checksums.hpp"

#include <algorithm>
#include <array>

#include "codec/batch/chunk_program.hpp"
#include "kernel/variant_table.hpp"

namespace penstock::batch {
namespace {

constexpr std::uint32_t warp_threads = 32;
constexpr std::uint32_t warps_per_group = 4;
constexpr std::uint32_t groups_per_multiprocessor = 8;  // 16 KiB of tables per group; not tuned yet
// More groups than are resident: runs differ in length, and the scheduler balances them.
constexpr std::uint32_t max_groups_per_multiprocessor = 64;

// The files before the kernel's, for warps and for threads; empty after the last.
struct Row {
  Checksum checksum;
  std::string_view warp_file, thread_file;  // of src/codec
  std::uint32_t lanes_per_run;              // of a warp
};
constexpr std::array checksum_rows = {
    Row{Checksum::crc32, "checksum/kernels/crc32_runs_warp", "checksum/kernels/crc32_runs_thread",
        warp_threads},
    Row{Checksum::adler32, "checksum/kernels/adler32_runs_warp",
        "checksum/kernels/adler32_runs_thread", warp_threads},
    Row{Checksum::xxh32, "checksum/kernels/xxh32_runs_warp", "checksum/kernels/xxh32_runs_thread",
        4},
    Row{Checksum::xxh64, "checksum/kernels/xxh64_runs_warp", "checksum/kernels/xxh64_runs_thread",
        4},
};

GroupPolicy policy_of(const Row& row, const Traits& traits) {
  if (traits.wants_single_thread_groups()) return {1, groups_per_multiprocessor, 1};
  const bool has_warps = traits.has_subgroups && traits.subgroup_size == warp_threads;
  const std::uint32_t warps =
      has_warps ? std::min<std::uint32_t>(warps_per_group, traits.max_group_size / warp_threads)
                : 1;
  return {warps * warp_threads, groups_per_multiprocessor,
          warps * warp_threads / row.lanes_per_run};
}

// The name of a row's kernel: "crc32_runs_warp".
std::string kernel_of(std::string_view file) {
  return std::string(file.substr(file.rfind('/') + 1));
}

// A family for each checksum: "crc32_runs".
std::string family_of(const Row& row) {
  const std::string name = kernel_of(row.thread_file);
  return name.substr(0, name.rfind('_'));
}

kernel::VariantCase view_of(const Row& row, const Traits& traits) {
  const GroupPolicy policy = policy_of(row, traits);
  const kernel::PolicyNumbers numbers = {
      {"group_size", policy.group_size},
      {"groups_per_multiprocessor", policy.groups_per_multiprocessor}};
  return {family_of(row),
          "runs of bytes",
          {{kernel_of(row.warp_file), kernel::fits_groups(traits), numbers},
           {kernel_of(row.thread_file), kernel::fits_single_threads(traits), numbers}}};
}

std::vector<kernel::VariantCase> view_of_checksums(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (const Row& row : checksum_rows) cases.push_back(view_of(row, traits));
  return cases;
}
const kernel::VariantTable table_of_checksums(view_of_checksums);

bool has_words(const std::shared_ptr<Buffer>& buffer, std::uint64_t count) {
  return buffer != nullptr && buffer->bytes() >= count * 8;
}

}  // namespace

Result<RunChecksums> RunChecksums::build(std::shared_ptr<Device> device, Checksum checksum) {
  const Row& row = *std::find_if(checksum_rows.begin(), checksum_rows.end(),
                                 [&](const Row& each) { return each.checksum == checksum; });
  const GroupPolicy policy = policy_of(row, device->traits());
  const std::string_view file =
      device->traits().wants_single_thread_groups() ? row.thread_file : row.warp_file;
  const std::vector<std::string> fitting = {kernel_of(file)};
  PENSTOCK_TRY(kernel::choose_row(family_of(row), fitting, {}, device->traits()));
  RunChecksums result;
  PENSTOCK_ASSIGN(result.program_, build_program(*device, policy, file));
  result.device_ = std::move(device);
  result.runs_per_group_ = policy.chunks_per_group;
  return result;
}

Status RunChecksums::enqueue(Queue& queue, const RunBatch& batch) {
  if (batch.bytes == nullptr || !has_words(batch.offsets, batch.run_count) ||
      !has_words(batch.sizes, batch.run_count) || !has_words(batch.checksums, batch.run_count))
    return Status(Code::invalid, "memory for " + std::to_string(batch.run_count) +
                                     " runs' offsets, sizes or checksums is too small");
  const std::uint64_t wanted =
      (std::uint64_t{batch.run_count} + runs_per_group_ - 1) / runs_per_group_;
  const std::uint64_t max_groups =
      std::uint64_t{device_->traits().compute_units} * max_groups_per_multiprocessor;
  return queue.launch(
      *program_, "checksum_runs", static_cast<std::uint32_t>(std::min(wanted, max_groups)),
      {{Argument::of(*batch.bytes), Argument::of(*batch.offsets), Argument::of(*batch.sizes),
        Argument::of(*batch.checksums), Argument::value(batch.run_count)}});
}

}  // namespace penstock::batch
