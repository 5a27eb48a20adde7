#include "io/arrow/arrow_batches.hpp"

#include <algorithm>
#include <iterator>

#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/type.h>

#include "column/unsupported.hpp"
#include "io/encoded/fsst_columns.hpp"

namespace penstock::io {
namespace {

Result<Column> import_fsst(const arrow::RecordBatch& batch, std::uint32_t index,
                           const column::ArrowField& field, const arrow::KeyValueMetadata* metadata,
                           bool keeps_encoded) {
  PENSTOCK_TRY(column::check_supported(field.field));
  auto strings = fsst_strings(batch.column(static_cast<int>(index)), field.field.name, metadata);
  if (!strings.ok()) return strings.with("while importing column '" + field.field.name + "'");
  auto column = keeps_encoded ? keep_fsst(std::move(*strings)) : decode_fsst(*strings);
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
  std::vector<column::ArrowField> fields;
  for (const auto& field : schema.fields()) {
    ArrowSchema exported{};
    PENSTOCK_TRY(from_arrow(arrow::ExportField(*field, &exported)));
    fields.push_back(column::field_of(exported));
    exported.release(&exported);
    take_fsst_field(*field, fields.back());
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
  const auto is_fsst = [&](std::uint32_t index) {
    return fields[index].layout == column::ArrowLayout::fsst;
  };
  std::vector<std::uint32_t> plain;
  std::ranges::remove_copy_if(wanted, std::back_inserter(plain), is_fsst);
  ArrowArray array{};
  PENSTOCK_TRY(from_arrow(arrow::ExportRecordBatch(batch, &array)));
  PENSTOCK_ASSIGN(Table table, column::import_columns(column::own(&array), fields, plain));
  for (std::size_t at = 0; at < wanted.size(); at++) {
    if (!is_fsst(wanted[at])) continue;
    const bool keeps_encoded = std::ranges::find(encoded, wanted[at]) != encoded.end();
    PENSTOCK_ASSIGN(Column column,
                    import_fsst(batch, wanted[at], fields[wanted[at]], metadata, keeps_encoded));
    table.names.insert(table.names.begin() + static_cast<std::ptrdiff_t>(at),
                       fields[wanted[at]].field.name);
    table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(at),
                         std::move(column));
  }
  return table;
}

}  // namespace penstock::io
