#include "column/arrow_format.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "column/nested/packed_bytes.hpp"
#include "column/unsupported.hpp"

namespace penstock::column {
namespace {

struct Format {
  std::string_view text;
  Kind kind;
  ArrowLayout layout = ArrowLayout::same;
  LogicalType logical = LogicalType::none;
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
    {"z", Kind::string, ArrowLayout::string, LogicalType::blob},
    {"Z", Kind::string, ArrowLayout::large_string, LogicalType::blob},
    {"vz", Kind::string, ArrowLayout::string_views, LogicalType::blob},
    {"ttu", Kind::timestamp, ArrowLayout::same, LogicalType::time},
    {"tts", Kind::timestamp, ArrowLayout::time_seconds, LogicalType::time},
    {"ttm", Kind::timestamp, ArrowLayout::time_milliseconds, LogicalType::time},
    {"ttn", Kind::timestamp, ArrowLayout::time_nanoseconds, LogicalType::time},
    {"tin", Kind::string, ArrowLayout::month_day_nanoseconds, LogicalType::interval},
};
constexpr std::size_t max_depth = 32;  // of types within types: they are read by recursion

// The names of refused formats by their prefix. Longer prefixes come first.
struct Refused {
  std::string_view prefix, name;
};
constexpr Refused refused[] = {
    {"n", "NULL"},
    {"e", "HALF FLOAT"},
    {"w:", "FIXED SIZE BLOB of no size"},
    {"tdm", "DATE64"},
    {"ts", "TIMESTAMP of another unit"},
    {"tD", "DURATION"},
    {"ti", "INTERVAL"},
    {"+vl", "LIST VIEW"},
    {"+vL", "LIST VIEW"},
    {"+l", "LIST without elements"},
    {"+L", "LIST without elements"},
    {"+w", "FIXED SIZE LIST without elements"},
    {"+s", "STRUCT without fields"},
    {"+m", "MAP without entries"},
    {"+u", "UNION"},
    {"+r", "RUN-END ENCODED"},
};

std::string name_of_refused(std::string_view format) {
  for (const Refused& row : refused)
    if (format.starts_with(row.prefix)) return std::string(row.name);
  return "Arrow format '" + std::string(format) + "'";
}

// Returns the name of an extension type, by the key and value pairs of a schema's metadata; ""
// where there is none. Lengths are 32 bits of the machine's order.
std::string_view extension_of(const ArrowSchema& schema) {
  const char* at = schema.metadata;
  if (at == nullptr) return {};
  const auto take_length = [&] {
    std::int32_t length = 0;
    std::memcpy(&length, at, sizeof length);
    at += sizeof length;
    return static_cast<std::size_t>(std::max(length, 0));
  };
  const auto take_text = [&] {
    const std::size_t length = take_length();
    const std::string_view text(at, length);
    at += length;
    return text;
  };
  for (std::size_t pairs = take_length(); pairs > 0; pairs--) {
    const std::string_view key = take_text(), value = take_text();
    if (key == "ARROW:extension:name") return value;
  }
  return {};
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
  const int max_precision = bits == 128 ? 38 : 18;
  if (!reads || precision < 1 || precision > max_precision || scale < 0 || scale > precision ||
      (bits != 32 && bits != 64 && bits != 128)) {
    to.field.unsupported = reads ? "DECIMAL(" + std::to_string(precision) + "," +
                                       std::to_string(scale) + ")" +
                                       (bits == 128 ? "" : " of " + std::to_string(bits) + " bits")
                                 : name_of_refused(format);
    return;
  }
  to.field.type = Type::decimal(precision, scale);
  const bool is_same = width_bytes(to.field.type) * 8 == static_cast<std::size_t>(bits);
  to.layout = is_same      ? ArrowLayout::same
              : bits == 32 ? ArrowLayout::decimal32
                           : ArrowLayout::decimal128;
}

// Reads "w:16": values of a fixed number of bytes; with the extension's name "arrow.uuid" UUIDs.
void read_fixed_bytes(std::string_view format, const ArrowSchema& schema, ArrowField& to) {
  std::string_view text = format.substr(2);
  int bytes = 0;
  if (!take_number(text, bytes) || bytes < 1) {
    to.field.unsupported = name_of_refused(format);
    return;
  }
  const bool is_uuid = bytes == 16 && extension_of(schema) == "arrow.uuid";
  to.field.type = {.kind = Kind::string,
                   .logical = is_uuid ? LogicalType::uuid : LogicalType::blob};
  to.layout = ArrowLayout::fixed_bytes;
  to.fixed_bytes = static_cast<std::uint64_t>(bytes);
}

// Reads "tsu:Europe/Berlin". The zone only says how to print the instants, which are UTC's.
void read_instant(std::string_view format, ArrowField& to) {
  const char unit = format.size() > 3 && format[3] == ':' ? format[2] : ' ';
  const std::string_view units = "smun";
  constexpr ArrowLayout layouts[] = {ArrowLayout::seconds, ArrowLayout::milliseconds,
                                     ArrowLayout::same, ArrowLayout::nanoseconds};
  if (units.find(unit) == units.npos) {
    to.field.unsupported = name_of_refused(format);
    return;
  }
  to.field.type = {.kind = Kind::timestamp, .logical = LogicalType::timestamp_tz};
  to.layout = layouts[units.find(unit)];
}

ArrowField field_at(const ArrowSchema& schema, std::size_t depth);

Type nested_type(const ArrowField& of, bool is_map) {
  if (is_map) {
    const ArrowField& entry = of.children[0];
    return map_of(entry.children[0].field.type, entry.children[1].field.type);
  }
  if (of.layout != ArrowLayout::structure) return list_of(of.children[0].field.type);
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const ArrowField& child : of.children) {
    names.push_back(child.field.name);
    types.push_back(child.field.type);
  }
  return struct_of(std::move(names), std::move(types));
}

// Reads "+l", "+L", "+w:3", "+s" and "+m".
void read_nested(std::string_view format, const ArrowSchema& schema, std::size_t depth,
                 ArrowField& to) {
  std::string_view text = format.substr(std::min<std::size_t>(3, format.size()));
  int count = 0;
  const bool is_list = format == "+l" || format == "+L" || format == "+m",
             is_fixed = format.starts_with("+w:") && take_number(text, count) && count >= 0;
  const std::int64_t children = schema.children != nullptr ? schema.n_children : 0;
  const bool is_known = format == "+s" ? children > 0 : (is_list || is_fixed) && children == 1;
  if (!is_known || depth == max_depth) {
    to.field.unsupported = is_known ? "a type of more than 32 levels" : name_of_refused(format);
    return;
  }
  to.layout = is_fixed         ? ArrowLayout::fixed_list
              : format == "+s" ? ArrowLayout::structure
              : format == "+L" ? ArrowLayout::large_list
                               : ArrowLayout::list;
  to.fixed_bytes = static_cast<std::uint64_t>(count);
  for (std::int64_t i = 0; i < children; i++) {
    to.children.push_back(field_at(*schema.children[i], depth + 1));
    if (to.field.unsupported.empty()) to.field.unsupported = to.children.back().field.unsupported;
  }
  if (!to.field.unsupported.empty()) return;
  const bool is_map = format == "+m";
  if (is_map && to.children[0].children.size() != 2)
    to.field.unsupported = "a MAP whose entries are no pairs";
  else
    to.field.type = nested_type(to, is_map);
}

void read_format(const ArrowSchema& schema, std::size_t depth, ArrowField& to) {
  const std::string_view format = schema.format != nullptr ? schema.format : "";
  for (const Format& row : formats) {
    if (format != row.text) continue;
    to.field.type = {.kind = row.kind, .logical = row.logical};
    to.layout = row.layout;
    return;
  }
  if (format.starts_with("d:"))
    read_decimal(format, to);
  else if (format.starts_with("w:"))
    read_fixed_bytes(format, schema, to);
  else if (format.starts_with("ts"))
    read_instant(format, to);
  else if (format.starts_with("+"))
    read_nested(format, schema, depth, to);
  else
    to.field.unsupported = name_of_refused(format);
}

ArrowField field_at(const ArrowSchema& schema, std::size_t depth) {
  ArrowField to;
  to.field.name = schema.name != nullptr ? schema.name : "";
  to.field.nullable = (schema.flags & 2) != 0;  // ARROW_FLAG_NULLABLE
  read_format(schema, depth, to);
  if (schema.dictionary == nullptr || !to.field.unsupported.empty()) return to;
  const Type index = to.field.type;
  const ArrowField entries = field_at(*schema.dictionary, max_depth);
  if (entries.field.type.kind != Kind::string || is_packed(entries.field.type) ||
      !entries.field.unsupported.empty() || schema.dictionary->dictionary != nullptr) {
    to.field.unsupported =
        "DICTIONARY of " + (entries.field.unsupported.empty() ? name_of(entries.field.type)
                                                              : entries.field.unsupported);
  } else if (!is_integer(index)) {
    to.field.unsupported = "DICTIONARY with indices of " + name_of(index);
  } else {
    to.index_bytes = width_bytes(index);
    to.index_signed = is_signed(index);
    to.entries = entries.layout;
    to.field.type = entries.field.type;
    to.fixed_bytes = entries.fixed_bytes;
    to.layout = ArrowLayout::codes;
  }
  return to;
}

}  // namespace

ArrowField field_of(const ArrowSchema& schema) { return field_at(schema, 0); }

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

std::string format_of(Type type, std::uint32_t offset_bytes) {
  switch (type.logical) {
    case LogicalType::list: return "+l";
    case LogicalType::structure: return "+s";
    case LogicalType::map: return "+m";
    case LogicalType::timestamp_tz: return "tsu:UTC";
    case LogicalType::uuid: return "w:16";
    case LogicalType::blob: return offset_bytes == 8 ? "Z" : "z";
    case LogicalType::interval:
    case LogicalType::time:
    case LogicalType::none: break;
  }
  if (is_text(type)) return offset_bytes == 8 ? "U" : "u";
  if (type.kind == Kind::decimal)
    return "d:" + std::to_string(type.precision) + "," + std::to_string(type.scale);
  if (type.kind == Kind::int128) return "d:38,0";  // the one 16-byte integer Arrow has
  for (const Format& row : formats)
    if (row.kind == type.kind && row.logical == type.logical &&
        (row.layout == ArrowLayout::same || row.layout == ArrowLayout::bits ||
         row.layout == ArrowLayout::month_day_nanoseconds))
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
