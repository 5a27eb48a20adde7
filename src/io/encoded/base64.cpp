#include "io/encoded/base64.hpp"

#include <arrow/util/base64.h>

#include <type_traits>
#include <utility>

namespace penstock::io {
namespace {

// Arrow's decoder returns a string, or a Result of one in later versions.
[[maybe_unused]] std::optional<std::string> bytes_of(std::string bytes) { return bytes; }
template <class Result> std::optional<std::string> bytes_of(Result&& bytes) {
  if (!bytes.ok()) return std::nullopt;
  return std::forward<Result>(bytes).ValueOrDie();
}

}  // namespace

std::string encode_base64(std::span<const std::byte> bytes) {
  return arrow::util::base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Arrow's decoders differ in what they let pass (missing padding, bits that no byte has). Encoding
// the bytes again accepts exactly one text for them.
std::optional<std::string> decode_base64(std::string_view text) {
  auto bytes = bytes_of(arrow::util::base64_decode(text));
  if (!bytes || arrow::util::base64_encode(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace penstock::io
