// Rows that a WITH of DuckDB's plan names: shared ones, and those of a recursion.
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {

Result<PlanRows> PlanReader::materialized(const Tree& plan) {
  PENSTOCK_ASSIGN(const PlanRows shared, input(plan, 0));
  PENSTOCK_ASSIGN(materialized_[plan["table_index"].integer()], exact(shared));
  return input(plan, 1);
}

Result<PlanRows> PlanReader::materialized_reference(const Tree& plan) {
  const auto found = materialized_.find(plan["cte_index"].integer());
  if (plan["is_recurring"].boolean()) return refuse(plan, "a recurring WITH");
  if (found == materialized_.end()) return refuse(plan, "a WITH that the plan defines elsewhere");
  return found->second;
}

// References within the step are of its working table.
Result<PlanRows> PlanReader::recursion(const Tree& plan) {
  if (plan["key_targets"].size() > 0 || plan["ref_recurring"].boolean())
    return refuse(plan, "WITH RECURSIVE with USING KEY");
  PENSTOCK_ASSIGN(PlanRows base, input(plan, 0));
  PENSTOCK_ASSIGN(base, exact(base));
  const RelationId working = relations_.working_table(schema(base.relation));
  const std::int64_t index = plan["table_index"].integer();
  materialized_[index] = {working, base.columns};
  PENSTOCK_ASSIGN(PlanRows step, input(plan, 1));
  materialized_.erase(index);
  PENSTOCK_ASSIGN(step, exact(step));
  PENSTOCK_ASSIGN(base.relation, relations_.recursion(working, base.relation, step.relation,
                                                      plan["union_all"].boolean()));
  return base;
}

}  // namespace penstock::sql
