#include "codec/zstd/format/dictionary.hpp"

#include <string>

#include "base/exception_boundary.hpp"
#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

Status bad(std::size_t byte, const std::string& what) {
  return {Code::corrupt, "Zstandard dictionary, byte " + std::to_string(byte) + ": " + what};
}

// Reads a formatted dictionary after its id.
class Reader {
 public:
  explicit Reader(std::span<const Byte> bytes) : bytes_(bytes) {}

  Status read(Dictionary& dictionary) {
    std::size_t used = 0;
    if (const char* error =
            read_weights(bytes_.subspan(at_), largest_dictionary_code_bits, dictionary.tree, used))
      return bad(at_, error);
    at_ += used;
    for (const CodeKind kind :
         {CodeKind::offset, CodeKind::match_length, CodeKind::literal_length}) {
      TableSource& source = dictionary.sources[static_cast<std::size_t>(kind)];
      source.mode = TableMode::fse;
      const char* error = read_distribution(bytes_.subspan(at_), largest_log_of(kind),
                                            code_count_of(kind), source.distribution, used);
      if (error != nullptr) return bad(at_, error);
      at_ += used;
    }
    return read_offsets(dictionary);
  }

 private:
  Status read_offsets(Dictionary& dictionary) {
    const std::size_t offset_bytes = 4 * dictionary.offsets.size();
    if (bytes_.size() - at_ < offset_bytes) return bad(at_, "its latest offsets are cut short");
    const std::size_t content_bytes = bytes_.size() - at_ - offset_bytes;
    for (std::uint32_t& offset : dictionary.offsets) {
      offset = static_cast<std::uint32_t>(load_le(bytes_.data() + at_, 4));
      if (offset == 0 || offset > content_bytes)
        return bad(at_, "offset " + std::to_string(offset) + " is not within its content");
      at_ += 4;
    }
    dictionary.content.assign(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), bytes_.end());
    dictionary.has_tables = true;
    return {};
  }

  std::span<const Byte> bytes_;
  std::size_t at_ = 8;
};

Result<std::shared_ptr<const Dictionary>> read(std::span<const Byte> bytes) {
  const auto dictionary = std::make_shared<Dictionary>();
  if (bytes.size() < 8 || load_le(bytes.data(), 4) != dictionary_magic) {
    dictionary->content.assign(bytes.begin(), bytes.end());
    return std::shared_ptr<const Dictionary>(dictionary);
  }
  dictionary->id = static_cast<std::uint32_t>(load_le(bytes.data() + 4, 4));
  PENSTOCK_TRY(Reader(bytes).read(*dictionary));
  return std::shared_ptr<const Dictionary>(dictionary);
}

}  // namespace

Result<std::shared_ptr<const Dictionary>> read_dictionary(std::span<const std::byte> bytes) {
  return catch_exceptions(
      [&] { return read({reinterpret_cast<const Byte*>(bytes.data()), bytes.size()}); });
}

}  // namespace penstock::zstd
