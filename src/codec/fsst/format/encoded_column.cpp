#include "codec/fsst/format/encoded_column.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/format/strings_layout.hpp"

namespace penstock::fsst {
namespace {

// Copies the offsets of rows [first, first + count] to `to`, rebased so that the first is `base`.
template <class From, class To>
void move_offsets(const EncodedStrings& strings, std::uint64_t first, std::uint64_t count,
                  std::uint64_t base, To* to) {
  const From* const from = strings.offsets.as<From>() + first;
  const From begin = from[0];
  for (std::uint64_t row = 0; row <= count; row++)
    to[row] = static_cast<To>(from[row] - begin + base);
}

template <class To> void move_offsets(const EncodedStrings& strings, std::uint64_t base, To* to) {
  if (strings.offset_bytes == 4)
    move_offsets<std::uint32_t>(strings, 0, strings.row_count, base, to);
  else
    move_offsets<std::uint64_t>(strings, 0, strings.row_count, base, to);
}

template <class Offset>
Bytes part_of_offsets(const EncodedStrings& strings, std::uint64_t first, std::uint64_t count) {
  if (strings.offset(first) == 0)
    return {strings.offsets.owner, strings.offsets.data + first * sizeof(Offset),
            (count + 1) * sizeof(Offset)};
  LargeVector<Offset> moved(count + 1);
  move_offsets<Offset>(strings, first, count, 0, moved.data());
  return Bytes::own(std::move(moved));
}

// Sets string sizes that the layout rules allow, without reading codes: one byte per code byte.
void set_string_bytes(EncodedStrings& strings) {
  for (RowGroup& group : strings.row_groups)
    group.first_string_byte = strings.offset(group.first_row);
  strings.string_bytes = strings.row_count > 0 ? strings.offset(strings.row_count) : 0;
}

// Sets the string sizes by measuring the codes.
Result<EncodedStrings> measured(EncodedStrings strings) {
  std::vector<Result<std::uint64_t>> sizes(strings.row_groups.size(), Result<std::uint64_t>(0));
  in_parallel(sizes.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last; group++)
      sizes[group] =
          measure_rows(strings, group, strings.row_groups[group].first_row, strings.end_row(group));
  });
  strings.string_bytes = 0;
  for (std::size_t group = 0; group < sizes.size(); group++) {
    PENSTOCK_ASSIGN(const std::uint64_t bytes, std::move(sizes[group]));
    strings.row_groups[group].first_string_byte = strings.string_bytes;
    strings.string_bytes += bytes;
  }
  return strings;
}

class CodesOfColumn final : public EncodedStringColumn {
 public:
  CodesOfColumn(EncodedStrings strings, StringCheck check, bool has_string_sizes)
      : strings_(std::move(strings)),
        check_(std::move(check)),
        has_string_sizes_(has_string_sizes) {}

  const EncodedStrings& strings() const { return strings_; }

  Result<Column> decode() const override {
    return catch_exceptions([&]() -> Result<Column> {
      if (has_string_sizes_) return validated(fsst::decode(strings_));
      PENSTOCK_ASSIGN(const EncodedStrings strings, measured(strings_));
      return validated(fsst::decode(strings));
    });
  }
  Result<Column> decode_rows(std::span<const std::uint64_t> rows) const override {
    return validated(fsst::decode(strings_, {0, rows}));
  }

  std::shared_ptr<const EncodedStringColumn> slice(std::uint64_t first,
                                                   std::uint64_t count) const override {
    return std::make_shared<CodesOfColumn>(fsst::slice(strings_, first, count), check_, false);
  }
  Result<std::shared_ptr<const EncodedStringColumn>> joined(
      std::span<const std::shared_ptr<const EncodedStringColumn>> parts) const override {
    std::vector<const EncodedStrings*> all;
    for (const auto& part : parts) {
      const auto* const codes = dynamic_cast<const CodesOfColumn*>(part.get());
      if (codes == nullptr)
        return Status(Code::internal, "strings of several encodings in one column");
      all.push_back(&codes->strings_);
    }
    PENSTOCK_ASSIGN(EncodedStrings strings, fsst::joined(all));
    return std::shared_ptr<const EncodedStringColumn>(
        std::make_shared<CodesOfColumn>(std::move(strings), check_, false));
  }

