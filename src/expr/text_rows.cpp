// The rows of functions that encode a text, digest it, or write a value by a format.
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "expr/construction.hpp"
#include "expr/digests.hpp"
#include "expr/string_rows.hpp"
#include "expr/value_format.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::string;

// Normalises a text by Unicode's tables. Bytes that are not UTF-8 leave it as it is.
std::string normalized(std::string_view text, utf8proc_option_t options) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &mapped, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)};
}

constexpr std::string_view separators = "/\\";

std::string_view file_of_path(std::string_view path) {
  const std::size_t last = path.find_last_of(separators);
  return last == path.npos ? path : path.substr(last + 1);
}
std::string_view folder_of_path(std::string_view path) {
  const std::size_t last = path.find_last_of(separators);
  return last == path.npos ? std::string_view() : path.substr(0, last);
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string url_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF", kept = "-_.~";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter_or_digit(c) || kept.find(c) != kept.npos) {
      result += c;
      continue;
    }
    result += {'%', digits[byte >> 4u], digits[byte & 15u]};
  }
  return result;
}

std::string url_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); i++) {
    unsigned byte = 0;
    const char* const first = text.data() + i + 1;
    const bool has_digits = text[i] == '%' && i + 2 < text.size() &&
                            std::from_chars(first, first + 2, byte, 16).ptr == first + 2;
    result += has_digits ? static_cast<char>(byte) : text[i];
    i += has_digits ? 2 : 0;
  }
  return result;
}

std::string bits_of_text(std::string_view text) {
  std::string result;
  for (const char c : text)
    for (unsigned bit = 8; bit-- > 0;)
      result += (static_cast<unsigned char>(c) >> bit & 1u) != 0 ? '1' : '0';
  return result;
}

std::string with_escapes(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!is_letter_or_digit(c) && c != '_' && static_cast<unsigned char>(c) < 0x80) result += '\\';
    result += c;
  }
  return result;
}

// Bytes in the largest unit that leaves at least one before the point.
std::string readable_bytes(std::int64_t count, std::int64_t step,
                           std::span<const std::string_view> units) {
  const auto magnitude = static_cast<double>(count < 0 ? -count : count);
  const std::string sign = count < 0 ? "-" : "";
  double unit = static_cast<double>(step);
  std::size_t i = 0;
  if (magnitude < unit)
    return std::to_string(count) + (count == 1 || count == -1 ? " byte" : " bytes");
  while (i + 1 < units.size() && magnitude >= unit * static_cast<double>(step)) {
    unit *= static_cast<double>(step);
    i++;
  }
  const double tenths = std::floor(magnitude / unit * 10);
  return sign + std::to_string(static_cast<std::int64_t>(tenths / 10)) + "." +
         std::to_string(static_cast<std::int64_t>(tenths) % 10) + " " + std::string(units[i]);
}

constexpr std::string_view binary_units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"},
                           decimal_units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};

// Replaces characters from a place on, which counts from 1.
Scalar overlaid(Inputs in) {
  const std::string_view text = in[0].text;
  const std::int64_t from = integer(in[2]),
                     count = in.size() > 3 ? integer(in[3]) : character_count(in[1].text);
  return string(std::string(left(text, std::max<std::int64_t>(from - 1, 0))) + in[1].text +
                std::string(substring(text, from + count, INT64_MAX)));
}

// A place from 1; a negative one counts from the end.
std::int64_t place_of(std::int64_t place, std::int64_t count) {
  return place < 0 ? count + 1 + place : place;
}

Scalar character_at(Inputs in) {
  const std::int64_t place = place_of(integer(in[1]), character_count(in[0].text));
  return string(place < 1 ? std::string_view() : substring(in[0].text, place, 1));
}

Scalar part_of_text(Inputs in) {
  const std::int64_t count = character_count(in[0].text),
                     first = std::max<std::int64_t>(place_of(integer(in[1]), count), 1),
                     last = std::min(place_of(integer(in[2]), count), count);
  return string(first > last ? std::string_view() : substring(in[0].text, first, last - first + 1));
}

StringFunction text_row(std::string_view name, std::vector<std::string_view> sql_names,
                        std::string_view doc, Scalar (*host)(Inputs)) {
  return {.name = name,
          .sql_names = std::move(sql_names),
          .inputs = {string_type},
          .required_inputs = 1,
          .result = string_type,
          .doc = doc,
          .host = host};
}

