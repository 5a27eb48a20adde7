// A rank's share of a cut, as bytes.
#pragma once
#include "exec/devices/share_run.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {

// A rank without rows has no parts.
struct RankShare {
  plan::SharePart parts;
  RunReport report;  // without profile and sources of kernels
};

Result<MessageBytes> bytes_of_share(const Result<RankShare>& share);
// An error is the sender's, or says that the bytes are not a share.
Result<RankShare> share_of_bytes(std::span<const std::byte> bytes);

}  // namespace penstock::ranks
