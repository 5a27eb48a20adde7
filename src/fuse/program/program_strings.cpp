#include "fuse/program/program_strings.hpp"

#include <algorithm>
#include <utility>

#include "fuse/program/derived_columns.hpp"

namespace penstock::plan {

ProgramStrings::ProgramStrings(StringPool& pool, const TileProgram& program, DeviceCache* cache,
                               const std::string& identity)
    : pool_(&pool),
      cache_(cache),
      identity_(identity.substr(0, identity.find(DeviceCache::end_of_file_identity))) {
  for (std::uint32_t column = program.first_derived(); column < program.source_schema.size();
       column++)
    if (program.source_schema[column].type.kind == Kind::string)
      functions_.push_back({column, program.root_of(column), name_of_function(program, column)});
}

std::shared_ptr<ColumnStrings> ProgramStrings::of_column(std::uint32_t column) const {
  for (const OwnStrings& own : *own_)
    if (own.column == column) return own.strings;
  auto strings = std::make_shared<ColumnStrings>();
  if (const auto key = key_of(column)) strings = keep_strings(*cache_, *key, std::move(strings));
  set_column(column, strings);
  return strings;
}

std::optional<DeviceCache::Key> ProgramStrings::key_of(std::uint32_t column) const {
  if (!are_kept()) return std::nullopt;
  const auto function = std::ranges::find(functions_, column, &FunctionOfStrings::column);
  if (function == functions_.end()) return key_of_strings(identity_, column);
  if (function->name.empty()) return std::nullopt;
  return key_of_strings(identity_, function->root, function->name);
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
    if (const auto key = key_of(own.column))
      static_cast<void>(keep_strings(*cache_, *key, own.strings));
}

void ProgramStrings::set_column(std::uint32_t column,
                                std::shared_ptr<ColumnStrings> strings) const {
  own_->push_back({column, std::move(strings), nullptr});
}

std::shared_ptr<ColumnStrings> ProgramStrings::of_output(const TileProgram& program,
                                                         std::size_t output) const {
  const std::optional<std::uint32_t> column = own_column_of(program, output);
  return column ? of_column(*column) : nullptr;
}

std::string_view ProgramStrings::text(const TileProgram& program, std::size_t output,
                                      std::uint32_t code) const {
  const auto own = of_output(program, output);
  return own ? own->text(code) : pool_->text(code);
}

CodeOfText ProgramStrings::codes(const TileProgram& program, std::size_t output) const {
  if (auto own = of_output(program, output))
    return [own = std::move(own)](std::string_view text) { return own->number(text); };
  return [pool = pool_](std::string_view text) { return pool->code(text); };
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
  const auto own = std::ranges::find(program.own_parameters, parameter, &OwnParameter::parameter);
  if (own == program.own_parameters.end()) return pool_->code(text);
  const auto strings = of_column(own->column);
  return own->is_chosen ? strings->number(text) : strings->find(text);
}

ProgramStrings ProgramStrings::of_outputs(const TileProgram& program) const {
  ProgramStrings outputs(*pool_);
  for (std::uint32_t i = 0; i < program.outputs.size(); i++)
    if (auto own = of_output(program, i)) outputs.set_column(i, std::move(own));
  return outputs;
}

}  // namespace penstock::plan
