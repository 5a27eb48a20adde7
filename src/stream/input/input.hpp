// Presents the compressed side as one run of bytes: mapped, in memory, or read on demand.
#pragma once
#include <atomic>
#include <memory>

#include "base/file.hpp"
#include "base/huge_page_allocator.hpp"
#include "penstock/stream.hpp"

namespace penstock::stream {

// Used by one thread at a time. Bytes that peek() returned stay valid while owner(), taken after
// that peek(), is held.
class Input {
 public:
  static Result<std::unique_ptr<Input>> open(const Source& source);
  virtual ~Input() = default;
  // Returns the bytes from the position on: at least `bytes`, fewer only where the input ends; all
  // the rest of a mapped input.
  virtual Result<std::span<const std::byte>> peek(std::size_t bytes) = 0;
  // Moves on by bytes that were peeked.
  void skip(std::size_t bytes) {
    skip_bytes(bytes);
    offset_ += bytes;
  }
  std::uint64_t offset() const { return offset_; }  // may be read by other threads, for progress
  // Null where the bytes outlive every use.
  virtual std::shared_ptr<const void> owner() const = 0;
  virtual std::optional<std::uint64_t> size() const = 0;
  // Whether all the rest is in memory: mapped, given so, or buffered.
  bool is_mapped() const { return size().has_value(); }
  // Reads all the rest of a pipe into memory, for methods that take whole files. Returns false
  // where it has more than `max_bytes`; what was read can be peeked, and the rest is read as
  // before.
  virtual Result<bool> buffer_rest(std::uint64_t max_bytes) = 0;
  // Whether buffer_rest() returned false once.
  bool exceeds_buffer_limit() const { return exceeds_buffer_limit_; }
  const std::string& name() const { return name_; }

 protected:
  explicit Input(std::string name) : name_(std::move(name)) {}
  virtual void skip_bytes(std::size_t bytes) = 0;
  bool exceeds_buffer_limit_ = false;

 private:
  std::string name_;
  std::atomic<std::uint64_t> offset_ = 0;
};

}  // namespace penstock::stream
