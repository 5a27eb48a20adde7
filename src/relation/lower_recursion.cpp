// Recursions. The step has a plan of its own, which reads the working table. Whatever it reads
// beside that is computed once, outside of the step, and held.
#include "plan/recursion.hpp"
#include "plan/schema_source.hpp"
#include "relation/lowering.hpp"

namespace penstock::relation {

struct Lowering::RecursionStep {
  Lowering& outside;
  plan::RecursionParts& parts;
  const std::vector<bool>& reads_working;  // by relation: it is computed anew in each step
};

namespace {

// Inputs have smaller numbers.
std::vector<bool> relations_that_read(const RelationGraph& relations, RelationId working) {
  std::vector<bool> reads(relations.size(), false);
  reads[working] = true;
  for (RelationId id = 0; id < relations.size(); id++)
    for (const RelationId input : relations.at(id).inputs)
      if (reads[input]) reads[id] = true;
  return reads;
}

}  // namespace

Lowering::Lowering(const Lowering& around, RelationId result, Plan& plan, RecursionStep* step)
    : Lowering(around.relations_, result, plan) {
  working_ = around.working_;
  step_ = step;
}

Result<StepId> Lowering::working_table(RelationId id) {
  const auto found = working_.find(id);
  if (found == working_.end())
    return Status(Code::invalid, "a working table is read outside of its recursion's step");
  return plan_.source(found->second);
}

Result<StepId> Lowering::recursion(const Relation& relation) {
  const RelationId working = relation.inputs[0], base = relation.inputs[1],
                   result = relation.inputs[2];
  const std::vector<bool> reads_working = relations_that_read(relations_, working);
  if (!reads_working[result]) return union_of(base, result, relation.all);
  plan::RecursionParts parts;
  Lowering outside(*this, base, parts.outside, nullptr);
  PENSTOCK_ASSIGN(StepId first, outside.of(base));
  if (!relation.all) { PENSTOCK_ASSIGN(first, outside.distinct(first)); }
  parts.held.push_back({first, plan::schema_source(relation.schema)});

  RecursionStep again{outside, parts, reads_working};
  Lowering step(*this, result, parts.step, &again);
  step.working_[working] = parts.held[0].source;
  PENSTOCK_ASSIGN(parts.result, step.of(result));
  if (!relation.all) {
    parts.all_rows = plan::schema_source(relation.schema);
    PENSTOCK_ASSIGN(parts.result, step.distinct(parts.result));
    PENSTOCK_ASSIGN(parts.result,
                    step.among(JoinKind::anti, parts.result, parts.step.source(parts.all_rows)));
  }
  return plan_.source(std::make_shared<plan::Recursion>(relation.schema, std::move(parts)));
}

// The step would yield the same rows for ever.
Result<StepId> Lowering::union_of(RelationId first, RelationId second, bool all) {
  PENSTOCK_ASSIGN(const StepId a, of(first));
  PENSTOCK_ASSIGN(const StepId b, of(second));
  PENSTOCK_ASSIGN(const StepId rows, plan_.append({a, b}));
  return all ? Result<StepId>(rows) : distinct(rows);
}

bool Lowering::is_held(RelationId id) const {
  return step_ != nullptr && !step_->reads_working[id];
}

Result<StepId> Lowering::held(RelationId id) {
  PENSTOCK_ASSIGN(const StepId rows, step_->outside.of(id));
  Schema schema = step_->parts.outside.step(rows).schema;
  for (Field& field : schema) field.nullable = true;  // a file's counts of NULLs may be wrong
  auto source = plan::schema_source(std::move(schema));
  step_->parts.held.push_back({rows, source});
  return plan_.source(std::move(source));
}

}  // namespace penstock::relation
