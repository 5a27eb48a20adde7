#include <algorithm>
#include <atomic>
#include <thread>

#include "base/exception_boundary.hpp"
#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "codec/fsst/format/strings_layout.hpp"
#include "codec/fsst/host/decode_span.hpp"
#include "column/bits.hpp"

namespace penstock::fsst {
namespace {

using Byte = std::uint8_t;

// Says what is wrong with a row that did not decode.
Status row_error(const CodeTable& table, const EncodedStrings& strings, std::uint64_t row) {
  const Byte* const codes = strings.codes.as<Byte>();
  const Byte* const begin = codes + strings.offset(row);
  const Measured measured = measure(table, begin, codes + strings.offset(row + 1));
  if (measured.error == nullptr)
    return {Code::corrupt, "row " + std::to_string(row) + ": more text than its row group states"};
  return bad_code(measured.special, *measured.error, row,
                  static_cast<std::uint64_t>(measured.error - begin));
}

// Rows that one thread decodes to one place.
struct Piece {
  std::size_t group = 0;
  std::uint64_t first_row = 0, end_row = 0;
  std::uint64_t first_string_byte = 0, end_string_byte = 0;
};

Span span_of(const EncodedStrings& strings, std::uint64_t first_row, std::uint64_t end_row,
             Byte* out, Byte* out_end) {
  const Byte* const codes = strings.codes.as<Byte>();
  return {codes + strings.offset(first_row), out, codes + strings.offset(end_row),
          codes + strings.codes.size, out_end};
}

// No pointer behind the codes is made on the way.
const Byte* tile_end(const Span& span) {
  return span.at + std::min<std::ptrdiff_t>(tile_code_bytes, span.end - span.at);
}

// The codes of a piece are decoded as they follow one another, whatever the rows; a row ends where
// a code begins, or its last is an escape without its byte.
template <class Offset>
Status decode_piece(const EncodedStrings& strings, const Piece& piece, Byte* text,
                    Offset* offsets) {
  const CodeTable table(*strings.row_groups[piece.group].table);
  Span span = span_of(strings, piece.first_row, piece.end_row, text + piece.first_string_byte,
                      text + piece.end_string_byte);
  TileStarts starts;
  std::uint64_t row = piece.first_row, tile_code = strings.offset(row);
  bool is_valid = true;
  while (row < piece.end_row && is_valid) {
    const auto tile_offset = static_cast<std::uint64_t>(span.out - text);
    is_valid = decode_tile(table, span, tile_end(span), starts);
    const auto next_code = static_cast<std::uint64_t>(span.at - strings.codes.as<Byte>());
    for (; row < piece.end_row && strings.offset(row + 1) <= next_code; row++) {
      const std::uint32_t start = starts.text[strings.offset(row + 1) - tile_code];
      if (start == TileStarts::inside) return row_error(table, strings, row);
      offsets[row + 1] = static_cast<Offset>(tile_offset + start);
    }
    tile_code = next_code;
  }
  if (!is_valid) return row_error(table, strings, row);
  if (span.out == span.out_end) return {};
  return {Code::corrupt, "row group " + std::to_string(piece.group) + ": its rows end at byte " +
                             std::to_string(span.out - text) + " of the text, and not at byte " +
                             std::to_string(piece.end_string_byte)};
}

// One row's text.
bool decode_row(const CodeTable& table, Span span) {
  TileStarts starts;
  while (span.at < span.end)
    if (!decode_tile(table, span, tile_end(span), starts)) return false;
  return true;
}

// Runs work(0..count) on all cores; the error of the first that failed.
template <class Work> Status for_each_piece(std::uint64_t count, const Work& work) {
  std::vector<Status> statuses(count);
  std::atomic<std::uint64_t> next = 0;
  in_parallel(count, 1, [&](std::uint64_t, std::uint64_t) {
    for (std::uint64_t piece = next++; piece < count; piece = next++)
      statuses[piece] = guard([&] { return work(piece); });
  });
  for (const Status& status : statuses) PENSTOCK_TRY(status);
  return {};
}

constexpr std::uint64_t min_piece_rows = 4096;

// A row group is a piece; where there are few of them, some of its rows.
std::vector<Piece> divided(const EncodedStrings& strings) {
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t groups = strings.row_groups.size();
  const bool are_enough = groups >= 2 * threads || threads == 1 || groups == 0;
  const std::uint64_t parts_per_group = are_enough ? 1 : (2 * threads + groups - 1) / groups;
  std::vector<Piece> pieces;
  for (std::size_t group = 0; group < groups; group++) {
    const std::uint64_t first = strings.row_groups[group].first_row,
                        rows = strings.end_row(group) - first;
    const std::uint64_t parts =
        std::clamp<std::uint64_t>(rows / min_piece_rows, 1, parts_per_group);
    for (std::uint64_t part = 0; part < parts; part++)
      pieces.push_back(
          {group, first + rows * part / parts, first + rows * (part + 1) / parts, 0, 0});
  }
  return pieces;
}

// The text bytes of each piece but the last of a row group, which ends where the group does.
Result<std::vector<std::uint64_t>> measure_pieces(const EncodedStrings& strings,
                                                  std::span<const Piece> pieces) {
  std::vector<std::uint64_t> string_bytes(pieces.size());
  const Status measured = for_each_piece(pieces.size(), [&](std::uint64_t at) -> Status {
    const Piece& piece = pieces[at];
    if (piece.end_row == strings.end_row(piece.group)) return {};
    PENSTOCK_ASSIGN(string_bytes[at],
                    measure_rows(strings, piece.group, piece.first_row, piece.end_row));
    return {};
  });
  PENSTOCK_TRY(measured);
  return string_bytes;
}

// DownloadedBuffer with their places in the text.
Result<std::vector<Piece>> pieces_of(const EncodedStrings& strings) {
  std::vector<Piece> pieces = divided(strings);
  PENSTOCK_ASSIGN(const auto string_bytes, measure_pieces(strings, pieces));
  for (std::size_t at = 0; at < pieces.size(); at++) {
    Piece& piece = pieces[at];
    const bool is_first = piece.first_row == strings.row_groups[piece.group].first_row;
    const bool is_last = piece.end_row == strings.end_row(piece.group);
    piece.first_string_byte = is_first ? strings.row_groups[piece.group].first_string_byte
                                       : pieces[at - 1].end_string_byte;
    piece.end_string_byte =
        is_last ? strings.end_string_byte(piece.group) : piece.first_string_byte + string_bytes[at];
    if (piece.end_string_byte > strings.end_string_byte(piece.group) ||
        piece.first_string_byte > piece.end_string_byte)
      return Status(Code::corrupt,
                    "row group " + std::to_string(piece.group) + ": more text than it states");
  }
  return pieces;
}

template <class T> Bytes bytes_of(const std::shared_ptr<T[]>& values, std::uint64_t count) {
  return {values, reinterpret_cast<const std::byte*>(values.get()), count * sizeof(T)};
}

Column column_of(std::uint64_t row_count, Bytes text, Bytes offsets, std::uint32_t offset_bytes,
                 Bytes validity) {
  Column column;
  column.type = {Kind::string};
  column.row_count = row_count;
  column.values = std::move(text);
  column.offsets = std::move(offsets);
  column.offset_bytes = offset_bytes;
  column.validity = std::move(validity);
  return column;
}

template <class Offset> Result<Column> decode_all(const EncodedStrings& strings) {
  PENSTOCK_ASSIGN(const auto pieces, pieces_of(strings));
  const auto text = large_array<Byte>(strings.string_bytes);
  const auto offsets = large_array<Offset>(strings.row_count + 1);
  offsets[0] = 0;
  PENSTOCK_TRY(for_each_piece(pieces.size(), [&](std::uint64_t at) {
    return decode_piece(strings, pieces[at], text.get(), offsets.get());
  }));
  return column_of(strings.row_count, bytes_of(text, strings.string_bytes),
                   bytes_of(offsets, strings.row_count + 1), sizeof(Offset), strings.validity);
}

// The chosen rows' texts: measured, then decoded, each to its place.
class Selection {
 public:
  Selection(const EncodedStrings& strings, std::span<const std::uint64_t> rows)
      : strings_(strings), rows_(rows) {
    for (const RowGroup& group : strings.row_groups) tables_.emplace_back(*group.table);
  }

