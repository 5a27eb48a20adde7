#include <algorithm>
#include <cstring>
#include <string>

#include "base/exception_boundary.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/format/code_reader.hpp"
#include "codec/fsst/format/strings_layout.hpp"

namespace penstock::fsst {
namespace {

Status corrupt(std::string what) { return {Code::corrupt, std::move(what)}; }
std::string in_group(std::size_t group) { return "row group " + std::to_string(group) + ": "; }
std::uint64_t parts_of(std::uint64_t whole, std::uint64_t part) {
  return whole / part + (whole % part != 0);
}

Status check_buffers(const EncodedStrings& strings) {
  if (strings.offset_bytes != 4 && strings.offset_bytes != 8)
    return corrupt("offsets of " + std::to_string(strings.offset_bytes) + " bytes");
  const std::uint64_t offsets = strings.offsets.size / strings.offset_bytes;
  if (strings.row_count >= UINT64_MAX / 16 || offsets < strings.row_count + 1)
    return corrupt(std::to_string(offsets) + " offsets for " + std::to_string(strings.row_count) +
                   " rows");
  if (!strings.validity.empty() && strings.validity.size < parts_of(strings.row_count, 8))
    return corrupt("the validity bitmap has fewer bits than there are rows");
  return {};
}

// Has no branch in the loop, so that the compiler compares several rows at once.
template <class Offset> bool any_descends(const Offset* offsets, std::uint64_t row_count) {
  unsigned descends = 0;
  for (std::uint64_t row = 0; row < row_count; row++)
    descends |= offsets[row + 1] < offsets[row] ? 1u : 0u;
  return descends != 0;
}

Status check_offsets(const EncodedStrings& strings) {
  const bool descends = strings.offset_bytes == 4
                            ? any_descends(strings.offsets.as<std::uint32_t>(), strings.row_count)
                            : any_descends(strings.offsets.as<std::uint64_t>(), strings.row_count);
  for (std::uint64_t row = 0; descends && row < strings.row_count; row++)
    if (strings.offset(row + 1) < strings.offset(row))
      return check_row_offsets(row, strings.offset(row), strings.offset(row + 1),
                               strings.codes.size);
  if (strings.offset(strings.row_count) <= strings.codes.size) return {};
  PENSTOCK_TRY(check_row_offsets(0, strings.offset(0), strings.offset(0),
                                 strings.codes.size));  // also covers a column without rows
  std::uint64_t row = 0;
  while (strings.offset(row + 1) <= strings.codes.size) row++;
  return check_row_offsets(row, strings.offset(row), strings.offset(row + 1), strings.codes.size);
}

Status check_group(const EncodedStrings& strings, std::size_t group) {
  const RowGroup& at = strings.row_groups[group];
  const std::uint64_t first = group == 0 ? 0 : strings.row_groups[group - 1].first_row + 1;
  if (at.first_row < first || (group == 0 && at.first_row != 0) ||
      at.first_row >= std::max<std::uint64_t>(strings.row_count, 1))
    return corrupt(in_group(group) + "it begins at row " + std::to_string(at.first_row) +
                   ", out of order");
  if (!at.table) return corrupt(in_group(group) + "no symbol table");
  PENSTOCK_TRY(validate(*at.table).with(in_group(group)));
  return {};
}

// Checks the stated size: each code byte but an escape's first stands for 1 to 8 output bytes.
Status check_group_string_bytes(const EncodedStrings& strings, std::size_t group) {
  const std::uint64_t first = strings.row_groups[group].first_string_byte,
                      end = strings.end_string_byte(group);
  const std::uint64_t codes = code_bytes(strings, group);
  if ((group == 0 && first != 0) || end < first || end - first > codes * max_symbol_bytes ||
      end - first < codes / 2)
    return corrupt(in_group(group) + "strings from byte " + std::to_string(first) + " to " +
                   std::to_string(end) + " do not fit " + std::to_string(codes) +
                   " bytes of codes");
  return {};
}

Status check_rows(const EncodedStrings& strings) {
  std::vector<Status> statuses(strings.row_groups.size());
  in_parallel(statuses.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last; group++) {
      const auto string_bytes =
          measure_rows(strings, group, strings.row_groups[group].first_row, strings.end_row(group));
      const std::uint64_t stated =
          strings.end_string_byte(group) - strings.row_groups[group].first_string_byte;
      if (!string_bytes.ok())
        statuses[group] = string_bytes.status();
      else
        statuses[group] = check_string_bytes(group, *string_bytes, stated);
    }
  });
  for (const Status& status : statuses) PENSTOCK_TRY(status);
  return {};
}

}  // namespace

Status check_row_offsets(std::uint64_t row, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t code_bytes) {
  const std::string its_codes = "row " + std::to_string(row) + ": its codes ",
                    of = " of " + std::to_string(code_bytes);
  if (end < begin) return corrupt(its_codes + "end before they begin");
  if (row == 0 && begin > code_bytes)
    return corrupt(its_codes + "begin at byte " + std::to_string(begin) + of);
  if (end > code_bytes) return corrupt(its_codes + "end at byte " + std::to_string(end) + of);
  return {};
}

Status check_string_bytes(std::size_t group, std::uint64_t found, std::uint64_t stated) {
  if (found == stated) return {};
  return corrupt(in_group(group) + std::to_string(found) + " bytes of strings, but " +
                 std::to_string(stated) + " are stated");
}

std::uint64_t code_bytes(const EncodedStrings& strings, std::size_t group) {
  return strings.offset(strings.end_row(group)) -
         strings.offset(strings.row_groups[group].first_row);
}

Result<std::uint64_t> measure_rows(const EncodedStrings& strings, std::size_t group,
                                   std::uint64_t first, std::uint64_t end) {
  const CodeTable table(*strings.row_groups[group].table);
  const auto* const codes = strings.codes.as<std::uint8_t>();
  std::uint64_t string_bytes = 0;
  for (std::uint64_t row = first; row < end; row++) {
    const std::uint8_t* const begin = codes + strings.offset(row);
    const Measured measured = measure(table, begin, codes + strings.offset(row + 1));
    if (measured.error != nullptr)
      return bad_code(measured.special, *measured.error, row,
                      static_cast<std::uint64_t>(measured.error - begin));
    string_bytes += measured.string_bytes;
  }
  return string_bytes;
}

Status validate_layout(const EncodedStrings& strings) {
  PENSTOCK_TRY(check_buffers(strings));
  PENSTOCK_TRY(check_offsets(strings));
  if (strings.row_groups.empty() && (strings.row_count != 0 || strings.string_bytes != 0))
    return corrupt("rows without a row group");
  for (std::size_t group = 0; group < strings.row_groups.size(); group++)
    PENSTOCK_TRY(check_group(strings, group));
  for (std::size_t group = 0; group < strings.row_groups.size(); group++)
    PENSTOCK_TRY(check_group_string_bytes(strings, group));
  return {};
}

Status validate(const EncodedStrings& strings) {
  return catch_exceptions([&]() -> Status {
    PENSTOCK_TRY(validate_layout(strings));
    PENSTOCK_TRY(check_rows(strings));
    return {};
  });
}

}  // namespace penstock::fsst
