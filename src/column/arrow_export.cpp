#include <cstring>

#include "base/exception_boundary.hpp"
#include "column/arrow_format.hpp"
#include "column/bits.hpp"
#include "column/nested/nested_column.hpp"

namespace penstock {
namespace {

// An array or schema inside another, which releases it.
template <class Struct> struct Released {
  void operator()(Struct* part) const {
    if (part->release != nullptr) part->release(part);
    delete part;
  }
};
template <class Struct> using Part = std::unique_ptr<Struct, Released<Struct>>;

// Owns the memory that an exported array or schema refers to. Its release callback deletes it.
struct ArrayBody {
  Column column;
  std::vector<const void*> buffers;
  std::vector<Part<ArrowArray>> children;
  std::vector<ArrowArray*> child_pointers;
  Part<ArrowArray> dictionary;
};
struct SchemaBody {
  std::string format, name, metadata;
  std::vector<Part<ArrowSchema>> children;
  std::vector<ArrowSchema*> child_pointers;
  Part<ArrowSchema> dictionary;
};

template <class Struct, class Body> void release(Struct* exported) {
  delete static_cast<Body*>(exported->private_data);
  exported->release = nullptr;
}

// Moves a body into its struct; from here on release() owns it.
void fill(ArrowArray& to, std::unique_ptr<ArrayBody> body, std::uint64_t length,
          std::int64_t null_count) {
  for (auto& child : body->children) body->child_pointers.push_back(child.get());
  to = {};
  to.length = static_cast<std::int64_t>(length);
  to.null_count = null_count;
  to.n_buffers = static_cast<std::int64_t>(body->buffers.size());
  to.buffers = body->buffers.data();
  to.n_children = static_cast<std::int64_t>(body->children.size());
  to.children = body->child_pointers.data();
  to.dictionary = body->dictionary.get();
  to.release = release<ArrowArray, ArrayBody>;
  to.private_data = body.release();
}

void fill(ArrowSchema& to, std::unique_ptr<SchemaBody> body, bool nullable) {
  for (auto& child : body->children) body->child_pointers.push_back(child.get());
  to = {};
  to.format = body->format.c_str();
  to.name = body->name.c_str();
  to.flags = nullable ? 2 : 0;
  to.metadata = body->metadata.empty() ? nullptr : body->metadata.c_str();
  to.n_children = static_cast<std::int64_t>(body->children.size());
  to.children = body->child_pointers.data();
  to.dictionary = body->dictionary.get();
  to.release = release<ArrowSchema, SchemaBody>;
  to.private_data = body.release();
}

// Arrow's readers know 128-bit decimals; 64-bit decimals are too recent for many readers.
Bytes widened(const Column& column) {
  std::vector<__int128> wide(column.row_count);
  for (std::uint64_t row = 0; row < column.row_count; row++)
    wide[row] = column.values.as<std::int64_t>()[row];
  return Bytes::own(std::move(wide));
}

// Returns whether a HUGEINT column fits DECIMAL(38,0), as which it is exported.
bool fits_38_digits(const Column& column) {
  __int128 limit = 1;
  for (int i = 0; i < 38; i++) limit *= 10;
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    __int128 value;
    std::memcpy(&value, column.values.data + row * 16, 16);
    if (column.is_valid(row) && (value >= limit || value <= -limit)) return false;
  }
  return true;
}

// Names Arrow's extension type of UUIDs. Counts and lengths are 32 bits of the machine's order.
std::string uuid_metadata() {
  std::string metadata;
  const auto put_number = [&](std::size_t number) {
    const auto value = static_cast<std::int32_t>(number);
    metadata.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto put_text = [&](std::string_view text) {
    put_number(text.size());
    metadata += text;
  };
  put_number(2);
  put_text("ARROW:extension:name");
  put_text("arrow.uuid");
  put_text("ARROW:extension:metadata");
  put_text("");
  return metadata;
}

std::string format_of_column(const Column& column) {
  return column.dictionary ? "i" : column::format_of(column.type, column.offset_bytes);
}

Status export_column(const Column& column, const std::string& name, ArrowArray& array,
                     ArrowSchema& schema);

// Arrow's lists have offsets of 32 bits.
Result<Bytes> list_offsets(const column::NestedColumn& rows) {
  if (rows.offsets.back() > INT32_MAX)
    return Status(Code::capacity, "lists of more than 2^31 elements in one batch");
  return Bytes::own(std::vector<std::int32_t>(rows.offsets.begin(), rows.offsets.end()));
}

Status export_tree(const column::NestedColumn& rows, const std::string& name, ArrowArray& array,
                   ArrowSchema& schema, bool is_nullable);

// A map's entries are a struct that is never NULL, with keys that are never NULL.
std::string child_name(Type type, std::size_t index) {
  if (type.logical == LogicalType::structure) return type.nested->names[index];
  return type.logical == LogicalType::map ? "entries" : "item";
}

Status export_children(const column::NestedColumn& rows, ArrayBody& array_body,
                       SchemaBody& schema_body) {
  for (std::size_t i = 0; i < rows.children.size(); i++) {
    array_body.children.emplace_back(new ArrowArray{});
    schema_body.children.emplace_back(new ArrowSchema{});
    const bool is_entry = rows.type.logical == LogicalType::map;
    const std::string name = child_name(rows.type, i);
    PENSTOCK_TRY(export_tree(rows.children[i], name, *array_body.children.back(),
                             *schema_body.children.back(),
                             !is_entry && !(name == "key" && i == 0)));
  }
  return {};
}

Status export_tree(const column::NestedColumn& rows, const std::string& name, ArrowArray& array,
                   ArrowSchema& schema, bool is_nullable) {
  if (rows.children.empty()) return export_column(rows.leaf, name, array, schema);
  auto array_body = std::make_unique<ArrayBody>();
  auto schema_body = std::make_unique<SchemaBody>();
  schema_body->format = column::format_of(rows.type, 4);
  schema_body->name = name;
  array_body->column.validity = rows.validity;
  array_body->buffers.push_back(rows.validity.data);
  if (!rows.offsets.empty() && rows.type.logical != LogicalType::structure) {
    PENSTOCK_ASSIGN(array_body->column.offsets, list_offsets(rows));
    array_body->buffers.push_back(array_body->column.offsets.data);
  }
  PENSTOCK_TRY(export_children(rows, *array_body, *schema_body));
  const std::uint64_t nulls =
      rows.validity.empty()
          ? 0
          : rows.row_count - column::count_ones(rows.validity.data, rows.row_count);
  fill(array, std::move(array_body), rows.row_count, static_cast<std::int64_t>(nulls));
  fill(schema, std::move(schema_body), is_nullable);
  return {};
}

// Puts values of other forms than ours into Arrow's: wide decimals, months with days and
// nanoseconds, UUIDs of 16 bytes each.
Column in_arrow_form(const Column& column) {
  Column kept = column;
  if (column.type.kind == Kind::decimal && width_bytes(column.type) == 8)
    kept.values = widened(column);
  if (column.type.logical == LogicalType::blob && column.dictionary) {
    auto entries = std::make_shared<Column>(*column.dictionary);
    entries->type = column.type;
    kept.dictionary = std::move(entries);
  }
  if (column.type.logical != LogicalType::interval && column.type.logical != LogicalType::uuid)
    return kept;
  std::vector<std::byte> values(column.row_count * 16);
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    if (!column.is_valid(row)) continue;
    const std::string_view bytes = column.string(row);
    if (column.type.logical == LogicalType::uuid) {
      std::memcpy(values.data() + row * 16, bytes.data(), std::min<std::size_t>(bytes.size(), 16));
      continue;
    }
    const column::PackedInterval interval = column::PackedReader(bytes).interval();
    const std::int64_t nanoseconds = interval.microseconds * 1000;
    std::memcpy(values.data() + row * 16, &interval.months, 4);
    std::memcpy(values.data() + row * 16 + 4, &interval.days, 4);
    std::memcpy(values.data() + row * 16 + 8, &nanoseconds, 8);
  }
  kept.values = Bytes::own(std::move(values));
  kept.offsets = {};
  kept.dictionary = nullptr;
  return kept;
}

Status export_column(const Column& column, const std::string& name, ArrowArray& array,
                     ArrowSchema& schema) {
  if (is_nested(column.type))
    return export_tree(column::unpack(column), name, array, schema, !column.validity.empty());
  if (column.row_count > 0 && column.values.empty() && column.device_values)
    return {Code::unsupported, "its values are on a device only"};
  if (column.type.kind == Kind::int128 && !fits_38_digits(column))
    return {Code::overflow, "a HUGEINT of more than 38 digits"};
  auto array_body = std::make_unique<ArrayBody>();
  auto schema_body = std::make_unique<SchemaBody>();
  schema_body->name = name;
  array_body->column = in_arrow_form(column);
  const Column& kept = array_body->column;
  schema_body->format = format_of_column(kept);
  if (column.type.logical == LogicalType::uuid) schema_body->metadata = uuid_metadata();
  array_body->buffers.push_back(kept.validity.data);
  if (!kept.offsets.empty() && !kept.dictionary) array_body->buffers.push_back(kept.offsets.data);
  array_body->buffers.push_back(kept.values.data);
  if (kept.dictionary) {
    array_body->dictionary.reset(new ArrowArray{});
    schema_body->dictionary.reset(new ArrowSchema{});
    PENSTOCK_TRY(
        export_column(*kept.dictionary, "", *array_body->dictionary, *schema_body->dictionary));
  }
  const bool nullable = !column.validity.empty();
  const std::uint64_t nulls =
      nullable ? column.row_count - column::count_ones(column.validity.data, column.row_count) : 0;
  fill(array, std::move(array_body), column.row_count, static_cast<std::int64_t>(nulls));
  fill(schema, std::move(schema_body), nullable);
  return {};
}

}  // namespace

