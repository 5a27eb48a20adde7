// Decoders that are one kernel over a batch, which hands out its chunks by a counter in scratch memory.
#pragma once
#include "codec/chunks/chunk_decoder.hpp"
#include "codec/chunks/chunk_program.hpp"

namespace penstock::chunks {

// `files`: the program's texts, of which the last is named as the kernel, `name`. Where `bytes_a_chunk` is not 0, the kernel's last
// parameter is the scratch memory again, which has so much for each chunk that is being decoded, behind the first scratch_head_bytes.
constexpr std::uint64_t scratch_head_bytes = 256;
Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device, std::string_view name, GroupPolicy policy,
                                                      std::initializer_list<std::string_view> files, std::uint64_t bytes_a_chunk = 0);

// Teams of 32 items that take `team_bytes` of local memory each: as many as fit a group of `most_teams`, and so many groups a unit.
GroupPolicy team_policy(const Traits& traits, std::uint64_t team_bytes, std::uint32_t most_teams, std::uint32_t groups_a_unit);
bool has_room_for_teams(const Traits& traits, std::uint64_t team_bytes);
GroupPolicy items_policy(const Traits& traits);

}  // namespace penstock::chunks
