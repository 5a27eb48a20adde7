#include "io/parquet/parquet_nested.hpp"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include "column/arrow_import.hpp"
#include "column/concatenate.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

// Returns the leaf columns of a column of the schema.
std::vector<int> leaves_of(const parquet::SchemaDescriptor& schema, int root) {
  const parquet::schema::Node* const wanted = schema.group_node()->field(root).get();
  std::vector<int> leaves;
  for (int i = 0; i < schema.num_columns(); i++)
    if (schema.GetColumnRoot(i) == wanted) leaves.push_back(i);
  return leaves;
}

Result<std::shared_ptr<arrow::Schema>> arrow_schema(const parquet::SchemaDescriptor& schema,
                                                    const std::vector<int>& leaves) {
  parquet::arrow::SchemaManifest manifest;
  PENSTOCK_TRY(from_arrow(parquet::arrow::SchemaManifest::Make(
      &schema, nullptr, parquet::default_arrow_reader_properties(), &manifest)));
  PENSTOCK_ASSIGN(const std::vector<int> roots, from_arrow(manifest.GetFieldIndices(leaves)));
  if (roots.size() != 1) return Status(Code::corrupt, "the schema's groups do not nest");
  return arrow::schema({manifest.schema_fields[static_cast<std::size_t>(roots[0])].field});
}

Result<column::ArrowField> field_of(const arrow::Field& field) {
  ArrowSchema exported{};
  PENSTOCK_TRY(from_arrow(arrow::ExportField(field, &exported)));
  column::ArrowField found = column::field_of(exported);
  exported.release(&exported);
  return found;
}

// Serves rows of a row group that is decoded whole.
class NestedDecoder final : public ChunkDecoder {
 public:
  NestedDecoder(Column rows, const ParquetColumn& column)
      : rows_(std::move(rows)), column_(column) {}

 protected:
  Status decode(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                std::uint64_t row_count) override {
    if (row_count > rows_.row_count - next_) return ends_early();
    StringBytes& strings = to.part(part);
    for (std::uint64_t row = next_; row < next_ + row_count; row++) {
      if (rows_.is_valid(row)) {
        const std::string_view bytes = rows_.string(row);
        strings.bytes.insert(strings.bytes.end(), bytes.begin(), bytes.end());
      } else {
        to.saw_null();
      }
      strings.ends.push_back(static_cast<std::int64_t>(strings.bytes.size()));
    }
    if (column_.is_optional)
      set_bits(to.validity(), first_row, row_count,
               [&](std::uint64_t i) { return rows_.is_valid(next_ + i); });
    next_ += row_count;
    return {};
  }
  Status skip(std::uint64_t row_count) override {
    if (row_count > rows_.row_count - next_) return ends_early();
    next_ += row_count;
    return {};
  }

 private:
  Column rows_;
  const ParquetColumn& column_;
  std::uint64_t next_ = 0;
};

Result<Column> import_array(const std::shared_ptr<arrow::Array>& array,
                            const column::ArrowField& field, const std::string& name) {
  PENSTOCK_TRY(from_arrow(array->ValidateFull()));
  const auto schema = arrow::schema({arrow::field(name, array->type())});
  const auto batch = arrow::RecordBatch::Make(schema, array->length(), {array});
  ArrowArray exported{};
  PENSTOCK_TRY(from_arrow(arrow::ExportRecordBatch(*batch, &exported)));
  const std::uint32_t only = 0;
  PENSTOCK_ASSIGN(Table table,
                  column::import_columns(column::own(&exported), {&field, 1}, {&only, 1}));
  return std::move(table.columns[0]);
}

using Metadata = std::shared_ptr<parquet::FileMetaData>;

