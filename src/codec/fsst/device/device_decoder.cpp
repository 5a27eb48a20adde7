// Decoding of all rows on a device: the table of variants, and their common code.
#include "codec/fsst/device/device_decoder.hpp"

#include <algorithm>
#include <array>

#include "codec/fsst/device/device_error.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/kernels/fsst_limits.h"
#include "device/architecture.hpp"

namespace penstock::fsst {
namespace {

kernel::Fit fits_memory(const Traits& traits) { return fits_tiles(traits, 0); }

struct Variant {
  std::string_view name;
  kernel::Fit (*fits)(const Traits& traits);
  kernel::PolicyNumbers (*policy)(const Traits& traits);
  std::unique_ptr<DeviceDecoder> (*make)(std::shared_ptr<Device> device);
};
constexpr std::array<Variant, 3> decoder_variants = {
    {{"fsst_decode_spans", has_warps, span_numbers, make_span_decoder},
     {"fsst_decode_tiles", fits_memory, tile_numbers, make_tile_decoder},
     {"fsst_decode_rows", any_device, row_numbers, make_row_decoder}}};

std::vector<kernel::VariantCase> view_of_fsst_decoders(const Traits& traits) {
  kernel::VariantCase all{decode_family, "all rows of a column", {}};
  for (const Variant& variant : decoder_variants) {
    kernel::VariantRow row{std::string(variant.name), variant.fits(traits)};
    if (row.fit) row.policy = policy_in_force(traits, variant.name, variant.policy(traits));
    all.rows.push_back(std::move(row));
  }
  return {all};
}
const kernel::VariantTable table_of_fsst_decoders(view_of_fsst_decoders);

}  // namespace

kernel::Fit has_warps(const Traits& traits) {
  const SpanPolicy policy = span_policy(traits);
  return both(
      kernel::fits_if(device::architecture_number(traits) >= 90 &&
                          (traits.target != Target::sycl || device::has_nvvm(traits)),
                      "it is for NVIDIA's GPUs from sm_90 on, through CUDA, OpenCL or AdaptiveCpp"),
      both(kernel::fits_group_size(traits, 32 * policy.warps),
           kernel::fits_local_memory(traits, policy.local_bytes())));
}

// 28 warps have 72 registers per thread; with 32 the decoding spills. The other rows are for groups
// of 48 KiB, for SYCL and for older OpenCL drivers. SYCL's compiler takes 80 registers for 24 warps
// (1, 2, 4 and 8 copies of both tables were slower on an H200, 0.295 to 0.352 ms instead of 0.288).
SpanPolicy span_policy(const Traits& traits) {
  if (SpanPolicy().local_bytes() <= traits.local_bytes && traits.has_launch_bounds) return {};
  if (device::has_nvvm(traits))
    return {.warps = 8, .groups_per_multiprocessor = 3, .length_copies = 16, .symbol_copies = 1};
  return {.warps = 9, .groups_per_multiprocessor = 3, .length_copies = 1, .symbol_copies = 1};
}

kernel::Fit fits_tiles(const Traits& traits, std::uint32_t row_bytes) {
  return both(kernel::fits_groups(traits),
              kernel::fits_local_memory(traits, std::uint64_t{tile_threads(traits)} *
                                                        (codes_per_thread * 9 + 4 + row_bytes) +
                                                    3200));
}

kernel::PolicyNumbers policy_in_force(const Traits& traits, std::string_view row,
                                      const kernel::PolicyNumbers& standard) {
  return kernel::policy_in_force(
      traits, decode_family, row, standard, [](const kernel::PolicyNumbers& numbers) {
        return std::ranges::all_of(numbers, [](const auto& number) { return number.value > 0; });
      });
}

Status DeviceDecoder::open(const DeviceStrings& strings) {
  offset_bytes_ = strings.offset_bytes;
  PENSTOCK_ASSIGN(status_, device_->allocate(16));
  return open_variant(strings);
}

Result<std::shared_ptr<Program>> DeviceDecoder::build_program(std::string_view file,
                                                              std::uint32_t group_size,
                                                              std::string definitions) {
  return fsst::build_program(*device_, {offset_bytes_, group_size, std::move(definitions)}, file);
}

Status DeviceDecoder::check_arguments(Queue& queue, const DeviceStrings& strings,
                                      const DeviceOutput& output) {
  if (strings.offset_bytes != offset_bytes_)
    return Status(Code::invalid, "the decoder was built for offsets of another width");
  if (strings.tables == nullptr)
    return Status(Code::invalid, "strings that were upload_vector for matching alone");
  if (output.offsets->bytes() < (strings.row_count + 1) * 8 ||
      output.bytes->bytes() < std::max<std::uint64_t>(strings.string_bytes, 1))
    return Status(Code::invalid, "output memory is smaller than the column's strings");
  if (is_status_dirty_) PENSTOCK_TRY(queue.fill(*status_, 0, 8));
  is_status_dirty_ = false;
  return {};
}

void DeviceDecoder::remember(const DeviceStrings& strings, std::shared_ptr<Buffer> given_offsets) {
  enqueued_ = strings;
  given_offsets_ = std::move(given_offsets);
}

Status DeviceDecoder::enqueue(Queue& queue, const DeviceStrings& strings,
                              const DeviceOutput& output) {
  PENSTOCK_TRY(check_arguments(queue, strings, output));
  PENSTOCK_TRY(measure(queue, strings, output));
  remember(strings, nullptr);
  return decode(queue, strings, output);
}

Status DeviceDecoder::enqueue_decode(Queue& queue, const DeviceStrings& strings,
                                     const DeviceOutput& output, GivenOffsets how) {
  PENSTOCK_TRY(check_arguments(queue, strings, output));
  PENSTOCK_TRY(use_given_offsets(queue, strings, output, how));
  remember(strings, output.offsets);
  return decode(queue, strings, output);
}

Status DeviceDecoder::check(Queue& queue) {
  if (enqueued_.row_count == 0) return {};  // nothing since the last check
  std::array<std::uint32_t, 2> status{};
  is_status_dirty_ = true;  // also if the download fails
  PENSTOCK_TRY(queue.download(status.data(), *status_, 8));
  PENSTOCK_TRY(queue.finish());
  const auto [bad_row, errors] = status;
  is_status_dirty_ = bad_row != 0 || errors != 0;
  if (!is_status_dirty_) {
    remember({}, nullptr);  // releases the enqueued work
    return {};
  }
  if (bad_row != 0) return check_bad_row(queue, enqueued_, bad_row);
  PENSTOCK_TRY(check_column(queue, enqueued_, given_offsets_.get()));
  if ((errors & FSST_ERROR_CODE) != 0)
    return Status(Code::corrupt, "a code without a symbol, or an escape at a row group's end");
  return Status(Code::corrupt, "string offsets that do not fit the codes");
}

std::vector<std::string> Decoder::variants(const Traits& traits) {
  std::vector<std::string> names;
  for (const Variant& variant : decoder_variants)
    if (variant.fits(traits)) names.emplace_back(variant.name);
  return names;
}

Result<std::unique_ptr<Decoder>> Decoder::build(std::shared_ptr<Device> device,
                                                const DeviceStrings& strings,
                                                std::string_view variant) {
  const std::vector<std::string> names = variants(device->traits());
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(decode_family, names, variant, device->traits()));
  const Variant& row = *std::ranges::find(decoder_variants, names[chosen.index], &Variant::name);
  std::unique_ptr<DeviceDecoder> decoder = row.make(std::move(device));
  PENSTOCK_TRY(decoder->open(strings));
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::fsst
