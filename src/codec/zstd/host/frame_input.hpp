// The source of a frame's bytes, block after block: memory that has all of them, or a file or pipe
// that is read as blocks are found.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

struct FrameBytes {
  std::span<const Byte> bytes;
  std::shared_ptr<const void> owner;  // keeps them; null if they outlive the frame's decoder
};

class FrameInput {
 public:
  virtual ~FrameInput() = default;
  // Returns the bytes after the frame's byte `at`, which never decreases: at least as many as
  // requested, fewer only at the input's end. copy_slack_bytes before them may be read, except
  // before the frame's first byte.
  virtual Result<FrameBytes> bytes_from(std::uint64_t at, std::size_t bytes) = 0;
};

class FrameInMemory final : public FrameInput {
 public:
  explicit FrameInMemory(std::span<const std::byte> input)
      : input_(reinterpret_cast<const Byte*>(input.data()), input.size()) {}
  Result<FrameBytes> bytes_from(std::uint64_t at, std::size_t) override {
    return FrameBytes{input_.subspan(std::min<std::uint64_t>(at, input_.size())), nullptr};
  }

 private:
  std::span<const Byte> input_;
};

}  // namespace penstock::zstd
