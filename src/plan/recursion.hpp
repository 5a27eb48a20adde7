// The rows of WITH RECURSIVE, as a source of a plan. It has plans of its own: a base, and a step
// that is run over the rows of the step before until it yields none. exec/recursion runs it before
// the plan that reads it, on the same devices, and puts its rows in its place.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "penstock/plan.hpp"

namespace penstock::plan {

using SourcePointer = std::shared_ptr<TableSource>;

struct RecursionParts {
  // Rows that are computed once: those that it begins with, then others that the step reads.
  Plan outside;
  // A step of `outside`, and the source of `step` that stands for its rows.
  struct Held {
    StepId rows = no_step;
    SourcePointer source;
  };
  std::vector<Held> held;  // the first: the rows of the step before
  Plan step;
  StepId result = no_step;  // of `step`
  // Stands for all rows so far, where the step leaves out those that it has yielded before.
  SourcePointer all_rows = nullptr;
};

class Recursion final : public TableSource {
 public:
  Recursion(Schema schema, RecursionParts parts)
      : schema_(std::move(schema)), parts_(std::move(parts)) {}
  const RecursionParts& parts() const { return parts_; }

  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override;
  std::string describe() const override { return "recursion"; }

 private:
  const Schema schema_;
  const RecursionParts parts_;
};

// Returns the recursion that a step of a plan reads, or null.
const Recursion* recursion_of(const Step& step);
bool has_recursion(const Plan& plan);

using Replacements = std::map<const TableSource*, SourcePointer>;
// Returns the plan with other sources in place of these, in its recursions too.
Plan with_sources_replaced(const Plan& plan, const Replacements& replacements);

}  // namespace penstock::plan
