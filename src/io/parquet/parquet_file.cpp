#include "io/parquet/parquet_file.hpp"

#include <arrow/io/file.h>
#include <arrow/util/utf8.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "io/common/arrow_errors.hpp"
#include "io/common/column_names.hpp"
#include "io/common/on_demand_file.hpp"
#include "io/parquet/parquet_nested.hpp"

namespace penstock::io {
namespace {

// Footers of honest files are far below this; it bounds what a damaged length makes Parquet
// allocate.
constexpr std::int32_t footer_container_limit = 10'000'000;

// Arrow up to 4.0 counted no NULL in columns that it wrote from dictionaries.
bool counts_nulls_wrong(const parquet::ApplicationVersion& writer) {
  return writer.application_ == "parquet-cpp" ||
         (writer.application_ == "parquet-cpp-arrow" && writer.version.major < 5);
}

}  // namespace

Result<std::shared_ptr<const ParquetFile>> ParquetFile::open(const std::string& path,
                                                             bool stays_open) {
  return catch_arrow_exceptions([&]() -> Result<std::shared_ptr<const ParquetFile>> {
    arrow::util::InitializeUTF8();  // without its tables every string would count as valid
    auto file = std::make_shared<ParquetFile>();
    file->path_ = path;
    file->properties_.set_page_checksum_verification(true);
    file->properties_.set_thrift_container_size_limit(footer_container_limit);
    // Read, not mapped: a file that another program shortens while it is read is then an error, not
    // a signal.
    if (stays_open) {
      PENSTOCK_ASSIGN(file->input_, from_arrow(arrow::io::ReadableFile::Open(path)));
    } else {
      PENSTOCK_ASSIGN(file->input_, open_on_demand(path));
    }
    PENSTOCK_ASSIGN(file->bytes_, from_arrow(file->input_->GetSize()));
    return read(std::move(file));
  });
}

Result<std::shared_ptr<const ParquetFile>> ParquetFile::without_null_counts() const {
  return catch_arrow_exceptions([&]() -> Result<std::shared_ptr<const ParquetFile>> {
    auto file = std::make_shared<ParquetFile>();
    file->path_ = path_;
    file->properties_ = properties_;
    file->input_ = input_;
    file->bytes_ = bytes_;
    file->metadata_ = metadata_;
    file->believes_null_counts_ = false;
    return read(std::move(file));
  });
}

Result<std::shared_ptr<const ParquetFile>> ParquetFile::read(std::shared_ptr<ParquetFile> file) {
  file->reader_ =
      parquet::ParquetFileReader::Open(file->input_, file->properties_, file->metadata_);
  PENSTOCK_TRY(file->read_footer());
  return std::shared_ptr<const ParquetFile>(std::move(file));
}

Status ParquetFile::read_footer() {
  metadata_ = reader_->metadata();
  believes_null_counts_ = believes_null_counts_ && !counts_nulls_wrong(writer());
  PENSTOCK_TRY(count_rows());
  PENSTOCK_TRY(read_columns());
  if (metadata_->is_encryption_algorithm_set()) return {};  // not every chunk can be looked at
  for (int g = 0; g < row_group_count(); g++) PENSTOCK_TRY(check_row_count(g));
  return {};
}

// The file's own number of rows is not read: some writers leave it at 0.
Status ParquetFile::count_rows() {
  first_rows_.push_back(0);
  for (int g = 0; g < metadata_->num_row_groups(); g++) {
    const std::int64_t rows = metadata_->RowGroup(g)->num_rows();
    std::uint64_t end = 0;
    if (rows < 0 ||
        __builtin_add_overflow(first_rows_.back(), static_cast<std::uint64_t>(rows), &end))
      return {Code::corrupt,
              "row group " + std::to_string(g) + " claims " + std::to_string(rows) + " rows"};
    first_rows_.push_back(end);
  }
  return {};
}

// Refuses a row group if none of its columns has as many values as the group has rows. Mostly looks
// at one column.
Status ParquetFile::check_row_count(int row_group) const {
  const auto group = metadata_->RowGroup(row_group);
  bool is_any_flat = false;
  for (const ParquetColumn& column : columns_) {
    if (column.leaf < 0) continue;
    if (group->ColumnChunk(column.leaf)->num_values() == group->num_rows()) return {};
    is_any_flat = true;
  }
  if (!is_any_flat) return {};
  return {Code::corrupt, "row group " + std::to_string(row_group) + " claims " +
                             std::to_string(group->num_rows()) +
                             " rows, and none of its columns has as many"};
}

Status ParquetFile::read_columns() {
  const parquet::SchemaDescriptor& schema = *metadata_->schema();
  const parquet::schema::GroupNode& root = *schema.group_node();
  const bool is_by_arrow = metadata_->created_by().starts_with("parquet-cpp");
  for (int i = 0; i < root.field_count(); i++) {
    ParquetColumn column = column_of(*root.field(i));
    column.root = i;
    PENSTOCK_TRY(check_column_name(column.field.name, i));
    if (std::string refused = refused_annotation(*root.field(i), is_by_arrow); !refused.empty()) {
      column.field.unsupported = std::move(refused);
    } else if (column.conversion == Conversion::nested) {
      PENSTOCK_TRY(set_nested_type(schema, column));
    } else if (column.field.unsupported.empty()) {
      column.leaf = schema.ColumnIndex(*root.field(i));
      if (column.leaf < 0)
        return {Code::corrupt, "column '" + column.field.name + "' is not among the leaf columns"};
      look_at_chunks(column);
    }
    columns_.push_back(std::move(column));
  }
  return {};
}

// A column is not nullable if no chunk counts a NULL: its kernels carry no mask. The count may be
// wrong: decoding calls found_null() then, and the statement begins anew.
void ParquetFile::look_at_chunks(ParquetColumn& column) const {
  const bool is_string = column.conversion == Conversion::string;
  if (!column.is_optional && !is_string) return;
  bool counts_no_null = believes_null_counts_, all_codes = is_string;
  for (int g = 0; g < row_group_count() && (counts_no_null || all_codes); g++) {
    const auto chunk = metadata_->RowGroup(g)->ColumnChunk(column.leaf);
    all_codes = all_codes && is_all_codes(*chunk);
    if (!column.is_optional || !counts_no_null) continue;
    const auto statistics = chunk->encoded_statistics();
    counts_no_null = statistics && statistics->has_null_count && statistics->null_count == 0;
  }
  column.is_dictionary = all_codes;
  column.field.is_plain = is_string && !all_codes;
  column.field.nullable = column.is_optional && !counts_no_null;
}

// Writers that count no pages list the encodings of all pages: then the encodings of values must be
// codes alone. RLE and BIT_PACKED encode levels.
bool is_all_codes(const parquet::ColumnChunkMetaData& chunk) {
  bool any = false;
  for (const parquet::PageEncodingStats& pages : chunk.encoding_stats()) {
    if (pages.page_type != parquet::PageType::DATA_PAGE &&
        pages.page_type != parquet::PageType::DATA_PAGE_V2)
      continue;
    if (!is_code(pages.encoding)) return false;
    any = true;
  }
  if (chunk.encoding_stats().empty())
    for (const parquet::Encoding::type encoding : chunk.encodings()) {
      any = any || is_code(encoding);
      if (!is_code(encoding) && encoding != parquet::Encoding::RLE &&
          encoding != parquet::Encoding::BIT_PACKED)
        return false;
    }
  return any && chunk.has_dictionary_page();
}

std::shared_ptr<parquet::RowGroupPageIndexReader> ParquetFile::page_index(int row_group,
                                                                          int leaf) const {
  if (metadata_->is_encryption_algorithm_set()) return nullptr;
  const auto ranges = parquet::PageIndexReader::DeterminePageIndexRangesInRowGroup(
      *metadata_->RowGroup(row_group), {leaf});
  // Checked before memory is allocated for bytes that the file does not have.
  for (const auto& range : {ranges.column_index, ranges.offset_index})
    if (range && (range->offset > bytes_ || range->length > bytes_ - range->offset)) return nullptr;
  const auto reader = parquet::PageIndexReader::Make(input_.get(), metadata_, properties_);
  reader->WillNeed({row_group}, {leaf}, {true, true});
  return reader->RowGroup(row_group);
}

std::shared_ptr<parquet::RowGroupBloomFilterReader> ParquetFile::bloom_filters(
    int row_group) const {
  if (metadata_->is_encryption_algorithm_set()) return nullptr;
  return parquet::BloomFilterReader::Make(input_, metadata_, properties_)->RowGroup(row_group);
}

std::string ParquetFile::path_of_open_file() const {
  const auto* const file = dynamic_cast<const arrow::io::ReadableFile*>(input_.get());
  const int descriptor = file ? file->file_descriptor() : -1;
  return descriptor < 0 ? "" : "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace penstock::io
