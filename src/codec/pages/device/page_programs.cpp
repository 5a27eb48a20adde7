#include "codec/pages/device/page_programs.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "codec/batch/chunk_program.hpp"
#include "device/driver.hpp"
#include "kernel/variant_table.hpp"

namespace penstock::pages {
namespace {

constexpr std::uint32_t warp_threads = 32, warps_per_group = 4;
constexpr std::array<std::string_view, page_program_count> program_names = {
    "runs", "texts", "deltas", "values", "conversions", "index", "chains", "names"};

constexpr const char *page_family = "pages", *by_warps = "page_warp", *by_threads = "page_thread";

// All programs of pages are by warps, or by threads.
std::vector<kernel::VariantCase> view_of_pages(const Traits& traits) {
  return {{page_family,
           "pages of Parquet",
           {{by_warps,
             both(kernel::fits_groups(traits), kernel::fits_group_size(traits, warp_threads)),
             {{"group_size", std::min(traits.max_group_size, warp_threads * warps_per_group)}}},
            {by_threads, kernel::fits_single_threads(traits), {{"group_size", 1}}}}}};
}
const kernel::VariantTable table_of_pages(view_of_pages);

}  // namespace

batch::Format format_of(Compression compression) {
  switch (compression) {
    case Compression::snappy: return batch::Format::snappy;
    case Compression::gzip: return batch::Format::gzip;
    case Compression::zstandard: return batch::Format::zstd;
    case Compression::none:
    case Compression::other:
    case Compression::lz4_raw: break;
  }
  return batch::Format::lz4;
}

Result<std::unique_ptr<PagePrograms>> PagePrograms::create(std::shared_ptr<Device> device) {
  const Traits& traits = device->traits();
  auto programs = std::unique_ptr<PagePrograms>(new PagePrograms(device));
  const std::vector<std::string> fitting = {traits.wants_single_thread_groups() ? by_threads
                                                                                : by_warps};
  PENSTOCK_TRY(kernel::choose_row(page_family, fitting, {}, traits));
  if (traits.wants_single_thread_groups()) return programs;
  if (traits.max_group_size < warp_threads)
    return Status(Code::unsupported, "groups of 32 threads do not fit " + traits.id);
  const bool has_warps = traits.has_subgroups && traits.subgroup_size == warp_threads;
  if (has_warps && traits.max_group_size >= warp_threads * warps_per_group)
    programs->tasks_per_group_ = warps_per_group;
  programs->group_size_ = warp_threads * programs->tasks_per_group_;
  return programs;
}

Result<std::shared_ptr<Program>> PagePrograms::program(PageProgram which) {
  const auto number = static_cast<std::size_t>(which);
  Slot<Program>& slot = programs_[number];
  const std::lock_guard lock(slot.mutex);
  if (slot.built) return slot.built;
  const batch::GroupPolicy policy{group_size_, 1, tasks_per_group_};
  const std::string file = "pages/kernels/page_" + std::string(program_names[number]) +
                           (group_size_ == 1 ? "_thread" : "_warp");
  PENSTOCK_ASSIGN(slot.built, batch::build_program(*device_, policy, file));
  return slot.built;
}

Status PagePrograms::build_all() {
  for (std::size_t number = 0; number < programs_.size(); number++)
    PENSTOCK_TRY(program(static_cast<PageProgram>(number)).status());
  return {};
}

Result<std::shared_ptr<batch::Decoder>> PagePrograms::decoder(Compression compression) {
  Slot<batch::Decoder>& slot = decoders_[static_cast<std::size_t>(compression)];
  const std::lock_guard lock(slot.mutex);
  if (slot.built) return slot.built;
  PENSTOCK_ASSIGN(auto decoder, batch::Decoder::build(device_, format_of(compression)));
  slot.built = std::move(decoder);
  return slot.built;
}

Status PagePrograms::launch(Queue& queue, PageProgram which, std::string_view kernel,
                            std::uint32_t groups, std::span<const Argument> arguments) {
  if (groups == 0) return {};
  PENSTOCK_ASSIGN(const auto built, program(which));
  return queue.launch(*built, kernel, groups, arguments);
}

std::uint32_t PagePrograms::groups_of_tasks(std::uint64_t count) const {
  return static_cast<std::uint32_t>((count + tasks_per_group_ - 1) / tasks_per_group_);
}

std::uint32_t PagePrograms::groups_of_tiles(std::uint64_t item_count,
                                            std::uint32_t tile_items) const {
  const std::uint64_t tiles = (item_count + tile_items - 1) / tile_items;
  if (group_size_ > 1) return static_cast<std::uint32_t>(tiles);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(tiles, std::uint64_t{device_->traits().compute_units} * 4));
}

// An error is returned again where the program is needed.
void PagePrograms::prepare(const PageNeeds& needs) {
  const std::lock_guard lock(tasks_mutex_);
  for (const PageProgram which : needs.programs)
    if (prepared_.programs.insert(which).second)
      tasks_.push_back(ThreadPool::shared().start([this, which] { (void)program(which).ok(); }));
  for (const Compression compression : needs.compressions)
    if (compression != Compression::none && compression != Compression::other &&
        prepared_.compressions.insert(compression).second)
      tasks_.push_back(
          ThreadPool::shared().start([this, compression] { (void)decoder(compression).ok(); }));
}

void compile_for_expected_gpu(PageNeeds needs) {
  const auto begin = [needs = std::move(needs)]() -> Status {
    PENSTOCK_ASSIGN(auto device, device::expected_cuda_device());
    PENSTOCK_ASSIGN(const auto programs, PagePrograms::create(std::move(device)));
    programs->prepare(needs);
    return {};
  };
  // Without it, or without a thread, the device that opens compiles all.
  static_cast<void>(catch_exceptions([&]() -> Status {
    ThreadPool::shared().start_detached(
        [begin] { static_cast<void>(catch_exceptions([&] { return begin(); })); });
    return {};
  }));
}

}  // namespace penstock::pages
