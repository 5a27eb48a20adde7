// Presents the compressed side as one run of bytes: in memory, or read on demand. Nothing is
// mapped: a mapped file that another program shortens ends the process.
#pragma once
#include <atomic>
#include <memory>

#include "base/file.hpp"
#include "penstock/stream.hpp"
#include "stream/input/file_window.hpp"

namespace penstock::stream {

// Used by one thread at a time. Bytes that peek() returned stay valid while owner(), taken after
// that peek(), is held.
class Input {
 public:
  static Result<std::unique_ptr<Input>> open(const Source& source);
  virtual ~Input() = default;
  // Returns the bytes from the position on: at least `bytes`, fewer only where the input ends; all
  // that is in memory.
  virtual Result<std::span<const std::byte>> peek(std::size_t bytes) = 0;
  // Moves on by bytes that were peeked.
  void skip(std::size_t bytes) {
    skip_bytes(bytes);
    offset_ += bytes;
  }
  // Moves on to where another reader of the file got, which open_window() returned.
  virtual Status skip_to(std::uint64_t offset) { return skip(offset - offset_), Status(); }
  std::uint64_t offset() const { return offset_; }  // may be read by other threads, for progress
  // Null if the bytes outlive every use.
  virtual std::shared_ptr<const void> owner() const = 0;
  // The size of a file, of memory, or of a buffered pipe.
  virtual std::optional<std::uint64_t> size() const = 0;
  // Whether the whole rest is in memory: given as memory, or buffered.
  virtual bool is_in_memory() const = 0;
  // Reads all the rest into memory, for methods that take whole files. Returns false if it has
  // more than `max_bytes`; the rest is read as before then.
  virtual Result<bool> buffer_rest(std::uint64_t max_bytes) = 0;
  // Whether buffer_rest() returned false once.
  bool exceeds_buffer_limit() const { return exceeds_buffer_limit_; }
  // Returns the rest of a file, which several threads read at once; null for all that is not a
  // file.
  virtual Result<std::unique_ptr<FileWindow>> open_window() const {
    return std::unique_ptr<FileWindow>();
  }
  const std::string& name() const { return name_; }

 protected:
  explicit Input(std::string name) : name_(std::move(name)) {}
  virtual void skip_bytes(std::size_t bytes) = 0;
  void move_to(std::uint64_t offset) { offset_ = offset; }
  bool exceeds_buffer_limit_ = false;

 private:
  std::string name_;
  std::atomic<std::uint64_t> offset_ = 0;
};

}  // namespace penstock::stream
