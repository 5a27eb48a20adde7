#include "exec/physical/run_state.hpp"

#include <algorithm>
#include <utility>

#include "device/driver.hpp"
#include "device/memory_budget.hpp"
#include "fuse/program/stages.hpp"
#include "penstock/session_device.hpp"
#include "table/join/join_kernels.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

RunState::RunState(const Plan& of, const std::vector<StepId>& of_results, const RunOptions& by,
                   RunInputs inputs)
    : plan(of),
      results(of_results),
      options(by),
      consumers(count_consumers(of, of_results)),
      recording(by.profile || by.stalls ? std::make_shared<Recording>() : nullptr),
      opener(by, recording, std::move(inputs.device)),
      known(std::move(inputs.rows)),
      share(std::move(inputs.share)) {
  // One more consumer makes a step shared, and no chain passes through it.
  for (const auto& [step, rows] : known) consumers[step]++;
  group_share = {share.groups, share.number};
}

std::optional<Traits> RunState::expected_traits() const {
  if (device()) return device()->traits();
  if (!expects_gpu || !device::expects_cuda(options.device)) return {};
  Traits expected;
  expected.target = Target::cuda;
  expected.has_f64 = true;
  return expected;
}

Status RunState::open_device() {
  PENSTOCK_ASSIGN(const bool has_opened, opener.wait());
  return has_opened && when_open ? when_open() : Status();
}

Status RunState::ask_for_new_plan(Replan why) {
  replan = std::move(why);
  return Status(Code::cancelled, "the plan is made anew: " + replan->reason);
}

const std::shared_ptr<RowKernels>& RunState::row_kernels() {
  if (!row_kernels_) row_kernels_ = begin_join_kernels(device());
  return row_kernels_;
}

// A profile's device records what the decoder does, so that the decoder is the run's own.
Result<std::shared_ptr<pages::PageDecoder>> RunState::page_decoder() {
  if (page_decoder_) return page_decoder_;
  const bool is_shared = options.session && !recording;
  PENSTOCK_ASSIGN(page_decoder_, is_shared ? options.session->page_decoder()
                                           : pages::PageDecoder::create(device()));
  return page_decoder_;
}

std::uint64_t RunState::bytes_of_sides() const {
  std::uint64_t bytes = pair_bytes;
  for (const auto& [join, side] : sides)
    if (side->on_device)
      bytes += bytes_on_device(side->on_device->rows) + side->on_device->table.bytes;
  return bytes;
}

std::uint64_t RunState::bytes_left_for_sides(std::uint64_t besides_bytes) const {
  const std::uint64_t limit_bytes =
      device::MemoryBudget(device()->traits(), options.memory_limit_bytes)
          .share_of(device::MemoryUse::right_sides);
  return limit_bytes - std::min(bytes_of_sides() + besides_bytes, limit_bytes);
}

std::string RunState::limit_of_right_sides() const {
  const Traits& traits = device()->traits();
  return "a quarter of " +
         bytes_text(device::MemoryBudget(traits, options.memory_limit_bytes).bytes()) + " on " +
         traits.id + " is for right sides and their tables";
}

bool RunState::is_in_buckets(StepId join) const {
  const auto side = sides.find(join);
  return side != sides.end() && side->second->buckets;
}

bool RunState::has_repeated_keys(StepId join) const {
  const auto side = sides.find(join);
  return side != sides.end() && yields_right_columns(plan.step(join).join_kind) &&
         !side->second->has_unique_keys();
}

Result<Table> RunState::download(const Step& step, const DeviceRows& rows, const Columns& columns) {
  Table table;
  table.row_count = rows.row_count;
  PENSTOCK_ASSIGN(table.columns, download_columns(*device(), rows, columns, strings));
  for (const Column& column : table.columns)
    report.bytes_downloaded += rows.row_count * width_bytes(column.type);
  return spread_columns(step.schema, columns, table);
}

// Half a gigabyte takes 15 ms, while the first table is decoded already.
void RunState::pin_read_ahead() {
  if (not_pinned.empty() || device()->traits().unified_memory) return;
  pinning_ = ThreadPool::shared().start([all = std::exchange(not_pinned, {}), on = device()] {
    for (const std::weak_ptr<PinnedSlabs>& one : all)
      if (const auto memory = one.lock()) memory->pin_on(on);
  });
}

}  // namespace penstock::plan
