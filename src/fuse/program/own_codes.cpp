#include "fuse/program/own_codes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "expr/operation.hpp"

namespace penstock::plan {
namespace {

// Finds the columns of strings that operations read otherwise than by comparing them with one
// constant each.
class Comparisons {
 public:
  explicit Comparisons(const TileProgram& program) : graph_(*program.graph) {
    std::vector<NodeId> roots = program.roots();
    if (program.bound) roots.push_back(program.bound->passes);
    const std::vector<bool> needed = expr::reachable(graph_, roots);
    for (NodeId id = 0; id < graph_.size(); id++)
      if (needed[id]) look_at(graph_.at(id));
    for (const Lookup& lookup : program.lookups)
      for (const NodeId key : lookup.keys)
        if (is_string_column(key)) shared_.insert(graph_.at(key).payload);
    drop_shared_parameters();
  }
  bool is_shared(std::uint32_t column) const { return shared_.contains(column); }
  // The column that each parameter is compared with.
  const std::map<std::uint32_t, std::uint32_t>& parameters() const { return columns_; }

 private:
  bool is_string_column(NodeId id) const {
    return graph_.at(id).op == Op::column && graph_.at(id).type.kind == Kind::string;
  }
  bool is_string_parameter(NodeId id) const {
    return graph_.at(id).op == Op::parameter && graph_.at(id).type.kind == Kind::string;
  }

  void look_at(const Node& node) {
    if (node.op == Op::is_null) return;
    if (compares_with_constant(node)) return;
    for (const NodeId input : node.inputs) {
      if (is_string_column(input)) shared_.insert(graph_.at(input).payload);
      if (is_string_parameter(input)) shared_parameters_.insert(graph_.at(input).payload);
    }
  }

  // Notes the column that the constant is compared with.
  bool compares_with_constant(const Node& node) {
    if (node.op != Op::equal && node.op != Op::not_equal) return false;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const NodeId column = node.inputs[side], constant = node.inputs[1 - side];
      if (!is_string_column(column) || !is_string_parameter(constant)) continue;
      const std::uint32_t parameter = graph_.at(constant).payload, of = graph_.at(column).payload;
      const auto [known, is_new] = columns_.emplace(parameter, of);
      if (!is_new && known->second != of) shared_parameters_.insert(parameter);
      compared_.emplace_back(parameter, of);
      return true;
    }
    return false;
  }

  // A constant has one code. Columns that share a constant share its codes.
  void drop_shared_parameters() {
    for (bool more = true; std::exchange(more, false);)
      for (const auto& [parameter, column] : compared_) {
        if (shared_parameters_.contains(parameter)) more |= shared_.insert(column).second;
        if (shared_.contains(column)) more |= shared_parameters_.insert(parameter).second;
      }
    for (const std::uint32_t parameter : shared_parameters_) columns_.erase(parameter);
  }

  const Graph& graph_;
  std::set<std::uint32_t> shared_, shared_parameters_;
  std::map<std::uint32_t, std::uint32_t> columns_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> compared_;
};

// Returns the column of the source that an output is; nothing if it is computed.
std::optional<std::uint32_t> column_of_output(const TileProgram& program, std::size_t output) {
  const Node& node = program.graph->at(program.outputs[output].root);
  if (node.op != Op::column) return std::nullopt;
  return node.payload;
}

}  // namespace

void use_codes_of_run(TileProgram& program) {
  program.own_codes.clear();
  program.own_parameters.clear();
}

void choose_own_codes(TileProgram& program) {
  use_codes_of_run(program);
  if (program.rows_stay) return;  // other steps read their codes
  const Comparisons comparisons(program);
  for (const std::uint32_t column : program.device_columns)
    if (program.source_schema[column].type.kind == Kind::string &&
        column < program.first_derived() && !comparisons.is_shared(column))
      program.own_codes.push_back(column);
  for (const auto& [parameter, column] : comparisons.parameters())
    if (has_own_codes(program, column)) program.own_parameters.emplace_back(parameter, column);
  if (!program.of_distinct) return;
  TileProgram totals = *program.of_distinct;
  totals.own_codes = program.own_codes;
  if (totals.own_codes != program.of_distinct->own_codes)
    program.of_distinct = std::make_shared<const TileProgram>(std::move(totals));
}

