#include "io/arrow_batches.hpp"

#include <arrow/c/bridge.h>
#include <arrow/type.h>

namespace penstock::io {

Result<std::vector<column::ArrowField>> fields_of(const arrow::Schema& schema) {
  std::vector<column::ArrowField> fields;
  for (const auto& field : schema.fields()) {
    ArrowSchema exported{};
    PENSTOCK_TRY(from_arrow(arrow::ExportField(*field, &exported)));
    fields.push_back(column::field_of(exported));
    exported.release(&exported);
    if (!fields.back().field.unsupported.empty()) fields.back().field.unsupported += " (" + field->type()->ToString() + ")";
  }
  return fields;
}

Schema schema_of(std::span<const column::ArrowField> fields) {
  Schema schema;
  for (const column::ArrowField& field : fields) schema.push_back(field.field);
  return schema;
}

Result<Table> import_untrusted(const arrow::RecordBatch& batch, std::span<const column::ArrowField> fields,
                               std::span<const std::uint32_t> wanted) {
  PENSTOCK_TRY(from_arrow(batch.ValidateFull()));
  ArrowArray array{};
  PENSTOCK_TRY(from_arrow(arrow::ExportRecordBatch(batch, &array)));
  return column::import_columns(column::own(&array), fields, wanted);
}

}  // namespace penstock::io
