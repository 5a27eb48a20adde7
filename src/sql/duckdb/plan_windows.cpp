#include "sql/duckdb/plan_windows.hpp"

#include "plan/aggregates.hpp"

namespace penstock::sql {
namespace {

struct NamedWindow {
  std::string_view type;
  WindowFunction function;
};
constexpr NamedWindow window_functions[] = {{"WINDOW_ROW_NUMBER", WindowFunction::row_number},
                                            {"WINDOW_RANK", WindowFunction::rank},
                                            {"WINDOW_RANK_DENSE", WindowFunction::dense_rank},
                                            {"WINDOW_DENSE_RANK", WindowFunction::dense_rank},
                                            {"WINDOW_FIRST_VALUE", WindowFunction::first_value},
                                            {"WINDOW_LAST_VALUE", WindowFunction::last_value},
                                            {"WINDOW_NTH_VALUE", WindowFunction::nth_value},
                                            {"WINDOW_LAG", WindowFunction::lag},
                                            {"WINDOW_LEAD", WindowFunction::lead}};
struct NamedAggregate {
  std::string_view name;
  WindowFunction function;
};
constexpr NamedAggregate window_aggregates[] = {{"first", WindowFunction::first_value},
                                                {"last", WindowFunction::last_value},
                                                {"any_value", WindowFunction::first_value},
                                                {"arbitrary", WindowFunction::first_value},
                                                {"count_if", WindowFunction::sum},
                                                {"countif", WindowFunction::sum},
                                                {"sum_no_overflow", WindowFunction::sum},
                                                {"favg", WindowFunction::average},
                                                {"fsum", WindowFunction::sum},
                                                {"kahan_sum", WindowFunction::sum},
                                                {"sumkahan", WindowFunction::sum}};

}  // namespace

std::optional<WindowFunction> function_of_window(const Tree& call) {
  const std::string_view type = call["type"].text(), name = function_name(call);
  for (const NamedWindow& row : window_functions)
    if (row.type == type) return row.function;
  if (type != "WINDOW_AGGREGATE") return std::nullopt;
  if (name == "count_star" || (name == "count" && inputs_of(call).empty()))
    return WindowFunction::count_rows;
  for (const NamedAggregate& row : window_aggregates)
    if (row.name == name) return row.function;
  const plan::AggregateRow* const aggregate = plan::aggregate_named(name);
  return aggregate ? aggregate->window : std::nullopt;
}

bool takes_frame(WindowFunction function) {
  return function != WindowFunction::row_number && function != WindowFunction::rank &&
         function != WindowFunction::dense_rank && function != WindowFunction::lag &&
         function != WindowFunction::lead;
}

std::optional<WindowFrame> frame_of_window(const Tree& call) {
  const std::string_view start = call["start"].text(), end = call["end"].text(),
                         excluded = call["exclude_clause"].text();
  if (start != "UNBOUNDED_PRECEDING" || (excluded != "NO_OTHER" && !excluded.empty()))
    return std::nullopt;
  if (end == "UNBOUNDED_FOLLOWING") return WindowFrame::partition;
  if (end == "CURRENT_ROW_ROWS") return WindowFrame::rows;
  return end == "CURRENT_ROW_RANGE" ? std::optional(WindowFrame::peers) : std::nullopt;
}

std::optional<FrameExclusion> exclusion_of(const Tree& call) {
  const std::string_view excluded = call["exclude_clause"].text();
  if (excluded.empty() || excluded == "NO_OTHER") return FrameExclusion::none;
  if (excluded == "CURRENT_ROW") return FrameExclusion::current_row;
  if (excluded == "GROUP") return FrameExclusion::peers;
  return excluded == "TIES" ? std::optional(FrameExclusion::ties) : std::nullopt;
}

bool is_whole_partition(const Tree& call) {
  const std::string_view end = call["end"].text();
  const bool ends_with_peers = end == "CURRENT_ROW_RANGE" && call["orders"].size() == 0;
  const auto frame = frame_of_window(call);
  return frame && (*frame == WindowFrame::partition || ends_with_peers);
}

}  // namespace penstock::sql
