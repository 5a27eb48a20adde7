// The compressed side as one run of bytes: mapped, in memory, or read as it is asked for.
#pragma once
#include <atomic>
#include <memory>

#include "base/file.hpp"
#include "base/huge_page_allocator.hpp"
#include "penstock/stream.hpp"

namespace penstock::stream {

// Used by one thread at a time. What peek() returned stays where it is while somebody holds
// owner(), taken behind that peek().
class Input {
 public:
  static Result<std::unique_ptr<Input>> open(const Source& source);
  virtual ~Input() = default;
  // From the position on: at least `bytes`, fewer only where the input ends; all the rest where the
  // input is mapped.
  virtual Result<std::span<const std::byte>> peek(std::size_t bytes) = 0;
  void skip(std::size_t bytes) {  // of what was peeked
    skip_bytes(bytes);
    offset_ += bytes;
  }
  std::uint64_t offset() const { return offset_; }  // may be read by other threads, for progress
  // Null where bytes outlive every use.
  virtual std::shared_ptr<const void> owner() const = 0;
  virtual std::optional<std::uint64_t> size() const = 0;
  // Mapped, in memory, or held: all the rest is there.
  bool is_mapped() const { return size().has_value(); }
  // Reads all the rest of what is neither mapped nor in memory, which then is, for who wants all of
  // it at once. False where that is more than `max_bytes`; what was read is there to be peeked,
  // and the rest is read as before.
  virtual Result<bool> hold_rest(std::uint64_t max_bytes) = 0;
  const std::string& name() const { return name_; }

 protected:
  explicit Input(std::string name) : name_(std::move(name)) {}
  virtual void skip_bytes(std::size_t bytes) = 0;

 private:
  std::string name_;
  std::atomic<std::uint64_t> offset_ = 0;
};

}  // namespace penstock::stream