  Status measure_all() {
    ends_.resize(rows_.size() + 1);
    ends_[0] = 0;
    const Status measured = for_each_part([&](std::uint64_t first, std::uint64_t last) -> Status {
      for (std::uint64_t at = first; at < last; at++) {
        download(at + rows_ahead);
        PENSTOCK_TRY(measure_row(at));
      }
      return {};
    });
    PENSTOCK_TRY(measured);
    for (std::uint64_t at = 0; at < rows_.size(); at++) ends_[at + 1] += ends_[at];
    return {};
  }

  template <class Offset> Result<Column> decode() const {
    const auto text = large_array<Byte>(string_bytes());
    const auto offsets = large_array<Offset>(rows_.size() + 1);
    for (std::uint64_t at = 0; at <= rows_.size(); at++)
      offsets[at] = static_cast<Offset>(ends_[at]);
    PENSTOCK_TRY(for_each_part([&](std::uint64_t first, std::uint64_t last) -> Status {
      for (std::uint64_t at = first; at < last; at++) {
        download(at + rows_ahead);
        const std::uint64_t row = rows_[at];
        const bool is_valid = decode_row(
            table(row),
            span_of(strings_, row, row + 1, text.get() + ends_[at], text.get() + ends_[last]));
        if (!is_valid) return row_error(table(row), strings_, row);
      }
      return {};
    }));
    return column_of(rows_.size(), bytes_of(text, string_bytes()),
                     bytes_of(offsets, rows_.size() + 1), sizeof(Offset), validity());
  }

