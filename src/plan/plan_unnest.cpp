// Adds steps that repeat rows for the elements of their lists.
#include "penstock/plan.hpp"

namespace penstock {
namespace {

Status wrong(const std::string& message) {
  return {Code::invalid, std::string(name_of(StepKind::unnest)) + ": " + message};
}

// A map's elements are structs of a key and a value.
Type element_of(Type list) {
  return list.logical == LogicalType::map ? struct_of({"key", "value"}, list.nested->types)
                                          : list.nested->types[0];
}

}  // namespace

Result<StepId> Plan::unnest(StepId input, Unnesting unnesting) {
  if (input >= steps_.size()) return wrong("its input is not a step of this plan");
  if (unnesting.lists.empty()) return wrong("it has no lists");
  const Schema& schema = steps_[input].schema;
  Step step;
  step.kind = StepKind::unnest;
  step.inputs = {input};
  for (const auto* const columns : {&unnesting.kept, &unnesting.lists})
    for (const std::uint32_t column : *columns)
      if (column >= schema.size()) return wrong("there is no column " + std::to_string(column));
  for (const std::uint32_t column : unnesting.kept) step.schema.push_back(schema[column]);
  for (const std::uint32_t column : unnesting.lists) {
    const Type type = schema[column].type;
    if (type.logical != LogicalType::list && type.logical != LogicalType::map)
      return wrong("column '" + schema[column].name + "' is " + name_of(type) + ", not a list");
    step.schema.push_back({schema[column].name, element_of(type), true});
  }
  if (unnesting.is_numbered) step.schema.push_back({"ordinality", {Kind::int64}, false});
  step.unnesting = std::move(unnesting);
  return add(std::move(step));
}

}  // namespace penstock
