#include "device/direct_file.hpp"

namespace penstock::device {
namespace {

class EndedReads final : public FileReads {
 public:
  bool has_ended() const override { return true; }
  Status wait_on(Queue&) override { return {}; }
};

}  // namespace

Result<std::unique_ptr<FileReads>> DirectFile::begin(Queue& queue, std::shared_ptr<Buffer> to,
                                                     std::vector<FileRange> ranges) const {
  PENSTOCK_TRY(read(queue, *to, ranges));
  return std::unique_ptr<FileReads>(std::make_unique<EndedReads>());
}

}  // namespace penstock::device