Result<std::shared_ptr<arrow::Table>> read_row_group(const ParquetFile& file, Metadata metadata,
                                                     int row_group,
                                                     const std::vector<int>& leaves) {
  // Arrow's reader owns its file reader, so that each chunk opens one over the same input.
  std::shared_ptr<arrow::io::RandomAccessFile> input(&file.input(),
                                                     [](arrow::io::RandomAccessFile*) {});
  auto opened =
      parquet::ParquetFileReader::Open(std::move(input), file.properties(), std::move(metadata));
  PENSTOCK_ASSIGN(const auto reader, from_arrow(parquet::arrow::FileReader::Make(
                                         arrow::default_memory_pool(), std::move(opened))));
  PENSTOCK_ASSIGN(auto table, from_arrow(reader->ReadRowGroup(row_group, leaves)));
  if (table->num_columns() != 1) return Status(Code::corrupt, "the schema's groups do not nest");
  return table;
}

Result<Column> read_rows(const ParquetFile& file, Metadata metadata, int row_group,
                         const ParquetColumn& column) {
  const std::vector<int> leaves = leaves_of(*file.metadata().schema(), column.root);
  PENSTOCK_ASSIGN(const auto table, read_row_group(file, std::move(metadata), row_group, leaves));
  PENSTOCK_ASSIGN(const column::ArrowField field, field_of(*table->schema()->field(0)));
  std::vector<Column> parts;
  for (const auto& chunk : table->column(0)->chunks()) {
    PENSTOCK_ASSIGN(parts.emplace_back(), import_array(chunk, field, column.field.name));
  }
  return column::concatenate(column.field.type, parts);
}

constexpr std::string_view arrow_types = "ARROW:schema", other_key = "other:schema";

// Returns the footer without Arrow's own types: its reader of lists of a fixed length fails at
// NULL, and that of other lists does not. The footer has no setter, and a key of the same length
// leaves its other bytes as they are.
Metadata without_arrow_types(const parquet::FileMetaData& metadata) {
  std::string bytes = metadata.SerializeToString();
  const std::size_t at = bytes.rfind(arrow_types);
  if (at == bytes.npos) return nullptr;
  bytes.replace(at, other_key.size(), other_key);
  auto length = static_cast<std::uint32_t>(bytes.size());
  return parquet::FileMetaData::Make(bytes.data(), &length);
}

// DuckDB writes levels for the elements that a NULL array would have, without values behind them.
Status array_of_duckdb(const ParquetFile& file, const ParquetColumn& column, Status status) {
  const bool is_levels = status.message().find("list offsets") != std::string::npos;
  if (!is_levels || !file.metadata().created_by().starts_with("DuckDB")) return status;
  return {Code::unsupported,
          "column '" + column.field.name +
              "' cannot be read: DuckDB wrote it from arrays of a fixed length with NULL among "
              "them; ask for the other columns by name, or have DuckDB cast it to a list, as in " +
              column.field.name + "::INTEGER[], and write it again"};
}

}  // namespace

Status set_nested_type(const parquet::SchemaDescriptor& schema, ParquetColumn& column) {
  const auto read = arrow_schema(schema, leaves_of(schema, column.root));
  if (!read.ok()) {
    column.field.unsupported = "a nested type that Arrow does not read";
    return {};
  }
  PENSTOCK_ASSIGN(const column::ArrowField field, field_of(*(*read)->field(0)));
  column.field.type = field.field.type;
  column.field.unsupported = field.field.unsupported;
  column.field.is_plain = true;
  return {};
}

Result<std::unique_ptr<ChunkDecoder>> nested_decoder(const ParquetFile& file, int row_group,
                                                     const ParquetColumn& column) {
  Result<Column> read = read_rows(file, file.shared_metadata(), row_group, column);
  if (!read.ok() && read.status().code() == Code::corrupt) {
    if (Metadata plain = without_arrow_types(file.metadata()))
      read = read_rows(file, std::move(plain), row_group, column);
  }
  if (!read.ok()) return array_of_duckdb(file, column, read.status());
  Column rows = *std::move(read);
  rows.type = column.field.type;
  return std::unique_ptr<ChunkDecoder>(std::make_unique<NestedDecoder>(std::move(rows), column));
}

}  // namespace penstock::io
