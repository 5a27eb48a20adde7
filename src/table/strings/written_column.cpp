#include "table/strings/written_column.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

Bytes pack_flags(const std::byte* flags, std::uint64_t count) {
  std::vector<std::byte> bits((count + 7) / 8);
  in_parallel(bits.size(), min_rows_per_thread / 8, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = 8 * first; i < std::min(8 * last, count); i++)
      if (flags[i] != std::byte{0}) bits[i / 8] |= std::byte{1} << (i % 8);
  });
  return Bytes::own(std::move(bits));
}

// Makes a column of strings from codes: its dictionary has the codes that occur.
Column decode_codes(Column column, const std::uint32_t* words, const TextOfCode& text_of) {
  std::vector<std::int32_t> places;  // by code: in the dictionary, plus 1
  std::vector<std::string> strings;
  std::vector<std::int32_t> codes(column.row_count);
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    if (!column.is_valid(row)) continue;
    if (words[row] >= places.size()) places.resize(words[row] + std::size_t{1});
    std::int32_t& place = places[words[row]];
    if (place == 0) {
      strings.emplace_back(text_of(words[row]));
      place = static_cast<std::int32_t>(strings.size());
    }
    codes[row] = place - 1;
  }
  column.values = Bytes::own(std::move(codes));
  column.dictionary = std::make_shared<const Column>(Column::from_strings(strings));
  return column;
}

}  // namespace

Column column_of_written(Type type, std::uint64_t row_count,
                         const std::shared_ptr<HostBuffer>& values,
                         const std::shared_ptr<HostBuffer>& validity, const TextOfCode& text_of) {
  Column column;
  column.type = type;
  column.row_count = row_count;
  if (validity) column.validity = pack_flags(validity->data(), row_count);
  if (type.kind == Kind::boolean)
    column.values = pack_flags(values->data(), row_count);
  else if (type.kind == Kind::string)
    return decode_codes(std::move(column), reinterpret_cast<const std::uint32_t*>(values->data()),
                        text_of);
  else
    column.values = {values, values->data(), row_count * width_bytes(type)};
  return column;
}

}  // namespace penstock::plan
