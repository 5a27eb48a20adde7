// The rows of functions that make and read BLOBs.
#include <utf8proc.h>
#include <charconv>
#include <optional>

#include "expr/digests.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using namespace string_rows;

constexpr Type blob_type{.kind = Kind::string, .logical = LogicalType::blob};

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; k++)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; k++)
      text += k <= count ? base64_digits[word >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; k++) {
      const bool is_padding = i + k >= text.size() - padding;
      const std::size_t digit = is_padding ? 0 : base64_digits.find(text[i + k]);
      if (digit == base64_digits.npos) return std::nullopt;
      word = word << 6 | static_cast<std::uint32_t>(digit);
    }
    for (unsigned shift : {16u, 8u, 0u}) bytes += static_cast<char>(word >> shift & 255u);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::optional<std::string> bytes_of_digits(std::string_view text) {
  const std::string whole = (text.size() % 2 != 0 ? "0" : "") + std::string(text);
  std::string bytes;
  for (std::size_t i = 0; i < whole.size(); i += 2) {
    unsigned byte = 0;
    const char* const first = whole.data() + i;
    if (std::from_chars(first, first + 2, byte, 16).ptr != first + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

bool is_utf8(const std::optional<std::string>& bytes) {
  if (!bytes) return false;
  const auto* text = reinterpret_cast<const utf8proc_uint8_t*>(bytes->data());
  auto left = static_cast<utf8proc_ssize_t>(bytes->size());
  utf8proc_int32_t code_point = 0;
  while (left > 0) {
    const utf8proc_ssize_t length = utf8proc_iterate(text, left, &code_point);
    if (length <= 0) return false;
    text += length;
    left -= length;
  }
  return true;
}

Scalar blob(std::string bytes) { return Scalar::of(blob_type, std::move(bytes)); }

std::string digits_of_bytes(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15u];
  }
  return text;
}

StringFunction blob_row(std::string_view name, std::vector<std::string_view> sql_names, Type result,
                        std::string_view doc, Scalar (*host)(Inputs)) {
  return function_row(name, std::move(sql_names), {blob_type}, result, doc, host);
}

// A function of texts that are not all such bytes.
StringFunction reading_row(std::string_view name, std::vector<std::string_view> sql_names,
                           std::string_view doc, Scalar (*host)(Inputs), bool (*fits)(Inputs),
                           std::string_view fault) {
  StringFunction row =
      function_row(name, std::move(sql_names), {string_type}, blob_type, doc, host);
  row.fits = fits;
  row.fault = fault;
  return row;
}

StringFunction decode_row() {
  StringFunction row = blob_row("decode", {"decode"}, string_type, "the text in UTF-8",
                                [](Inputs in) { return string(in[0].text); });
  row.fits = [](Inputs in) { return is_utf8(in[0].text); };
  row.fault = "a BLOB that is not UTF-8";
  return row;
}

}  // namespace

std::vector<StringFunction> blob_rows() {
  return {
      function_row("encode", {"encode"}, {string_type}, blob_type, "its bytes",
                   [](Inputs in) { return blob(in[0].text); }),
      decode_row(),
      blob_row("blob_length", {"octet_length"}, int64_type, "the number of bytes",
               [](Inputs in) { return number(static_cast<std::int64_t>(in[0].text.size())); }),
      function_row("blob_concatenation", {"||"}, {blob_type, blob_type}, blob_type,
                   "with the second behind it",
                   [](Inputs in) { return blob(in[0].text + in[1].text); }),
      blob_row("base64_of_blob", {"base64", "to_base64"}, string_type, "in base 64",
               [](Inputs in) { return string(base64(in[0].text)); }),
      reading_row(
          "from_base64", {"from_base64"}, "the bytes of base 64",
          [](Inputs in) { return blob(bytes_of_base64(in[0].text).value_or("")); },
          [](Inputs in) { return bytes_of_base64(in[0].text).has_value(); },
          "from_base64(): a text is not base 64"),
      blob_row("hex_of_blob", {"hex", "to_hex"}, string_type, "as hexadecimal digits",
               [](Inputs in) { return string(digits_of_bytes(in[0].text)); }),
      reading_row(
          "unhex", {"unhex", "from_hex"}, "the bytes of hexadecimal digits",
          [](Inputs in) { return blob(bytes_of_digits(in[0].text).value_or("")); },
          [](Inputs in) { return bytes_of_digits(in[0].text).has_value(); },
          "unhex(): a text is not of hexadecimal digits"),
      blob_row("md5_of_blob", {"md5"}, string_type, "its MD5 digest",
               [](Inputs in) { return string(md5(in[0].text)); }),
      blob_row("sha1_of_blob", {"sha1"}, string_type, "its SHA-1 digest",
               [](Inputs in) { return string(sha1(in[0].text)); }),
      blob_row("sha256_of_blob", {"sha256"}, string_type, "its SHA-256 digest",
               [](Inputs in) { return string(sha256(in[0].text)); }),
  };
}

}  // namespace penstock::expr
