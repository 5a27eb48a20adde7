#include "io/text/text_input.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "base/file.hpp"

namespace penstock::io {
namespace {

// Read, not mapped: a file that another program shortens meanwhile ends earlier, without a signal.
class PlainText final : public TextInput {
 public:
  explicit PlainText(const std::string& path) : file_(path, O_RDONLY) {}
  bool is_open() const { return static_cast<bool>(file_); }
  Result<std::size_t> read(std::span<char> into) override {
    return file_.read_up_to(into.data(), into.size());
  }

 private:
  const File file_;
};

}  // namespace

Result<std::unique_ptr<TextInput>> open_text(const std::string& path) {
  auto text = std::make_unique<PlainText>(path);
  if (!text->is_open())
    return Status(Code::io, "cannot read '" + path + "': " + std::strerror(errno));
  return std::unique_ptr<TextInput>(std::move(text));
}

}  // namespace penstock::io