 private:
  Result<Column> validated(Result<Column> strings) const {
    if (strings.ok() && check_) PENSTOCK_TRY(check_(*strings));
    return strings;
  }

  EncodedStrings strings_;  // without validity, which the column holds
  StringCheck check_;
  bool has_string_sizes_;
};

// Appends the row groups of `part`. Its rows follow the rows of `to`.
void add_groups(const EncodedStrings& part, EncodedStrings& to) {
  for (const RowGroup& group : part.row_groups)
    to.row_groups.push_back({to.row_count + group.first_row, 0, group.table});
}

template <class Offset>
void join_codes(std::span<const EncodedStrings* const> parts, EncodedStrings& to,
                std::uint64_t code_bytes, std::uint64_t row_count) {
  LargeVector<std::byte> codes(code_bytes);
  LargeVector<Offset> offsets(row_count + 1);
  std::uint64_t code_byte = 0;
  for (const EncodedStrings* part : parts) {
    if (part->row_count == 0) continue;
    const std::uint64_t begin = part->offset(0), bytes = part->offset(part->row_count) - begin;
    std::copy_n(part->codes.data + begin, bytes, codes.data() + code_byte);
    move_offsets(*part, code_byte, offsets.data() + to.row_count);
    add_groups(*part, to);
    to.row_count += part->row_count;
    code_byte += bytes;
  }
  to.codes = Bytes::own(std::move(codes));
  to.offsets = Bytes::own(std::move(offsets));
  to.offset_bytes = sizeof(Offset);
}

}  // namespace

Result<Column> encoded_column(EncodedStrings strings, StringCheck check) {
  PENSTOCK_TRY(validate_layout(strings));
  Column column;
  column.type = {Kind::string};
  column.row_count = strings.row_count;
  column.validity = std::move(strings.validity);
  strings.validity = {};
  column.encoded = std::make_shared<CodesOfColumn>(std::move(strings), std::move(check), true);
  return column;
}

const EncodedStrings* codes_of(const Column& column) {
  const auto* const codes = dynamic_cast<const CodesOfColumn*>(column.encoded.get());
  return codes == nullptr ? nullptr : &codes->strings();
}

EncodedStrings slice(const EncodedStrings& strings, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = strings.offset(first), end = strings.offset(first + count);
  EncodedStrings part;
  part.row_count = count;
  part.is_canonical = strings.is_canonical;
  part.offset_bytes = strings.offset_bytes;
  part.codes = {strings.codes.owner, strings.codes.data + begin, end - begin};
  part.offsets = strings.offset_bytes == 4 ? part_of_offsets<std::uint32_t>(strings, first, count)
                                           : part_of_offsets<std::uint64_t>(strings, first, count);
  for (std::size_t group = 0; group < strings.row_groups.size() && count > 0; group++) {
    const RowGroup& whole = strings.row_groups[group];
    const std::uint64_t from = std::max(whole.first_row, first);
    if (from < std::min(strings.end_row(group), first + count))
      part.row_groups.push_back({from - first, 0, whole.table});
  }
  set_string_bytes(part);
  return part;
}

Result<EncodedStrings> joined(std::span<const EncodedStrings* const> parts) {
  EncodedStrings all;
  all.is_canonical =
      std::ranges::all_of(parts, [](const EncodedStrings* part) { return part->is_canonical; });
  std::uint64_t rows = 0, bytes = 0;
  for (const EncodedStrings* part : parts) {
    rows += part->row_count;
    bytes += part->offset(part->row_count) - part->offset(0);
  }
  return catch_exceptions([&]() -> Result<EncodedStrings> {
    if (bytes <= INT32_MAX)
      join_codes<std::uint32_t>(parts, all, bytes, rows);
    else
      join_codes<std::uint64_t>(parts, all, bytes, rows);
    set_string_bytes(all);
    return std::move(all);
  });
}

}  // namespace penstock::fsst
