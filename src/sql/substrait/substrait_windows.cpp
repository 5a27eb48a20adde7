// Window functions of Substrait's plans.
#include "plan/aggregates.hpp"
#include "sql/bind/decimal_quotient.hpp"
#include "sql/bind/windowing.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/substrait/substrait_reader.hpp"

namespace penstock::sql {
namespace {

bool is_number(WindowFunction function) {
  return function == WindowFunction::row_number || function == WindowFunction::rank ||
         function == WindowFunction::dense_rank;
}

bool takes_input(WindowFunction function) {
  return !is_number(function) && function != WindowFunction::count_rows;
}

bool counts_rows(std::string_view name, const Tree& arguments) {
  const Tree literal = arguments.at(0)["value"]["literal"];
  return name == "count" && (arguments.size() == 0 || (literal && !literal["null"]));
}

std::optional<WindowFunction> window_function_of(std::string_view name, const Tree& arguments) {
  if (counts_rows(name, arguments)) return WindowFunction::count_rows;
  return window_function_named(name);
}

// Nothing for a frame that does not begin with the partition. One without bounds is all of it.
std::optional<WindowFrame> window_frame_of(const Tree& call) {
  const Tree lower = call["lowerBound"], upper = call["upperBound"];
  if (lower && !lower["unbounded"]) return std::nullopt;
  if (!upper || upper["unbounded"]) return WindowFrame::partition;
  if (!upper["currentRow"]) return std::nullopt;
  return call["boundsType"].text() == "BOUNDS_TYPE_ROWS" ? WindowFrame::rows : WindowFrame::peers;
}

// DataFusion numbers rows by UBIGINT.
std::optional<Type> unstated_window_type(WindowFunction function, std::string_view name,
                                         std::optional<Type> argument) {
  if (is_number(function)) return Type{Kind::uint64};
  return plan::aggregate_named(name) ? unstated_type(name, argument) : argument;
}

}  // namespace

// A result: a call, or the quotient of a sum and a count.
struct SubstraitReader::WindowOutput {
  std::size_t call = 0;
  std::optional<std::size_t> count = {};
  std::optional<Type> type = {};
};

Status SubstraitReader::add_windows(SubstraitRows& rows, const std::vector<Tree>& calls) {
  ComputedColumns computed(*this, rows.relation);
  WindowCalls windows;
  std::vector<WindowOutput> outputs;
  for (const Tree& call : calls) {
    PENSTOCK_ASSIGN(outputs.emplace_back(),
                    add_window(call["windowFunction"], rows, computed, windows));
  }
  PENSTOCK_ASSIGN(const RelationId input, computed.finish());
  PENSTOCK_ASSIGN(const RelationColumns found, windows.finish(*this, input));
  ComputedColumns results(*this, found.relation);
  Builder& builder = results.builder();
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const WindowOutput& output = outputs[i];
    NodeId node = builder.column(found.columns[output.call]);
    if (output.count) {
      PENSTOCK_ASSIGN(node,
                      decimal_quotient(builder, node, builder.column(found.columns[*output.count]),
                                       *output.type));
    } else if (output.type && output.type->kind != Kind::decimal) {
      PENSTOCK_ASSIGN(node, cast_or_keep(builder, node, *output.type));
    }
    standing_[calls[i].identity()] = {results.add(node), output.type};
  }
  PENSTOCK_ASSIGN(rows.relation, results.finish());
  return {};
}

Result<Window> SubstraitReader::window_of(const Tree& call, const SubstraitRows& rows,
                                          ComputedColumns& computed) {
  Window window;
  for (std::size_t i = 0; i < call["partitions"].size(); i++) {
    PENSTOCK_ASSIGN(const SubstraitColumn column,
                    add(computed, call["partitions"].at(i), rows.columns, "PARTITION BY"));
    window.partition.push_back(column.place);
  }
  PENSTOCK_ASSIGN(window.order, sort_keys(call["sorts"], computed, rows.columns));
  return window;
}

// Adds the distance and the default of lag and lead.
Status SubstraitReader::add_offset(const Tree& arguments,
                                   const std::vector<SubstraitColumn>& inputs, WindowCall& call) {
  if (inputs.size() > 1) {
    const Tree distance = arguments.at(1)["value"]["literal"]["i64"];
    if (!distance || number_of(distance) < 0) return refuse("a distance that is no constant");
    call.distance = static_cast<std::uint64_t>(number_of(distance));
  }
  if (inputs.size() > 2 && !arguments.at(2)["value"]["literal"]["null"])
    call.otherwise = inputs[2].place;
  return {};
}

Result<WindowCall> SubstraitReader::window_call(const Tree& call,
                                                const std::vector<SubstraitColumn>& inputs) {
  const Tree arguments = call["arguments"];
  const std::string name(function_of(plan_, call));
  const auto function = window_function_of(name, arguments);
  const auto frame = window_frame_of(call);
  if (!function) return refuse("the window function " + name + " of Substrait's plan");
  if (!frame) return refuse("a frame that does not begin with its partition");
  if (call["invocation"].text() == "AGGREGATION_INVOCATION_DISTINCT")
    return refuse("DISTINCT in a window function");
  WindowCall added{*function, 0, *frame, 1, name};
  if (!takes_input(*function)) return added;
  if (inputs.empty()) return Status(Code::invalid, "the plan lacks the input of " + name);
  added.column = inputs[0].place;
  if (*function == WindowFunction::lag || *function == WindowFunction::lead)
    PENSTOCK_TRY(add_offset(arguments, inputs, added));
  return added;
}

Result<SubstraitReader::WindowOutput> SubstraitReader::add_window(const Tree& call,
                                                                  const SubstraitRows& rows,
                                                                  ComputedColumns& computed,
                                                                  WindowCalls& windows) {
  PENSTOCK_ASSIGN(Window window, window_of(call, rows, computed));
  std::vector<SubstraitColumn> inputs;
  for (std::size_t i = 0; i < call["arguments"].size(); i++) {
    PENSTOCK_ASSIGN(inputs.emplace_back(),
                    add(computed, call["arguments"].at(i)["value"], rows.columns, "OVER"));
  }
  PENSTOCK_ASSIGN(WindowCall added, window_call(call, inputs));
  WindowOutput output;
  output.type = stated_type(call);
  const bool has_input = takes_input(added.function);
  if (!output.type)
    output.type =
        unstated_window_type(added.function, added.name, has_input ? inputs[0].type : std::nullopt);
  if (added.function == WindowFunction::average && output.type &&
      output.type->kind == Kind::decimal) {
    added.function = WindowFunction::sum;
    WindowCall count = added;
    count.function = WindowFunction::count;
    output.count = windows.add(window, count);
  }
  output.call = windows.add(std::move(window), std::move(added));
  return output;
}

}  // namespace penstock::sql
