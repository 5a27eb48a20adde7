// The reference of ORDER BY.
#include <algorithm>
#include <numeric>

#include "exec/validate/compare_tables.hpp"
#include "exec/validate/host_reference.hpp"
#include "exec/validate/validate.hpp"
#include "expr/value.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

// Rows of keys, ordered by the words of the rule: equal rows keep their order.
std::vector<std::uint64_t> reference_order(const Table& input, const std::vector<SortKey>& keys) {
  std::vector<std::vector<Scalar>> values(keys.size());
  for (std::size_t k = 0; k < keys.size(); k++)
    for (std::uint64_t row = 0; row < input.row_count; row++)
      values[k].push_back(scalar_at(input.columns[keys[k].column], row));
  std::vector<std::uint64_t> order(input.row_count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    for (std::size_t k = 0; k < keys.size(); k++) {
      const Scalar &left = values[k][a], &right = values[k][b];
      if (left.is_null != right.is_null) return left.is_null == keys[k].nulls_first;
      const int compared = left.is_null ? 0 : expr::compare(left, right);
      if (compared != 0) return keys[k].descending ? compared > 0 : compared < 0;
    }
    return false;
  });
  return order;
}

Status compare_order(const Table& input, const std::vector<SortKey>& keys, const Table& ordered,
                     const std::string& device_id, std::span<const Tolerance> tolerances) {
  std::vector<std::uint64_t> order = reference_order(input, keys);
  order.resize(std::min<std::size_t>(order.size(), ordered.row_count));
  const Table reference = gather(input, order);
  const auto difference = first_difference(ordered, 0, reference, tolerances);
  if (!difference) return {};
  return Status(Code::internal, "validate: order by: row " + std::to_string(difference->row) +
                                    " is not the reference's: " + device_id + " has " +
                                    row_text(ordered, difference->row, ordered.columns.size()) +
                                    "; the reference " +
                                    row_text(reference, difference->row, reference.columns.size()));
}

}  // namespace

Status check_order(const Table& input, const std::vector<SortKey>& keys, const Table& ordered,
                   const std::string& device_id) {
  return compare_order(input, keys, ordered, device_id,
                       std::vector<Tolerance>(input.columns.size()));
}

// Checks an order. If it differs, checks all rows of the chain for a step that is wrong.
Status check_first_rows(const ChainToCheck& chain, const std::vector<SortKey>& keys,
                        const Table& ordered) {
  const std::vector<StepId> steps = plan::chain(chain.plan, chain.base, chain.last);
  std::vector<Table> parts;
  PENSTOCK_TRY(
      each_batch(chain.source, chain.columns,
                 [&](const Table& batch, std::uint64_t) -> Result<bool> {
                   PENSTOCK_ASSIGN(ReferenceRows rows, reference_rows(chain.plan, chain.base,
                                                                      chain.last, steps, batch));
                   parts.push_back(std::move(rows.table));
                   return true;
                 })
          .with("validate: the reference of a chain that " + chain.device_id + " computed"));
  std::vector<Tolerance> tolerances(chain.plan.step(chain.base).schema.size());
  for (const StepId id : steps) tolerances = tolerances_after(chain.plan.step(id), tolerances);
  const Table rows = joined(chain.plan.step(chain.last).schema, parts);
  Status found = compare_order(rows, keys, ordered, chain.device_id, tolerances);
  if (found.ok() && ordered.row_count < std::min(chain.row_limit, rows.row_count))
    found = Status(Code::internal, "validate: order by: " + chain.device_id + " has " +
                                       std::to_string(ordered.row_count) + " rows, the reference " +
                                       std::to_string(rows.row_count));
  if (found.ok()) return {};
  ChainToCheck whole = chain;
  whole.row_limit = ~std::uint64_t{0};
  PENSTOCK_TRY(check_chain(whole, chain.run(chain.plan, chain.base, chain.last, chain.source)));
  return found;
}

}  // namespace penstock::plan