static Status fill_both(const Table& table, ArrowArray* array, ArrowSchema* schema) {
  auto array_body = std::make_unique<ArrayBody>();
  auto schema_body = std::make_unique<SchemaBody>();
  array_body->buffers.push_back(nullptr);
  schema_body->format = "+s";
  for (std::size_t i = 0; i < table.columns.size(); i++) {
    array_body->children.emplace_back(new ArrowArray{});
    schema_body->children.emplace_back(new ArrowSchema{});
    Status status;
    if (table.columns[i].row_count != table.row_count)
      status = {Code::invalid, "it has another number of rows than the table"};
    const Result<Column> column = decoded(table.columns[i]);
    if (status.ok()) status = column.status();
    if (status.ok())
      status = export_column(*column, table.names[i], *array_body->children[i],
                             *schema_body->children[i]);
    PENSTOCK_TRY(status.with("while exporting column '" + table.names[i] + "'"));
  }
  fill(*array, std::move(array_body), table.row_count, 0);
  fill(*schema, std::move(schema_body), false);
  return {};
}

Status export_table(const Table& table, ArrowArray* array, ArrowSchema* schema) {
  *array = {};
  *schema = {};
  Status status = catch_exceptions([&] { return fill_both(table, array, schema); });
  if (!status.ok() && array->release != nullptr)
    array->release(array);  // the schema is filled last
  return status;
}

}  // namespace penstock
