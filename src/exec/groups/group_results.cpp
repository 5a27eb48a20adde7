#include "exec/groups/group_results.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "fuse/program/accumulators.hpp"
#include "primitive/radix_sort.hpp"
#include "table/rows/device_memory.hpp"
#include "table/rows/finish_at_end.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t null_without_count = 64;  // in place of the number of a bit
constexpr std::uint64_t sort_bytes_per_row = 40;

bool is_average(const AggregateResult& result) {
  return row_of(result.function).finish == Finish::average;
}

// Returns whether kernels make a result of its accumulator.
bool has_kernel(const Accumulator& a, const AggregateResult& result) {
  if (is_custom(a) || is_string_extreme(a) || result.ranked) return false;
  if (is_average(result)) return result.type.kind == Kind::float64 && !result.of_rounded_sum;
  if (is_rounded_sum(a)) return result.type.kind == Kind::float64;
  return !is_extreme(a) || width_bytes(a.type) == width_bytes(result.type);
}

}  // namespace

GroupResults::Place GroupResults::place_of_key(const TileProgram& program, std::uint32_t key) {
  return {program.schema[key].type, key, program.key_count + key / 64, key % 64,
          program.graph->at(program.outputs[key].root).nullable};
}

// An accumulator has two words after the words of the keys.
bool GroupResults::add_places(const TileProgram& program, const AggregateResult& result,
                              std::vector<Place>& places) {
  const Accumulator& a = program.accumulators[result.accumulator];
  if (!has_kernel(a, result)) return false;
  const auto word_of = [&](std::uint32_t number) { return program.key_words() + 2 * number; };
  const int argument = program.accumulators[result.count].argument;
  const bool has_nulls =
      !counts_values(result.function) && argument >= 0 &&
      program.graph->at(program.outputs[static_cast<std::size_t>(argument)].root).nullable;
  const std::uint32_t value = counts_values(result.function) ? result.count : result.accumulator;
  places.push_back({result.type, word_of(value), word_of(result.count), null_without_count,
                    has_nulls, is_average(result) ? &a : nullptr});
  return true;
}

std::optional<std::vector<GroupResults::Place>> GroupResults::places_of(
    const TileProgram& program) {
  if (program.of_distinct) return std::nullopt;
  std::vector<Place> places;
  for (std::uint32_t key = 0; key < program.key_count; key++) {
    places.push_back(place_of_key(program, key));
    if (width_bytes(places.back().type) > 8) return std::nullopt;
  }
  for (const AggregateResult& result : program.results)
    if (!add_places(program, result, places)) return std::nullopt;
  return places;
}

bool GroupResults::may_stay(const TileProgram& program) { return places_of(program).has_value(); }

std::unique_ptr<GroupResults> GroupResults::begin(const MergePlace& place,
                                                  const TileProgram& program) {
  std::optional<std::vector<Place>> places = places_of(program);
  const auto needs_f64 = [](const Place& one) { return one.averaged != nullptr; };
  if (!places || (!place.device->traits().has_f64 && std::ranges::any_of(*places, needs_f64)))
    return nullptr;
  std::unique_ptr<GroupResults> made(new GroupResults(place, program, std::move(*places)));
  return made->has_strings() && place.rows_stay_bytes == 0 ? nullptr : std::move(made);
}

bool GroupResults::has_strings() const {
  return std::ranges::any_of(places_,
                             [](const Place& one) { return one.type.kind == Kind::string; });
}

Columns GroupResults::columns() const {
  Columns columns;
  for (std::uint32_t i = 0; i < places_.size(); i++) columns.push_back(i);
  return columns;
}

std::uint64_t GroupResults::bytes_per_row() const {
  std::uint64_t bytes = 0;
  for (const Place& place : places_) bytes += width_bytes(place.type) + place.has_nulls;
  return bytes;
}

Result<DeviceColumn> GroupResults::make_column(const GroupsOnDevice& groups, const Place& place) {
  DeviceColumn column{place.type, nullptr, nullptr};
  const auto width = static_cast<std::uint32_t>(width_bytes(place.type));
  const auto allocate = [&](std::uint64_t bytes) {
    return place_.device->allocate(std::max<std::uint64_t>((bytes + 3) / 4 * 4, 64));
  };
  PENSTOCK_ASSIGN(column.values, allocate(groups.count * width));
  if (place.has_nulls) { PENSTOCK_ASSIGN(column.validity, allocate(groups.count)); }
  if (groups.count > 0) PENSTOCK_TRY(fill_column(groups, place, column));
  return column;
}

Status GroupResults::fill_column(const GroupsOnDevice& groups, const Place& place,
                                 const DeviceColumn& to) {
  const auto width = static_cast<std::uint32_t>(width_bytes(place.type));
  const auto from = Argument::of(*groups.words), values = Argument::of(*to.values),
             count = Argument::value(groups.count), stride = Argument::value(groups.stride),
             word = Argument::value(place.word);
  const auto launch = [&](std::string_view kernel, const std::vector<Argument>& arguments) {
    return kernels_.launch(*place_.queue, kernel, groups.count, arguments);
  };
  if (place.averaged)
    PENSTOCK_TRY(launch("group_result_average", average_arguments(groups, place, *to.values)));
  else if (width == 16)
    PENSTOCK_TRY(launch("group_result_wide", {from, values, count, stride, word}));
  else
    PENSTOCK_TRY(launch(width >= 4 ? "group_column_words" : "group_column_bytes",
                        {from, values, Argument::value(std::uint64_t{0}), count, stride, word,
                         Argument::value(width >= 4 ? width / 4 : width)}));
  if (!to.validity) return {};
  return launch("group_result_validity",
                {from, Argument::of(*to.validity), count, stride, Argument::value(place.null_word),
                 Argument::value(place.null_bit)});
}

