#include "penstock/ranks.hpp"

namespace penstock {

Result<std::vector<MessageBytes>> Communicator::gather(std::span<const std::byte> own) {
  std::vector<MessageBytes> all;
  if (rank() > 0) {
    PENSTOCK_TRY(send(0, own));
    return all;
  }
  all.emplace_back(own.begin(), own.end());
  for (std::uint32_t from = 1; from < size(); from++) {
    PENSTOCK_ASSIGN(all.emplace_back(), receive(from));
  }
  return all;
}

Result<MessageBytes> Communicator::broadcast(std::span<const std::byte> of_first) {
  if (rank() > 0) return receive(0);
  for (std::uint32_t to = 1; to < size(); to++) PENSTOCK_TRY(send(to, of_first));
  return MessageBytes(of_first.begin(), of_first.end());
}

}  // namespace penstock
