#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <set>

#include "base/suggest_name.hpp"
#include "codec/light/host/encode_block.hpp"
#include "column/unsupported.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sink_stream.hpp"
#include "io/encoded/encodings.hpp"
#include "io/encoded/fsst_columns.hpp"
#include "io/encoded/light_columns.hpp"

namespace penstock {
namespace {

constexpr std::uint64_t batch_rows = 1 << 20;
// Limit of one column's string bytes in one batch: codes may be twice as long, and their offsets
// have 31 bits.
constexpr std::uint64_t max_string_bytes = (std::uint64_t{1} << 30) - 1;

// Returns the index of the column that a codec is for.
Result<std::uint32_t> find_column(const Schema& schema, const ColumnCodec& codec) {
  const auto found = find_field(schema, codec.column);
  if (!found) {
    std::vector<std::string> names;
    for (const Field& field : schema) names.push_back(field.name);
    const std::string nearest = nearest_name(codec.column, names);
    return Status(Code::invalid, "no column '" + codec.column + "'" +
                                     (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  const Field& field = schema[*found];
  if (field.unsupported.empty() && io::encodes(codec.codec, field.type)) return *found;
  const std::string type = field.unsupported.empty() ? name_of(field.type) : field.unsupported;
  return Status(Code::invalid, "column '" + field.name + "' is " + type + "; " +
                                   std::string(name_of(codec.codec)) + " encodes " +
                                   std::string(io::types_of(codec.codec)));
}

std::uint64_t string_bytes(const Column& column, std::uint64_t first, std::uint64_t count) {
  std::uint64_t bytes = 0;
  for (std::uint64_t row = first; row < first + count; row++)
    if (column.is_valid(row)) bytes += column.string(row).size();
  return bytes;
}

// Copies strings into one buffer with offsets of 4 bytes: the batches of a file must agree in their
// types.
Column plain_text(const Column& column) {
  std::vector<std::int32_t> offsets{0};
  std::vector<char> bytes;
  for (std::uint64_t row = 0; row < column.row_count; row++) {
    const std::string_view value = column.is_valid(row) ? column.string(row) : std::string_view();
    bytes.insert(bytes.end(), value.begin(), value.end());
    offsets.push_back(static_cast<std::int32_t>(bytes.size()));
  }
  Column plain;
  plain.type = column.type;
  plain.row_count = column.row_count;
  plain.validity = column.validity;
  plain.values = Bytes::own(std::move(bytes));
  plain.offsets = Bytes::own(std::move(offsets));
  return plain;
}

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

// Collects the columns of a batch as Arrow arrays.
Result<Arrays> arrays_of(const Table& table) {
  ArrowArray array{};
  ArrowSchema schema{};
  PENSTOCK_TRY(export_table(table, &array, &schema));
  PENSTOCK_ASSIGN(const auto batch, io::from_arrow(arrow::ImportRecordBatch(&array, &schema)));
  return batch->columns();
}

class TableEncoder {
 public:
  TableEncoder(const TableSource& source, std::shared_ptr<io::SinkStream> sink,
               const EncodeTableOptions& options)
      : source_(source), sink_(std::move(sink)), options_(options) {}

  Result<EncodeTableReport> run() {
    PENSTOCK_TRY(choose_columns());
    PENSTOCK_TRY(open_writer());
    std::vector<std::uint32_t> all(source_.schema().size());
    for (std::uint32_t i = 0; i < all.size(); i++) all[i] = i;
    ScanOptions scan;
    scan.batch_rows = batch_rows;
    PENSTOCK_ASSIGN(const auto stream, source_.scan(all, scan));
    while (true) {
      PENSTOCK_ASSIGN(const auto batch, stream->next());
      if (!batch) break;
      PENSTOCK_TRY(write_rows(*batch, 0, batch->row_count));
    }
    PENSTOCK_TRY(io::from_arrow(writer_->Close()));
    PENSTOCK_ASSIGN(const std::int64_t bytes, io::from_arrow(sink_->Tell()));
    report_.file_bytes = static_cast<std::uint64_t>(bytes);
    return report_;
  }

 private:
  Status choose_columns() {
    codecs_.resize(source_.schema().size(), nullptr);
    std::set<std::string> names;
    for (const Field& field : source_.schema())
      if (!names.insert(field.name).second)
        return {Code::unsupported, "two columns named '" + field.name + "'"};
    for (const ColumnCodec& codec : options_.codecs) {
      PENSTOCK_ASSIGN(const std::uint32_t column, find_column(source_.schema(), codec));
      if (codecs_[column] != nullptr)
        return {Code::invalid, "two codecs for column '" + source_.schema()[column].name + "'"};
      report_.columns.push_back({source_.schema()[column].name, codec.codec, 0, 0});
      codecs_[column] = &codec;
    }
    return {};
  }

  Status open_writer() {
    PENSTOCK_TRY(column::check_supported(source_.schema()));
    arrow::FieldVector fields;
    for (std::size_t i = 0; i < codecs_.size(); i++) {
      const Field& field = source_.schema()[i];
      if (codecs_[i] != nullptr && io::encodes_strings(codecs_[i]->codec)) {
        fields.push_back(io::fsst_field(field.name, field.nullable));
        continue;
      }
      if (codecs_[i] != nullptr) {
        fields.push_back(io::light_field(field));
        continue;
      }
      Column empty;
      empty.type = field.type;
      if (field.type.kind == Kind::string) empty = plain_text(empty);
      PENSTOCK_ASSIGN(const Arrays arrays, arrays_of(Table::of({{field.name, empty}})));
      fields.push_back(arrow::field(field.name, arrays[0]->type(), field.nullable));
    }
    schema_ = arrow::schema(std::move(fields));
    PENSTOCK_ASSIGN(writer_, io::from_arrow(arrow::ipc::MakeFileWriter(sink_, schema_)));
    return {};
  }

  // Writes several batches if the rows' strings are too long for one.
  Status write_rows(const Table& table, std::uint64_t first, std::uint64_t count) {
    for (const Column& column : table.columns) {
      if (column.type.kind != Kind::string || count <= 1 ||
          string_bytes(column, first, count) <= max_string_bytes)
        continue;
      const std::uint64_t half = count > 16 ? count / 2 / 8 * 8 : count / 2;
      PENSTOCK_TRY(write_rows(table, first, half));
      return write_rows(table, first + half, count - half);
    }
    PENSTOCK_TRY(write_batch(table, first, count));
    report_.row_count += count;
    if (options_.progress && !options_.progress(report_.row_count))
      return {Code::cancelled, "cancelled"};
    return {};
  }

  Status write_batch(const Table& table, std::uint64_t first, std::uint64_t count) {
    Arrays arrays;
    auto metadata = std::make_shared<arrow::KeyValueMetadata>();
    for (std::size_t i = 0; i < table.columns.size(); i++) {
      Column rows = table.columns[i].slice(first, count);
      if (codecs_[i] != nullptr) {
        PENSTOCK_ASSIGN(arrays.emplace_back(), encoded(rows, i, *metadata));
        continue;
      }
      if (rows.type.kind == Kind::string) rows = plain_text(rows);
      PENSTOCK_ASSIGN(const Arrays one, arrays_of(Table::of({{table.names[i], rows}})));
      arrays.push_back(one[0]);
    }
    const auto batch =
        arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(count), std::move(arrays));
    return io::from_arrow(writer_->WriteRecordBatch(*batch, metadata));
  }

  Result<std::shared_ptr<arrow::Array>> encoded(const Column& rows, std::size_t index,
                                                arrow::KeyValueMetadata& metadata) {
    const std::string& name = source_.schema()[index].name;
    auto array = io::encodes_strings(codecs_[index]->codec) ? encoded_strings(rows, index, metadata)
                                                            : encoded_numbers(rows, index);
    return array.ok() ? std::move(array) : array.with("while encoding column '" + name + "'");
  }

  EncodedColumn& report_of(std::size_t index) {
    return report_.columns[static_cast<std::size_t>(codecs_[index] - options_.codecs.data())];
  }

  Result<std::shared_ptr<arrow::Array>> encoded_strings(const Column& rows, std::size_t index,
                                                        arrow::KeyValueMetadata& metadata) {
    PENSTOCK_ASSIGN(const auto strings, fsst::encode(rows));
    PENSTOCK_ASSIGN(const std::string record, io::fsst_record_text(strings));
    EncodedColumn& report = report_of(index);
    report.bytes_before += strings.string_bytes + 4 * (rows.row_count + 1);
    report.bytes_after += strings.codes.size + 4 * (rows.row_count + 1) + record.size();
    metadata.Append(io::fsst_record_key(source_.schema()[index].name), record);
    return io::fsst_array(strings);
  }

  Result<std::shared_ptr<arrow::Array>> encoded_numbers(const Column& rows, std::size_t index) {
    PENSTOCK_ASSIGN(const light::Block block,
                    light::encode(rows, io::kinds_of(codecs_[index]->codec)));
    EncodedColumn& report = report_of(index);
    report.bytes_before += rows.row_count * width_bytes(rows.type);
    report.bytes_after += block.bytes().size;
    return io::light_array(block, rows.validity);
  }

  const TableSource& source_;
  std::shared_ptr<io::SinkStream> sink_;
  const EncodeTableOptions& options_;
  std::vector<const ColumnCodec*> codecs_;  // by column; null: not encoded
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  EncodeTableReport report_;
};

}  // namespace

Result<EncodeTableReport> encode_table(const TableSource& source, const ByteSink& sink,
                                       const EncodeTableOptions& options) {
  const auto stream = std::make_shared<io::SinkStream>(sink);
  auto report =
      io::catch_arrow_exceptions([&] { return TableEncoder(source, stream, options).run(); });
  if (!stream->failed().ok())
    return stream->failed();  // Arrow words the sink's error in its own way
  return report;
}

}  // namespace penstock
