#include "io/arrow/arrow_batches.hpp"

#include <algorithm>
#include <iterator>

#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include "column/unsupported.hpp"
#include "io/common/column_names.hpp"
#include "io/encoded/fsst_columns.hpp"
#include "io/encoded/light_columns.hpp"

namespace penstock::io {
namespace {

bool is_encoded(const column::ArrowField& field) {
  return field.layout == column::ArrowLayout::fsst || field.layout == column::ArrowLayout::light;
}

Result<Column> import_fsst(const std::shared_ptr<arrow::Array>& array, const std::string& name,
                           const arrow::KeyValueMetadata* metadata, bool keeps_encoded) {
  PENSTOCK_ASSIGN(fsst::EncodedStrings strings, fsst_strings(array, name, metadata));
  return keeps_encoded ? keep_fsst(std::move(strings)) : decode_fsst(strings);
}

Result<Column> import_encoded(const std::shared_ptr<arrow::Array>& array,
                              const column::ArrowField& field,
                              const arrow::KeyValueMetadata* metadata, bool keeps_encoded) {
  PENSTOCK_TRY(column::check_supported(field.field));
  auto column = field.layout == column::ArrowLayout::fsst
                    ? import_fsst(array, field.field.name, metadata, keeps_encoded)
                    : import_light(array, field.field.type, keeps_encoded);
  return column.ok()
             ? std::move(column)
             : Result<Column>(column.with("while importing column '" + field.field.name + "'"));
}

// Names the column of an error: Arrow gives its number among the columns that are read.
Status check_whole(const arrow::RecordBatch& batch) {
  const Status whole = from_arrow(batch.ValidateFull());
  for (int i = 0; i < batch.num_columns() && !whole.ok(); i++)
    PENSTOCK_TRY(from_arrow(batch.column(i)->ValidateFull())
                     .with("in column '" + batch.schema()->field(i)->name() + "'"));
  return whole;
}

}  // namespace

Result<std::vector<column::ArrowField>> fields_of(const arrow::Schema& schema) {
  arrow::util::InitializeUTF8();
  std::vector<column::ArrowField> fields;
  for (const auto& field : schema.fields()) {
    PENSTOCK_TRY(check_column_name(field->name(), static_cast<int>(fields.size())));
    ArrowSchema exported{};
    PENSTOCK_TRY(from_arrow(arrow::ExportField(*field, &exported)));
    fields.push_back(column::field_of(exported));
    exported.release(&exported);
    if (!take_fsst_field(*field, fields.back())) take_light_field(*field, fields.back());
    if (!fields.back().field.unsupported.empty())
      fields.back().field.unsupported += " (" + field->type()->ToString() + ")";
  }
  return fields;
}

Schema schema_of(std::span<const column::ArrowField> fields) {
  Schema schema;
  for (const column::ArrowField& field : fields) schema.push_back(field.field);
  return schema;
}

Result<Table> import_untrusted(const arrow::RecordBatch& batch,
                               std::span<const column::ArrowField> fields,
                               std::span<const std::uint32_t> wanted,
                               const arrow::KeyValueMetadata* metadata,
                               std::span<const std::uint32_t> encoded) {
  PENSTOCK_TRY(check_whole(batch));
  std::vector<std::uint32_t> plain;
  std::ranges::remove_copy_if(wanted, std::back_inserter(plain),
                              [&](std::uint32_t index) { return is_encoded(fields[index]); });
  ArrowArray array{};
  PENSTOCK_TRY(from_arrow(arrow::ExportRecordBatch(batch, &array)));
  PENSTOCK_ASSIGN(Table table, column::import_columns(column::own(&array), fields, plain));
  for (std::size_t at = 0; at < wanted.size(); at++) {
    if (!is_encoded(fields[wanted[at]])) continue;
    const bool keeps_encoded = std::ranges::find(encoded, wanted[at]) != encoded.end();
    PENSTOCK_ASSIGN(Column column, import_encoded(batch.column(static_cast<int>(wanted[at])),
                                                  fields[wanted[at]], metadata, keeps_encoded));
    table.names.insert(table.names.begin() + static_cast<std::ptrdiff_t>(at),
                       fields[wanted[at]].field.name);
    table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(at),
                         std::move(column));
  }
  return table;
}

}  // namespace penstock::io