std::vector<Argument> GroupResults::average_arguments(const GroupsOnDevice& groups,
                                                      const Place& place,
                                                      const Buffer& values) const {
  const Accumulator& a = *place.averaged;
  const int scale = a.type.kind == Kind::decimal ? a.type.scale : 0;
  return {Argument::of(*groups.words),
          Argument::of(values),
          Argument::of(*is_beyond_),
          Argument::value(groups.count),
          Argument::value(groups.stride),
          Argument::value(place.word),
          Argument::value(place.null_word),
          Argument::value(static_cast<std::uint64_t>(expr::power_of_ten(scale))),
          Argument::value(std::uint32_t{is_rounded_sum(a)}),
          Argument::value(std::uint32_t{divides_doubles(a)})};
}

Result<DeviceRows> GroupResults::make_columns(const GroupsOnDevice& groups,
                                              const ProgramStrings& strings, RunReport& report) {
  DeviceRows rows;
  const FinishAtEnd finish(*place_.queue);  // for work on columns that an error frees
  rows.row_count = groups.count;
  if (!is_beyond_) { PENSTOCK_ASSIGN(is_beyond_, place_.device->allocate(64)); }
  PENSTOCK_TRY(place_.queue->fill(*is_beyond_, 0, 64));
  for (const Place& place : places_) {
    PENSTOCK_ASSIGN(rows.columns.emplace_back(), make_column(groups, place));
  }
  PENSTOCK_TRY(use_codes_of_run(rows, strings, report));
  return rows;
}

// Keys have a column's own numbers, which are dense: the fast tables of groups need that.
Status GroupResults::use_codes_of_run(const DeviceRows& rows, const ProgramStrings& strings,
                                      RunReport& report) {
  for (std::uint32_t key = 0; key < program_.key_count; key++) {
    const auto own = strings.of_output(program_, key);
    if (!own || rows.row_count == 0) continue;
    std::vector<std::uint32_t> codes;
    PENSTOCK_TRY(strings.pool().encode(*own->all(), codes));
    const std::uint64_t bytes = codes.size() * sizeof codes[0];
    PENSTOCK_ASSIGN(const auto table, place_.device->allocate(std::max<std::uint64_t>(bytes, 64)));
    const FinishAtEnd finish(*place_.queue);
    PENSTOCK_TRY(place_.queue->upload(*table, codes.data(), bytes));
    PENSTOCK_TRY(kernels_.launch(
        *place_.queue, "group_result_codes", rows.row_count,
        {{Argument::of(*rows.columns[key].values), Argument::of(*table),
          Argument::value(rows.row_count), Argument::value(std::uint64_t{codes.size()})}}));
    report.bytes_uploaded += bytes;
  }
  return {};
}

Result<std::optional<DeviceRows>> GroupResults::rows(const GroupsOnDevice& groups,
                                                     const ProgramStrings& strings,
                                                     RunReport& report) {
  const std::optional<DeviceRows> none;
  if (groups.count > primitive::max_sort_keys ||
      !fits_memory(place_.device->traits(), place_.memory_limit_bytes,
                   groups.count * (2 * bytes_per_row() + sort_bytes_per_row + groups.stride * 8)))
    return none;
  if (has_strings() && !stay(groups.count)) return none;  // only the host knows their order
  PENSTOCK_TRY(kernels_.wait());
  PENSTOCK_ASSIGN(const auto begun, place_.queue->record());
  auto rows = make_columns(groups, strings, report);
  if (rows.status().code() == Code::no_memory) return none;
  PENSTOCK_TRY(rows.status());
  PENSTOCK_ASSIGN(const auto done, place_.queue->record());
  std::uint32_t is_beyond = 0;
  PENSTOCK_TRY(place_.queue->download(&is_beyond, *is_beyond_, sizeof is_beyond));
  PENSTOCK_TRY(place_.queue->finish());  // the sort has a queue of its own
  if (is_beyond != 0) return none;
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  kernels_.add_to(report, "group_results",
                  {kernels_.launches(), 2 * groups.count * bytes_per_row(), seconds});
  if (groups.count == 0 || program_.key_count == 0 || groups.is_in_order || stay(groups.count))
    return std::optional(std::move(*rows));
  return sorted(std::move(*rows), report);
}

Result<std::optional<DeviceRows>> GroupResults::sorted(DeviceRows rows, RunReport& report) {
  std::vector<SortKey> keys;
  for (std::uint32_t key = 0; key < program_.key_count; key++) keys.push_back({key, false, false});
  return sort_->sort(rows, keys, rows.row_count, StringPool(), report);
}

Table GroupResults::table(std::vector<Column> downloaded) const {
  Table table;
  table.row_count = downloaded.empty() ? 0 : downloaded[0].row_count;
  table.columns = std::move(downloaded);
  for (std::size_t i = 0; i < program_.schema.size(); i++) {
    table.names.push_back(program_.schema[i].name);
    table.columns[i].type = program_.schema[i].type;
  }
  return table;
}

}  // namespace penstock::plan
