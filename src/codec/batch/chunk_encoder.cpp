#include <algorithm>
#include <array>

#include "codec/batch/chunk_decoder.hpp"

namespace penstock::chunks {
namespace {

constexpr std::string_view matcher = "lz/kernels/match_finder",
                           by_team = "lz/kernels/matches_of_team",
                           by_item = "lz/kernels/matches_of_item", alone = "lz/kernels/team_of_one",
                           find = "lz/kernels/find_sequences",
                           codes = "deflate/kernels/deflate_make_codes",
                           tokens = "deflate/kernels/deflate_tokens",
                           bits = "deflate/kernels/deflate_bits",
                           streams = "deflate/kernels/deflate_encode";

constexpr std::uint64_t deflate_list_bytes = 16384 * 4;  // MOST_TOKENS

// Teams are as many as local memory holds where the L1 cache of an H200 keeps 60 KiB (LZ4; 24 would
// leave it 28) and 28 (Deflate), as LZ4's decoder wants it; other numbers of them were not timed.
constexpr std::array table = {
    Variant{.name = "lz4_encode_team",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_encode_team",
                             .files = {"lz4/kernels/lz4_block", matcher, by_team, find,
                                       "lz4/kernels/lz4_encode", "lz4/kernels/lz4_encode_team"},
                             .takers = Takers::teams,
                             .local_bytes = 9728,
                             .takers_a_group = 4,
                             .groups_a_unit = 5}}},
    Variant{.name = "lz4_encode_items",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_encode_items",
                             .files = {"lz4/kernels/lz4_block", alone, matcher, by_item, find,
                                       "lz4/kernels/lz4_encode", "lz4/kernels/lz4_encode_items"}}},
            .is_for_cpus = true},
    Variant{.name = "deflate_encode_team",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_encode_team",
                             .files = {matcher, by_team, find, codes, tokens, bits, streams,
                                       "deflate/kernels/deflate_encode_team"},
                             .takers = Takers::teams,
                             .local_bytes = 13312,
                             .takers_a_group = 4,
                             .groups_a_unit = 4}},
            .bytes_in_flight = deflate_list_bytes},
    Variant{.name = "deflate_encode_items",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_encode_items",
                             .files = {alone, matcher, by_item, find, codes, tokens, bits, streams,
                                       "deflate/kernels/deflate_encode_items"}}},
            .bytes_in_flight = deflate_list_bytes,
            .is_for_cpus = true},
};

}  // namespace

std::vector<std::string> Encoder::variants(Format format, const Traits& traits) {
  std::vector<std::string> names;
  for (const Variant& row : table)
    if (row.format == format && fits(row, traits)) names.emplace_back(row.name);
  return names;
}

bool Encoder::makes(Format format) {
  return std::any_of(table.begin(), table.end(),
                     [&](const Variant& row) { return row.format == format; });
}

Result<std::unique_ptr<Encoder>> Encoder::build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant) {
  for (const Variant& row : table)
    if (row.format == format && fits(row, device->traits()) &&
        (variant.empty() || variant == row.name))
      return build_kernel_encoder(std::move(device), row);
  if (!makes(format))
    return Status(Code::unsupported, std::string(name_of(format)) + " is not encoded on devices");
  return Status(Code::invalid, "no variant '" + std::string(variant) + "' that encodes " +
                                   std::string(name_of(format)) + " fits " + device->traits().id);
}

std::uint64_t Encoder::bound_bytes(Format format, std::uint64_t text_bytes) {
  // Stored blocks of 11137 bytes or more, each with five bytes and up to seven bits more; 65535
  // bytes go into one at most.
  if (format == Format::deflate) return text_bytes + text_bytes / 1024 + 32;
  return text_bytes + text_bytes / 255 +
         16;  // LZ4: literals alone, whose length goes on for a byte each 255
}

}  // namespace penstock::chunks
