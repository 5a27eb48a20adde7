#include "io/csv/csv_shapes.hpp"

#include <algorithm>

namespace penstock::io {
namespace {

CsvRowShape shape_of(const CsvRowReader& reader, CsvRowKind kind, std::size_t field_count) {
  CsvRowShape shape;
  shape.field_count = static_cast<std::uint32_t>(std::max<std::size_t>(field_count, 1));
  shape.is_comment = kind == CsvRowKind::comment;
  shape.has_comment = kind == CsvRowKind::row && reader.has_comment();
  shape.has_empty_tail = reader.has_empty_last();
  return shape;
}

}  // namespace

CsvShapes csv_shapes(std::string_view text, bool is_whole, const CsvDialect& dialect,
                     std::size_t max_rows, std::uint64_t max_line_bytes) {
  CsvShapes out;
  CsvRowReader reader(dialect, text);
  std::vector<CsvField> fields;
  while (out.rows.size() < max_rows) {
    fields.clear();
    const CsvRowKind kind = reader.next(fields);
    if (kind == CsvRowKind::end) break;
    const auto offset = static_cast<std::size_t>(reader.row_begin() - text.data());
    const auto row_bytes = static_cast<std::uint64_t>(reader.row_end() - reader.row_begin());
    const bool is_cut =
        !is_whole && reader.row_end() == text.data() + text.size() && reader.is_ended_by_text();
    const bool is_cut_row = kind != CsvRowKind::row && kind != CsvRowKind::comment;
    if ((is_cut_row && !is_cut) || row_bytes > max_line_bytes) {
      out.is_wrong = true;
      out.wrong_offset = offset;
      out.wrong_kind = kind;
      return out;
    }
    if (is_cut) break;
    if (kind == CsvRowKind::row && reader.is_blank()) continue;
    for (const CsvField& field : fields) {
      out.is_quoted |= field.is_quoted;
      out.is_escaped |= field.has_escaped_quote;
    }
    out.rows.push_back(shape_of(reader, kind, fields.size()));
    out.rows.back().offset = offset;
  }
  for (std::size_t i = out.rows.size(); i-- > 1;)
    out.rows[i - 1].has_empty_tail &= out.rows[i].has_empty_tail;
  return out;
}

}  // namespace penstock::io
