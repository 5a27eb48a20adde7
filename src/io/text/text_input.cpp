#include "io/text/text_input.hpp"

#include <algorithm>

#include "io/text/byte_file.hpp"
#include "io/text/decompressed_text.hpp"

namespace penstock::io {
namespace {

// So many bytes tell compressed bytes from text; zstd's skippable frames may be longer.
constexpr std::size_t inspected_bytes = 4096;

class PlainText final : public TextInput {
 public:
  explicit PlainText(std::shared_ptr<ByteFile> file) : file_(std::move(file)) {}
  Result<std::size_t> read(std::span<char> into) override {
    PENSTOCK_ASSIGN(const std::size_t bytes, file_->read_at(into, offset_));
    offset_ += bytes;
    return bytes;
  }

 private:
  const std::shared_ptr<ByteFile> file_;
  std::uint64_t offset_ = 0;
};

Result<std::string> start_of(ByteFile& file, std::size_t bytes) {
  std::string start(bytes, '\0');
  PENSTOCK_ASSIGN(const std::size_t read_bytes, file.read_at(start, 0));
  start.resize(read_bytes);
  return start;
}

}  // namespace

Result<std::unique_ptr<TextInput>> open_text(const std::string& path) {
  PENSTOCK_ASSIGN(auto file, open_bytes(path));
  PENSTOCK_ASSIGN(const std::string start, start_of(*file, inspected_bytes));
  if (is_compressed(start)) return decompressed_text(std::move(file));
  return std::unique_ptr<TextInput>(std::make_unique<PlainText>(std::move(file)));
}

Result<std::string> text_start(const std::string& path, std::size_t bytes) {
  PENSTOCK_ASSIGN(const auto file, open_bytes(path));
  PENSTOCK_ASSIGN(std::string start, start_of(*file, std::max(bytes, inspected_bytes)));
  if (is_compressed(start)) return decompressed_start(*file, bytes);
  start.resize(std::min(start.size(), bytes));
  return start;
}

}  // namespace penstock::io
