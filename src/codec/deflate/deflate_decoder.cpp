// Deflate streams on a device: by teams of 32 items on GPUs, an item a stream on CPUs.
#include "codec/chunks/kernel_decoder.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint64_t team_bytes = 7424;          // deflate_codes.kc: tables, and a window of the input or a tile of the text
constexpr std::uint64_t list_bytes = 2048 * 4;      // MOST_TOKENS

}  // namespace

bool has_room_for_deflate_teams(const Traits& traits) { return has_room_for_teams(traits, team_bytes); }

// Four teams a group, seven groups a multiprocessor: as many as local memory holds.
Result<std::unique_ptr<Decoder>> build_deflate_team(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = team_policy(device->traits(), team_bytes, 4, 7);
  return build_kernel_decoder(std::move(device), name, policy,
                              {"deflate/kernels/deflate_tables", "chunks/kernels/copies", "chunks/kernels/literals_of_window",
                               "chunks/kernels/sequences", "deflate/kernels/deflate_codes", "deflate/kernels/deflate_decode_team"},
                              list_bytes);
}

Result<std::unique_ptr<Decoder>> build_deflate_items(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = items_policy(device->traits());
  return build_kernel_decoder(std::move(device), name, policy, {"deflate/kernels/deflate_decode_items"});
}

}  // namespace penstock::chunks