  std::uint64_t string_bytes() const { return ends_.back(); }

 private:
  // DeviceSelectedRowDecoder rows lie far from one another: asking for their codes this far ahead
  // makes one row in ten four times as fast. Inlined always: GCC drops calls of a function that
  // only prefetches, as one without effect.
  static constexpr std::uint64_t rows_ahead = 16;
  [[gnu::always_inline]] void download(std::uint64_t at) const {
    if (at >= rows_.size() || rows_[at] >= strings_.row_count) return;
    const Byte* const codes = begin(rows_[at]);
    __builtin_prefetch(codes);
    __builtin_prefetch(std::min(codes + 64, strings_.codes.as<Byte>() + strings_.codes.size));
  }
  template <class Work> Status for_each_part(const Work& work) const {
    const std::uint64_t parts = rows_.size() / min_piece_rows + 1;
    return for_each_piece(parts, [&](std::uint64_t part) {
      return work(rows_.size() * part / parts, rows_.size() * (part + 1) / parts);
    });
  }
  Status measure_row(std::uint64_t at) {
    const std::uint64_t row = rows_[at];
    if (row >= strings_.row_count)
      return {Code::invalid, "row " + std::to_string(row) + " of " +
                                 std::to_string(strings_.row_count) + " is asked for"};
    const Measured measured = measure(table(row), begin(row), begin(row + 1));
    if (measured.error != nullptr) return row_error(table(row), strings_, row);
    ends_[at + 1] = measured.string_bytes;
    return {};
  }
  const CodeTable& table(std::uint64_t row) const {
    if (tables_.size() == 1) return tables_[0];
    const auto behind =
        std::ranges::upper_bound(strings_.row_groups, row, {}, &RowGroup::first_row);
    return tables_[static_cast<std::size_t>(behind - strings_.row_groups.begin()) - 1];
  }
  const Byte* begin(std::uint64_t row) const {
    return strings_.codes.as<Byte>() + strings_.offset(row);
  }
  Bytes validity() const {
    if (strings_.validity.empty()) return {};
    std::vector<std::byte> bits(column::bytes_of_bits(rows_.size()));
    for (std::uint64_t at = 0; at < rows_.size(); at++)
      if (strings_.is_valid(rows_[at])) bits[at / 8] |= static_cast<std::byte>(1u << at % 8);
    return Bytes::own(std::move(bits));
  }

  const EncodedStrings& strings_;
  std::span<const std::uint64_t> rows_;
  std::vector<CodeTable> tables_;
  LargeVector<std::uint64_t> ends_;  // of the texts, the first's begin in front
};

// Of the column's offsets; an error when 4 are asked for and do not do.
Result<std::uint32_t> offset_bytes_of(std::uint32_t asked, std::uint64_t string_bytes) {
  const bool is_short = string_bytes <= INT32_MAX;
  if (asked == 0) return is_short ? 4u : 8u;
  if (asked != 4 && asked != 8)
    return Status(Code::invalid, "offsets of " + std::to_string(asked) + " bytes");
  if (asked == 4 && !is_short)
    return Status(Code::capacity,
                  std::to_string(string_bytes) + " bytes of text need offsets of 8 bytes");
  return asked;
}

Result<Column> decode_column(const EncodedStrings& strings, const DecodeOptions& options) {
  PENSTOCK_TRY(validate_layout(strings));
  if (!options.rows) {
    PENSTOCK_ASSIGN(const std::uint32_t offset_bytes,
                    offset_bytes_of(options.offset_bytes, strings.string_bytes));
    return offset_bytes == 4 ? decode_all<std::uint32_t>(strings)
                             : decode_all<std::uint64_t>(strings);
  }
  Selection selection(strings, *options.rows);
  PENSTOCK_TRY(selection.measure_all());
  PENSTOCK_ASSIGN(const std::uint32_t offset_bytes,
                  offset_bytes_of(options.offset_bytes, selection.string_bytes()));
  return offset_bytes == 4 ? selection.decode<std::uint32_t>() : selection.decode<std::uint64_t>();
}

}  // namespace

Result<Column> decode(const EncodedStrings& strings, const DecodeOptions& options) {
  return guard([&] { return decode_column(strings, options); });
}

}  // namespace penstock::fsst
