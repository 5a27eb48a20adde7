// The windows of an operator of DuckDB's plan, while they are read.
#pragma once
#include <functional>

#include "sql/duckdb/plan_reader.hpp"
#include "sql/plans/window_calls.hpp"

namespace penstock::sql {

// The windows of an operator, and what its results are.
struct PlanReader::WindowPlan {
  // Computes a result of the columns from `first` on; null: that column.
  using Value = std::function<Result<NodeId>(Builder& rows, std::uint32_t first)>;
  struct Output {
    std::size_t window = 0, call = 0;  // its first call, by its place in the window
    Value value;
    std::optional<std::size_t> statistic = {};
    std::optional<Type> stated = {};
    bool is_refused = false;
  };
  // A call of distinct values: the first row of each has it, all others have NULL.
  struct Distinct {
    std::size_t window = 0, call = 0;
    std::uint32_t column = 0;
  };
  struct OfPartition {
    relation::ColumnList partition;
    relation::StatisticCall call;
    std::uint32_t column = 0;  // of the result, once it is there
  };

  Output& add(Window window, std::vector<WindowCall> calls) {
    const std::size_t place = place_among(windows, std::move(window));
    outputs.push_back({place, windows[place].calls.size(), nullptr});
    for (WindowCall& call : calls) windows[place].calls.push_back(std::move(call));
    return outputs.back();
  }
  void add_refused() {
    outputs.emplace_back();
    outputs.back().is_refused = true;
  }

  std::vector<Window> windows;
  std::vector<Output> outputs;
  std::vector<Distinct> distinct;
  std::vector<OfPartition> statistics;
};

}  // namespace penstock::sql
