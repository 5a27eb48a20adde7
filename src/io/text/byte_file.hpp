// The bytes of a file or pipe at any offset, for several readers at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/file.hpp"
#include "penstock/status.hpp"

namespace penstock::io {

class ByteFile {
 public:
  // `name` is the path in quotes, or "standard input".
  explicit ByteFile(std::string name) : name_(std::move(name)) {}
  virtual ~ByteFile() = default;
  // Fills `into` from its beginning and returns how many bytes it wrote: fewer only at the end.
  virtual Result<std::size_t> read_at(std::span<char> into, std::uint64_t offset) = 0;
  // A descriptor that others may read by, too, of a regular file that is read from its first byte.
  virtual std::optional<int> descriptor() const { return std::nullopt; }
  const std::string& name() const { return name_; }

 protected:
  Status error(int number) const;  // "cannot read 'a.csv': No such file or directory"

 private:
  const std::string name_;
};

// Says which of this process's open descriptors a path names: 0 for "-" and "/dev/stdin", 63 for
// "/dev/fd/63".
std::optional<int> descriptor_named(const std::string& path);
// Opens a path, or doubles the descriptor that it names. errno has the reason of a failure.
std::unique_ptr<File> open_descriptor(const std::string& path);

// Opens a file or pipe for reading. All readers of one pipe share what was read of it.
Result<std::shared_ptr<ByteFile>> open_bytes(const std::string& path);

}  // namespace penstock::io
