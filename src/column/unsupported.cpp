#include "column/unsupported.hpp"

#include <vector>

namespace penstock::column {
namespace {

Status refuse(const std::vector<const Field*>& fields, const std::string& of,
              const std::string& advice) {
  if (fields.empty()) return {};
  if (fields.size() == 1)
    return {Code::unsupported, "column '" + fields[0]->name + "'" + of + " cannot be read: it is " +
                                   fields[0]->unsupported + advice};
  std::string text;
  for (const Field* field : fields)
    text += (text.empty() ? "'" : ", '") + field->name + "' is " + field->unsupported;
  return {Code::unsupported, "columns" + of + " cannot be read: " + text + advice};
}

bool is_read(const Field& field) { return field.unsupported.empty(); }

}  // namespace

Status check_supported(const Schema& schema, std::span<const std::uint32_t> columns,
                       const std::string& of) {
  std::vector<const Field*> refused;
  for (const std::uint32_t column : columns)
    if (!is_read(schema[column])) refused.push_back(&schema[column]);
  return refuse(refused, of,
                refused.size() < columns.size() ? "; ask for the other columns by name" : "");
}

Status check_supported(const Schema& schema) {
  std::vector<const Field*> refused;
  for (const Field& field : schema)
    if (!is_read(field)) refused.push_back(&field);
  return refuse(refused, "", "");
}

Status check_supported(const Field& field) {
  return is_read(field) ? Status() : refuse({&field}, "", "");
}

}  // namespace penstock::column
