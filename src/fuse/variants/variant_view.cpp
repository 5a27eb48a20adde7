// Shows the variants of typical tile programs: a filter, a sum, and a sum by key, over columns of
// 32 bits.
#include "fuse/variants/policy_numbers.hpp"

namespace penstock::plan {
namespace {

struct TypicalStep {
  const char* use;
  Result<StepId> (*add)(Plan& plan, StepId source, Builder& builder);
};

Result<StepId> add_filter(Plan& plan, StepId source, Builder& builder) {
  PENSTOCK_ASSIGN(const NodeId predicate,
                  builder.binary(Op::greater, builder.column(1u), builder.captured(Scalar::of(0))));
  return plan.filter(source, builder.graph(), predicate);
}
Result<StepId> add_map(Plan& plan, StepId source, Builder& builder) {
  PENSTOCK_ASSIGN(const NodeId negative,
                  builder.binary(Op::add, builder.column(1u), builder.captured(Scalar::of(1))));
  return plan.map(source, builder.graph(), {{"x", negative}});
}
Result<StepId> add_sum(Plan& plan, StepId source, Builder& builder) {
  return plan.reduce(source, builder.graph(), {{Aggregate::sum, builder.column(1u), "x", nullptr}});
}
Result<StepId> add_groups(Plan& plan, StepId source, Builder& builder) {
  return plan.group_by(source, builder.graph(), {{"key", builder.column(0u)}},
                       {{Aggregate::sum, builder.column(1u), "x", nullptr}});
}
constexpr TypicalStep typical_steps[] = {{"rows that pass a filter", add_filter},
                                         {"all rows, computed", add_map},
                                         {"a sum", add_sum},
                                         {"a sum by key", add_groups}};

Result<TileProgram> typical_program(const TypicalStep& step) {
  Plan plan;
  const Column numbers = Column::from(std::vector<std::int32_t>{1, 2});
  const StepId source = plan.source(table_source(Table::of({{"key", numbers}, {"x", numbers}})));
  Builder builder(plan.step(source).schema);
  PENSTOCK_ASSIGN(const StepId last, step.add(plan, source, builder));
  return fuse(plan, source, last);
}

}  // namespace

// Group-bys with keys of few slots run by the first row. The view does not show how that changes
// with the number of slots.
std::vector<kernel::VariantCase> view_of_pipelines(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (const TypicalStep& step : typical_steps) {
    const Result<TileProgram> program = typical_program(step);
    if (!program.ok()) continue;
    kernel::VariantCase each{std::string(family_of(program->epilogue)), step.use, {}};
    for (const Variant& variant : variants()) {
      if (variant.epilogue != program->epilogue) continue;
      kernel::VariantRow row{std::string(variant.name), variant.fits(traits, *program)};
      if (row.fit) row.policy = numbers_of(variant, traits, policy_of(variant, traits, *program));
      each.rows.push_back(std::move(row));
    }
    cases.push_back(std::move(each));
  }
  return cases;
}

}  // namespace penstock::plan
