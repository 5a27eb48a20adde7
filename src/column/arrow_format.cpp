#include "column/arrow_format.hpp"

#include <algorithm>
#include <charconv>

#include "base/exception_boundary.hpp"
#include "column/unsupported.hpp"

namespace penstock::column {
namespace {

struct Format {
  std::string_view text;
  Kind kind;
  ArrowLayout layout = ArrowLayout::same;
};
constexpr Format formats[] = {
    {"b", Kind::boolean, ArrowLayout::bits},
    {"c", Kind::int8},
    {"C", Kind::uint8},
    {"s", Kind::int16},
    {"S", Kind::uint16},
    {"i", Kind::int32},
    {"I", Kind::uint32},
    {"l", Kind::int64},
    {"L", Kind::uint64},
    {"f", Kind::float32},
    {"g", Kind::float64},
    {"tdD", Kind::date32},
    {"tss:", Kind::timestamp, ArrowLayout::seconds},
    {"tsm:", Kind::timestamp, ArrowLayout::milliseconds},
    {"tsu:", Kind::timestamp},
    {"tsn:", Kind::timestamp, ArrowLayout::nanoseconds},
    {"u", Kind::string, ArrowLayout::string},
    {"U", Kind::string, ArrowLayout::large_string},
    {"vu", Kind::string, ArrowLayout::string_views},
};

// The names of refused formats by their prefix. Longer prefixes come first.
struct Refused {
  std::string_view prefix, name;
};
constexpr Refused refused[] = {
    {"n", "NULL"},
    {"e", "HALF FLOAT"},
    {"z", "BLOB"},
    {"Z", "BLOB"},
    {"vz", "BLOB"},
    {"w:", "FIXED SIZE BLOB"},
    {"tdm", "DATE64"},
    {"tt", "TIME"},
    {"tD", "DURATION"},
    {"ti", "INTERVAL"},
    {"ts", "TIMESTAMP WITH TIME ZONE"},
    {"+l", "LIST"},
    {"+L", "LIST"},
    {"+vl", "LIST"},
    {"+vL", "LIST"},
    {"+w", "FIXED SIZE LIST"},
    {"+s", "STRUCT"},
    {"+m", "MAP"},
    {"+u", "UNION"},
    {"+r", "RUN-END ENCODED"},
};

std::string name_of_refused(std::string_view format) {
  for (const Refused& row : refused)
    if (format.starts_with(row.prefix)) return std::string(row.name);
  return "Arrow format '" + std::string(format) + "'";
}

bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(',')) text.remove_prefix(1);
  return true;
}

// Reads "d:precision,scale[,bits]".
void read_decimal(std::string_view format, ArrowField& to) {
  std::string_view text = format.substr(2);
  int precision = 0, scale = 0, bits = 128;
  const bool reads = take_number(text, precision) && take_number(text, scale) &&
                     (text.empty() || take_number(text, bits)) && text.empty();
  const int max_precision = bits == 128 ? 38 : 18;  // values of more than 18 digits are refused
  if (!reads || precision < 1 || precision > max_precision || scale < 0 || scale > precision ||
      scale > 18 || (bits != 32 && bits != 64 && bits != 128)) {
    to.field.unsupported = reads ? "DECIMAL(" + std::to_string(precision) + "," +
                                       std::to_string(scale) + ")" +
                                       (bits == 128 ? "" : " of " + std::to_string(bits) + " bits")
                                 : name_of_refused(format);
    return;
  }
  to.field.type = Type::decimal(std::min(precision, 18), scale);
  to.layout = bits == 32   ? ArrowLayout::decimal32
              : bits == 64 ? ArrowLayout::same
                           : ArrowLayout::decimal128;
}

void read_format(std::string_view format, ArrowField& to) {
  for (const Format& row : formats) {
    if (format != row.text) continue;
    to.field.type = {row.kind};
    to.layout = row.layout;
    return;
  }
  if (format.starts_with("d:"))
    read_decimal(format, to);
  else
    to.field.unsupported = name_of_refused(format);
}

}  // namespace

ArrowField field_of(const ArrowSchema& schema) {
  ArrowField to;
  to.field.name = schema.name != nullptr ? schema.name : "";
  to.field.nullable = (schema.flags & 2) != 0;  // ARROW_FLAG_NULLABLE
  const std::string_view format = schema.format != nullptr ? schema.format : "";
  read_format(format, to);
  if (schema.dictionary == nullptr || !to.field.unsupported.empty()) return to;
  const Type index = to.field.type;
  const ArrowField entries = field_of(*schema.dictionary);
  if (entries.field.type.kind != Kind::string || !entries.field.unsupported.empty() ||
      schema.dictionary->dictionary != nullptr) {
    to.field.unsupported =
        "DICTIONARY of " + (entries.field.unsupported.empty() ? name_of(entries.field.type)
                                                              : entries.field.unsupported);
  } else if (!is_integer(index)) {
    to.field.unsupported = "DICTIONARY with indices of " + name_of(index);
  } else {
    to.index_bytes = width_bytes(index);
    to.index_signed = is_signed(index);
    to.entries = entries.layout;
    to.field.type = {Kind::string};
    to.layout = ArrowLayout::codes;
  }
  return to;
}

Result<std::vector<ArrowField>> fields_of(const ArrowSchema& schema) {
  if (schema.release == nullptr)
    return Status(Code::invalid, "the Arrow schema was released already");
  if (schema.format == nullptr || std::string_view(schema.format) != "+s")
    return Status(Code::unsupported,
                  "an Arrow schema that is not a struct's: a table is a struct array");
  std::vector<ArrowField> fields;
  for (std::int64_t i = 0; i < schema.n_children; i++)
    fields.push_back(field_of(*schema.children[i]));
  return fields;
}

std::string format_of(const Column& column) {
  if (column.dictionary) return "i";
  if (column.type.kind == Kind::string) return column.offset_bytes == 8 ? "U" : "u";
  if (column.type.kind == Kind::decimal)
    return "d:" + std::to_string(column.type.precision) + "," + std::to_string(column.type.scale);
  if (column.type.kind == Kind::int128) return "d:38,0";  // the one 16-byte integer Arrow has
  for (const Format& row : formats)
    if (row.kind == column.type.kind &&
        (row.layout == ArrowLayout::same || row.layout == ArrowLayout::bits))
      return std::string(row.text);
  return "";
}

}  // namespace penstock::column

namespace penstock {

Result<Schema> import_schema(const ArrowSchema& schema) {
  return catch_exceptions([&]() -> Result<Schema> {
    PENSTOCK_ASSIGN(const auto fields, column::fields_of(schema));
    Schema imported;
    for (const column::ArrowField& one : fields) imported.push_back(one.field);
    PENSTOCK_TRY(column::check_supported(imported));
    return imported;
  });
}

}  // namespace penstock
