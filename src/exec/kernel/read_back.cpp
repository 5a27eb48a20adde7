#include "exec/kernel/read_back.hpp"

#include <algorithm>

namespace penstock::plan {

Status ReadBack::begin(std::shared_ptr<Device> device, const Event& done) {
  if (!queue_) {
    device_ = std::move(device);
    PENSTOCK_ASSIGN(queue_, device_->queue());
  }
  memory_.clear();  // read and waited for: a caller that begins again has taken the chunk
  return queue_->wait_for(done);
}

Result<std::shared_ptr<HostBuffer>> ReadBack::read_bytes(const Buffer& from, std::uint64_t bytes,
                                                         std::uint64_t offset_bytes) {
  PENSTOCK_ASSIGN(std::shared_ptr<HostBuffer> memory,
                  device_->allocate_host(std::max<std::uint64_t>(bytes, 64)));
  memory_.push_back(memory);
  PENSTOCK_TRY(queue_->download(memory->data(), from, bytes, offset_bytes));
  return memory;
}

}  // namespace penstock::plan
