#include <algorithm>
#include <array>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/deflate/kernels/deflate_limits.h"
#include "codec/lz4/kernels/lz4_limits.h"

namespace penstock::batch {
namespace {

constexpr std::uint64_t encode_list_bytes = DEFLATE_ENCODE_TOKENS * 4;

// As many warps as local memory holds while the L1 cache of an H200 keeps 60 KiB (LZ4; with 24
// warps it would keep 28) and 28 KiB (Deflate), as LZ4's decoder needs. Other numbers were not
// timed.
constexpr std::array encoder_variants = {
    Variant{.name = "lz4_encode_warp",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_encode_warp",
                             .file = "lz4/kernels/lz4_encode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = LZ4_ENCODE_WARP_BYTES,
                             .max_workers_per_group = 4,
                             .groups_per_multiprocessor = 5}}},
    Variant{
        .name = "lz4_encode_thread",
        .format = Format::lz4,
        .phases = {Phase{.kernel = "lz4_encode_thread", .file = "lz4/kernels/lz4_encode_thread"}},
        .is_for_cpus = true},
    Variant{.name = "deflate_encode_warp",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_encode_warp",
                             .file = "deflate/kernels/deflate_encode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = DEFLATE_ENCODE_WARP_BYTES,
                             .max_workers_per_group = 4,
                             .groups_per_multiprocessor = 4}},
            .bytes_per_active_chunk = encode_list_bytes},
    Variant{.name = "deflate_encode_thread",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_encode_thread",
                             .file = "deflate/kernels/deflate_encode_thread"}},
            .bytes_per_active_chunk = encode_list_bytes,
            .is_for_cpus = true},
};

std::vector<kernel::VariantCase> view_of_encoders(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (const Variant& row : encoder_variants) {
    const std::string family = encoding_family(row.format);
    if (cases.empty() || cases.back().family != family)
      cases.push_back({family, "chunks of any size", {}});
    cases.back().rows.push_back(view_of(family, row, traits));
  }
  return cases;
}
const kernel::VariantTable table_of_encoders(view_of_encoders);

}  // namespace

std::vector<std::string> Encoder::variants(Format format, const Traits& traits) {
  std::vector<std::string> names;
  for (const Variant& row : encoder_variants)
    if (row.format == format && fits(row, traits)) names.emplace_back(row.name);
  return names;
}

bool Encoder::supports(Format format) {
  return std::any_of(encoder_variants.begin(), encoder_variants.end(),
                     [&](const Variant& row) { return row.format == format; });
}

Result<std::unique_ptr<Encoder>> Encoder::build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant) {
  if (!supports(format))
    return Status(Code::unsupported, std::string(name_of(format)) + " is not encoded on devices");
  const std::vector<std::string> names = variants(format, device->traits());
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(encoding_family(format), names, variant, device->traits()));
  const Variant& row = *std::ranges::find(encoder_variants, names[chosen.index], &Variant::name);
  return build_kernel_encoder(std::move(device), row);
}

std::uint64_t Encoder::bound_bytes(Format format, std::uint64_t input_bytes) {
  // Deflate: stored blocks of 11137 bytes or more, each with five bytes and up to seven bits of
  // overhead. A stored block has 65535 bytes at most.
  if (format == Format::deflate) return input_bytes + input_bytes / 1024 + 32;
  // LZ4: only literals; their length takes one more byte per 255.
  return input_bytes + input_bytes / 255 + 16;
}

}  // namespace penstock::batch
