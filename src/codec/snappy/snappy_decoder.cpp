// Snappy blocks on a device: by teams of 32 items on GPUs, an item a block elsewhere.
#include "codec/chunks/kernel_decoder.hpp"

namespace penstock::chunks {
namespace {

constexpr std::uint64_t team_bytes = 4096;      // tokens.kc: window, tile, lists of pieces and tokens

}  // namespace

bool has_room_for_snappy_teams(const Traits& traits) { return has_room_for_teams(traits, team_bytes); }

// Eight teams a group, six groups a multiprocessor, as LZ4's (lz4_decoder.cpp).
Result<std::unique_ptr<Decoder>> build_snappy_team(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = team_policy(device->traits(), team_bytes, 8, 6);
  return build_kernel_decoder(std::move(device), name, policy,
                              {"snappy/kernels/snappy_block", "chunks/kernels/copies", "chunks/kernels/literals_of_window",
                               "chunks/kernels/sequences", "chunks/kernels/tokens", "snappy/kernels/snappy_decode_team"});
}

Result<std::unique_ptr<Decoder>> build_snappy_items(std::shared_ptr<Device> device, std::string_view name) {
  const GroupPolicy policy = items_policy(device->traits());
  return build_kernel_decoder(std::move(device), name, policy, {"snappy/kernels/snappy_block", "snappy/kernels/snappy_decode_items"});
}

}  // namespace penstock::chunks