bool has_own_codes(const TileProgram& program, std::uint32_t column) {
  return std::ranges::find(program.own_codes, column) != program.own_codes.end();
}

bool has_own_output(const TileProgram& program, std::size_t output) {
  const std::optional<std::uint32_t> column = column_of_output(program, output);
  return column && has_own_codes(program, *column);
}

std::shared_ptr<ColumnStrings> ProgramStrings::of_column(std::uint32_t column) const {
  for (const OwnStrings& own : *own_)
    if (own.column == column) return own.strings;
  auto strings = std::make_shared<ColumnStrings>();
  if (are_kept()) strings = keep_strings(*cache_, identity_, column, std::move(strings));
  set_column(column, strings);
  return strings;
}

bool ProgramStrings::are_kept() const {
  return cache_ != nullptr && cache_->limit_bytes() > 0 && !identity_.empty();
}

DeviceCache::Key ProgramStrings::key(const std::string& kind, std::uint32_t column,
                                     std::uint64_t count) const {
  return {kind + " of strings " + std::to_string(of_column(column)->id()), identity_, column, 0,
          count};
}

void ProgramStrings::keep_again() const {
  if (!are_kept()) return;
  for (const OwnStrings& own : *own_)
    static_cast<void>(keep_strings(*cache_, identity_, own.column, own.strings));
}

void ProgramStrings::set_column(std::uint32_t column,
                                std::shared_ptr<ColumnStrings> strings) const {
  own_->push_back({column, std::move(strings), nullptr});
}

const ColumnStrings* ProgramStrings::own_of(const TileProgram& program, std::size_t output) const {
  const std::optional<std::uint32_t> column = column_of_output(program, output);
  if (!column || !has_own_codes(program, *column)) return nullptr;
  for (const OwnStrings& own : *own_)
    if (own.column == *column) return own.strings.get();
  return nullptr;
}

std::string_view ProgramStrings::text(const TileProgram& program, std::size_t output,
                                      std::uint32_t code) const {
  const ColumnStrings* const own = own_of(program, output);
  return own ? own->text(code) : pool_->text(code);
}

CodeOfText ProgramStrings::codes(const TileProgram& program, std::size_t output) const {
  if (!has_own_output(program, output))
    return [pool = pool_](std::string_view text) { return pool->code(text); };
  return [own = of_column(*column_of_output(program, output))](std::string_view text) {
    return own->number(text);
  };
}

std::string_view ProgramStrings::text(const TileProgram& program, const AggregateResult& result,
                                      std::uint32_t number) const {
  if (!result.ranked) return text(program, program.key_count, number);
  const std::vector<std::uint32_t>& numbers = order_of_column(*result.ranked).numbers;
  return number < numbers.size() ? of_column(*result.ranked)->text(numbers[number])
                                 : std::string_view();
}

const StringOrder& ProgramStrings::order_of_column(std::uint32_t column) const {
  static_cast<void>(of_column(column));
  OwnStrings& own = *std::ranges::find(*own_, column, &OwnStrings::column);
  if (!own.order) own.order = own.strings->order();
  return *own.order;
}

Status ProgramStrings::check_order(std::uint32_t column,
                                   std::span<const std::uint32_t> numbers) const {
  const auto own = std::ranges::find(*own_, column, &OwnStrings::column);
  if (own == own_->end() || !own->order) return {};
  const std::size_t count = own->order->ranks.size();
  if (own->strings->count() <= count) return {};
  if (std::ranges::all_of(numbers, [&](std::uint32_t number) { return number < count; })) return {};
  return {Code::io, "the file changed while it was read"};
}

std::uint32_t ProgramStrings::code_of_parameter(const TileProgram& program,
                                                std::uint32_t parameter) const {
  const std::string& text = program.graph->parameters[parameter].text;
  for (const auto& [own, column] : program.own_parameters)
    if (own == parameter) return of_column(column)->find(text);
  return pool_->code(text);
}

ProgramStrings ProgramStrings::of_outputs(const TileProgram& program) const {
  ProgramStrings outputs(*pool_);
  for (std::uint32_t i = 0; i < program.outputs.size(); i++)
    if (own_of(program, i) != nullptr)
      outputs.set_column(i, of_column(*column_of_output(program, i)));
  return outputs;
}

}  // namespace penstock::plan
