#include "io/encoded/encodings.hpp"

namespace penstock {
namespace io {
namespace {

enum class Types : unsigned char { strings, whole_numbers, floats, numbers };
constexpr std::string_view type_names[] = {"strings", "integers, dates, timestamps and decimals",
                                           "floats",
                                           "integers, dates, timestamps, decimals and floats"};
constexpr std::uint32_t all_kinds =
    1u << LIGHT_DELTA | 1u << LIGHT_RUNS | 1u << LIGHT_DICTIONARY | 1u << LIGHT_ALP;

struct EncodingRow {
  std::string_view name;
  Types types;
  light::Kinds kinds = {};
};
// By ColumnEncoding.
constexpr EncodingRow encodings[] = {{"fsst", Types::strings},
                                     {"bitpack", Types::whole_numbers, {0, false}},
                                     {"for", Types::whole_numbers},
                                     {"delta", Types::whole_numbers, {1u << LIGHT_DELTA}},
                                     {"rle", Types::numbers, {1u << LIGHT_RUNS}},
                                     {"dictionary", Types::numbers, {1u << LIGHT_DICTIONARY}},
                                     {"alp", Types::floats, {1u << LIGHT_ALP}},
                                     {"auto", Types::numbers, {all_kinds}}};

const EncodingRow& row_of(ColumnEncoding encoding) {
  return encodings[static_cast<std::size_t>(encoding)];
}

}  // namespace

bool encodes_strings(ColumnEncoding encoding) { return row_of(encoding).types == Types::strings; }

bool encodes(ColumnEncoding encoding, Type type) {
  const bool is_number = light::stored_bits(type) != 0;
  switch (row_of(encoding).types) {
    case Types::strings: return is_text(type);
    case Types::whole_numbers: return is_number && !is_float(type);
    case Types::floats: return is_float(type);
    case Types::numbers: return is_number;
  }
  return false;
}

std::string_view types_of(ColumnEncoding encoding) {
  return type_names[static_cast<std::size_t>(row_of(encoding).types)];
}

light::Kinds kinds_of(ColumnEncoding encoding) { return row_of(encoding).kinds; }

}  // namespace io

std::string_view name_of(ColumnEncoding encoding) { return io::row_of(encoding).name; }

std::optional<ColumnEncoding> find_encoding(std::string_view name) {
  for (std::size_t i = 0; i < std::size(io::encodings); i++)
    if (io::encodings[i].name == name) return static_cast<ColumnEncoding>(i);
  return std::nullopt;
}

}  // namespace penstock