StringFunction format_row(std::string_view name, Type input, Scalar (*host)(Inputs)) {
  return {.name = name,
          .sql_names = {},
          .inputs = {input, string_type},
          .required_inputs = 2,
          .result = string_type,
          .doc = "as a format writes it",
          .host = host};
}

StringFunction bytes_row(std::string_view name, std::vector<std::string_view> sql_names,
                         Scalar (*host)(Inputs)) {
  return {.name = name,
          .sql_names = std::move(sql_names),
          .inputs = {int64_type},
          .required_inputs = 1,
          .result = string_type,
          .doc = "as bytes in a unit that suits it",
          .host = host};
}

}  // namespace

std::vector<StringFunction> text_rows() {
  return {
      text_row("md5", {"md5"}, "its MD5 digest", [](Inputs in) { return string(md5(in[0].text)); }),
      text_row("sha1", {"sha1"}, "its SHA-1 digest",
               [](Inputs in) { return string(sha1(in[0].text)); }),
      text_row("sha256", {"sha256"}, "its SHA-256 digest",
               [](Inputs in) { return string(sha256(in[0].text)); }),
      text_row("bin", {"bin", "to_binary"}, "its bytes as binary digits",
               [](Inputs in) { return string(bits_of_text(in[0].text)); }),
      text_row("url_encode", {"url_encode"}, "for an address",
               [](Inputs in) { return string(url_encoded(in[0].text)); }),
      text_row("url_decode", {"url_decode"}, "out of an address",
               [](Inputs in) { return string(url_decoded(in[0].text)); }),
      text_row("strip_accents", {"strip_accents"}, "without accents",
               [](Inputs in) {
                 return string(normalized(
                     in[0].text, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                                                UTF8PROC_STRIPMARK)));
               }),
      text_row("nfc_normalize", {"nfc_normalize"}, "in Unicode's form NFC",
               [](Inputs in) {
                 return string(normalized(in[0].text, static_cast<utf8proc_option_t>(
                                                          UTF8PROC_STABLE | UTF8PROC_COMPOSE)));
               }),
      text_row("regexp_escape", {"regexp_escape"}, "as a pattern that it alone matches",
               [](Inputs in) { return string(with_escapes(in[0].text)); }),
      text_row("parse_filename", {"parse_filename"}, "behind the last separator",
               [](Inputs in) { return string(file_of_path(in[0].text)); }),
      text_row("parse_dirpath", {"parse_dirpath"}, "before the last separator",
               [](Inputs in) { return string(folder_of_path(in[0].text)); }),
      text_row("parse_dirname", {"parse_dirname"}, "before the first separator",
               [](Inputs in) {
                 return string(in[0].text.substr(
                     0, std::min(in[0].text.find_first_of(separators), in[0].text.size())));
               }),
      {.name = "overlay",
       .sql_names = {"overlay"},
       .inputs = {string_type, string_type, int64_type, int64_type},
       .required_inputs = 3,
       .result = string_type,
       .doc = "with the second in place of characters from a position on",
       .host = overlaid},
      bytes_row(
          "format_bytes", {"format_bytes", "formatreadablesize"},
          [](Inputs in) { return string(readable_bytes(integer(in[0]), 1024, binary_units)); }),
      bytes_row(
          "format_decimal_bytes", {"formatreadabledecimalsize"},
          [](Inputs in) { return string(readable_bytes(integer(in[0]), 1000, decimal_units)); }),
      {.name = "character_at",
       .sql_names = {},
       .inputs = {string_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "the character at a place",
       .host = character_at},
      {.name = "part_of_text",
       .sql_names = {},
       .inputs = {string_type, int64_type, int64_type},
       .required_inputs = 3,
       .result = string_type,
       .doc = "the characters from one place to another",
       .host = part_of_text},
      format_row("integer_by_format", int64_type,
                 [](Inputs in) {
                   return string(written_integer(integer(in[0]), read_value_format(in[1].text)));
                 }),
      format_row("real_by_format", float64_type,
                 [](Inputs in) {
                   return string(written_real(in[0].real, read_value_format(in[1].text)));
                 }),
      format_row("text_by_format", string_type,
                 [](Inputs in) {
                   return string(written_text(in[0].text, read_value_format(in[1].text)));
                 }),
  };
}

}  // namespace penstock::expr
