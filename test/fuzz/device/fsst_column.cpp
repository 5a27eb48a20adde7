#include "fuzz/device/fsst_column.hpp"

namespace penstock::fuzz {
namespace {

// Makes symbols of few letters, so that strings repeat and words are found; lengths of 1 to 8, or
// all alike.
std::shared_ptr<const fsst::SymbolTable> make_table(std::uint32_t symbol_count,
                                                    std::uint32_t seed) {
  auto table = std::make_shared<fsst::SymbolTable>();
  table->symbol_count = std::min(symbol_count, fsst::max_symbols);
  std::uint64_t state = seed;
  const auto next = [&] {
    return static_cast<std::uint32_t>(
        (state = state * 6364136223846793005u + 1442695040888963407u) >> 33);
  };
  for (std::uint32_t code = 0; code < table->symbol_count; code++) {
    const std::uint32_t length = seed % 4 == 0 ? 1 + seed / 4 % 8 : 1 + next() % 8;
    table->lengths[code] = static_cast<std::uint8_t>(length);
    for (std::uint32_t i = 0; i < length; i++) {
      constexpr std::string_view letters = "abab%_\xc3\xa9";
      table->symbols[code] |=
          static_cast<std::uint64_t>(static_cast<std::uint8_t>(letters[next() % letters.size()]))
          << 8 * i;
    }
  }
  return table;
}

// Returns the codes of a row: few as a rule, some rows of many blocks.
std::uint64_t row_codes(std::uint32_t byte) { return byte < 192 ? byte % 32 : (byte - 192) * 8; }

// Returns a wrong offset: slightly off, at or after the codes' end, or far away.
std::uint64_t other_offset(Input& input, std::uint64_t right, std::uint64_t code_bytes,
                           std::uint32_t offset_bytes) {
  const std::uint32_t kind = input.byte(), by = input.byte();
  const std::uint64_t most = offset_bytes == 4 ? UINT32_MAX : UINT64_MAX;
  switch (kind % 5) {
    case 0: return right + by;
    case 1: return right > by ? right - by : 0;
    case 2: return code_bytes + by % 40;
    case 3: return most - by;
    default: return most >> by % 64;
  }
}

template <class Offset> Bytes bytes_of(const std::vector<std::uint64_t>& offsets) {
  return Bytes::own(std::vector<Offset>(offsets.begin(), offsets.end()));
}

struct Shape {
  std::vector<std::uint64_t> row_codes;
  std::vector<fsst::RowGroup> groups;
  std::uint64_t codes_before = 0;
  std::uint32_t lying_offsets = 0, string_bytes_more = 0;
};

std::optional<Shape> take_shape(Input& input) {
  Shape shape;
  const std::uint32_t flags = input.byte(), rows = input.byte() + 1;
  shape.codes_before = (flags & 4) != 0 ? input.byte() : 0;
  shape.string_bytes_more = (flags & 8) != 0 ? input.byte() : 0;
  shape.lying_offsets = (flags & 16) != 0 ? 1 + input.byte() % 4 : 0;
  for (std::uint64_t first = 0; first < rows && shape.groups.size() <= flags / 64;
       first += 1 + input.byte() % 48) {
    const std::uint32_t symbols = input.byte();
    shape.groups.push_back({first, 0, make_table(symbols, input.byte())});
  }
  for (std::uint32_t row = 0; row < rows; row++) shape.row_codes.push_back(row_codes(input.byte()));
  return shape;
}

// Repairs rows, so that more than their first codes are reached: codes get symbols, and so does an
// escape at a row's end.
void repair_rows(FuzzedColumn& column, std::string& codes) {
  for (std::uint64_t row = 0; row < column.strings.row_count; row++) {
    const std::uint32_t symbols = column.table(row).symbol_count,
                        end = static_cast<std::uint32_t>(column.offsets[row + 1]);
    for (std::uint64_t at = column.offsets[row]; at < end && symbols > 0; at++) {
      const std::uint32_t code = static_cast<std::uint8_t>(codes[at]);
      if (code == fsst::escape_code && at + 1 < end)
        at++;
      else if (code >= symbols)
        codes[at] = static_cast<char>(code % symbols);
    }
  }
}

// Sets the string sizes: the true ones where they exist, else ones that the layout allows.
void set_string_bytes(FuzzedColumn& column) {
  fsst::EncodedStrings& strings = column.strings;
  std::uint64_t text = 0;
  for (std::size_t group = 0; group < strings.row_groups.size(); group++) {
    strings.row_groups[group].first_string_byte = text;
    std::uint64_t bytes = 0;
    for (std::uint64_t row = strings.row_groups[group].first_row; row < strings.end_row(group);
         row++)
      bytes += column.text(row).value_or("").size();
    const std::uint64_t codes = strings.offset(strings.end_row(group)) -
                                strings.offset(strings.row_groups[group].first_row);
    text += std::clamp(bytes, codes / 2, codes * fsst::max_symbol_bytes);
  }
  strings.string_bytes = text;
}

}  // namespace

const fsst::SymbolTable& FuzzedColumn::table(std::uint64_t row) const {
  std::size_t group = 0;
  while (row >= strings.end_row(group)) group++;
  return *strings.row_groups[group].table;
}

std::optional<std::string> FuzzedColumn::text(std::uint64_t row) const {
  if (!is_in_codes(row)) return std::nullopt;
  const fsst::SymbolTable& its = table(row);
  std::string text;
  for (std::uint64_t at = offsets[row]; at < offsets[row + 1]; at++) {
    const std::uint32_t code = strings.codes.as<std::uint8_t>()[at];
    if (code == fsst::escape_code && ++at == offsets[row + 1]) return std::nullopt;
    if (code == fsst::escape_code)
      text += strings.codes.as<char>()[at];
    else if (code >= its.symbol_count)
      return std::nullopt;
    else
      text.append(reinterpret_cast<const char*>(&its.symbols[code]), its.lengths[code]);
  }
  return text;
}

std::optional<FuzzedColumn> make_column(Input& input) {
  const std::uint32_t kind = input.byte();
  const std::optional<Shape> shape = take_shape(input);
  FuzzedColumn column;
  fsst::EncodedStrings& strings = column.strings;
  strings.offset_bytes = kind % 2 == 0 ? 4 : 8;
  strings.is_canonical = kind / 2 % 2 != 0;
  strings.row_count = shape->row_codes.size();
  strings.row_groups = shape->groups;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> others;
  Input lies = input;  // bytes of wrong offsets come before the codes
  for (std::uint32_t i = 0; i < shape->lying_offsets; i++) input.byte(), input.byte(), input.byte();
  std::string codes = input.take(input.left());
  column.offsets = {std::min<std::uint64_t>(shape->codes_before, codes.size())};
  for (const std::uint64_t its : shape->row_codes)
    column.offsets.push_back(std::min<std::uint64_t>(column.offsets.back() + its, codes.size()));
  if (kind / 4 % 4 != 0) repair_rows(column, codes);
  strings.codes = Bytes::own(std::vector<char>(codes.begin(), codes.end()));
  strings.offsets = strings.offset_bytes == 4 ? bytes_of<std::uint32_t>(column.offsets)
                                              : bytes_of<std::uint64_t>(column.offsets);
  set_string_bytes(column);
  strings.string_bytes += shape->string_bytes_more;
  if (!fsst::validate_layout(strings).ok()) return std::nullopt;
  for (std::uint32_t i = 0; i < shape->lying_offsets; i++) {
    std::uint64_t& offset = column.offsets[lies.byte() % column.offsets.size()];
    const std::uint64_t other = other_offset(lies, offset, codes.size(), strings.offset_bytes);
    column.has_replaced_offsets |= other != offset;
    offset = strings.offset_bytes == 4 ? static_cast<std::uint32_t>(other) : other;
  }
  return column;
}

FoundStrings::FoundStrings(const FuzzedColumn& column) {
  for (std::uint64_t row = 0; row < column.strings.row_count; row++) {
    rows.push_back(column.text(row));
    if (!rows.back() && !first_bad_row) first_bad_row = row;
    string_bytes += rows.back().value_or("").size();
  }
}

}  // namespace penstock::fuzz
