// The read pass: the right sides of a chain's joins, in device memory or on the host.
#include <algorithm>
#include <utility>

#include "exec/physical/execution.hpp"
#include "table/join/join_kernels.hpp"
#include "table/join/join_on_host.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

// Returns the columns of a right side that the host gathers by the rows that a lookup found. The
// kernel may read them too.
Columns columns_gathered(const std::vector<TileProgram>& programs, std::size_t lookup) {
  Columns columns;
  for (const TileProgram& program : programs)
    for (const Output& output : program.outputs) {
      const auto column = static_cast<std::uint32_t>(output.late_column);
      if (output.late_column >= 0 && program.lookup_of(column) == static_cast<int>(lookup))
        add_once(columns, column - program.lookups[lookup].first_column);
    }
  return columns;
}

}  // namespace

bool is_right_side(const Plan& plan, StepId id) {
  for (StepId at = 0; at < plan.size(); at++)
    if (const Step& step = plan.step(at);
        step.kind == StepKind::join && step.inputs[1] == id && step.inputs[0] != id)
      return true;
  return false;
}

// Returns whether the host has what it gathers of a right side. A chain that is fused again may
// gather more. Of buckets it gathers nothing.
static bool has_columns(const BuildSide& side, const Columns& gathered) {
  return side.buckets || std::all_of(gathered.begin(), gathered.end(), [&](std::uint32_t column) {
           return side.rows.columns[column].row_count == side.rows.row_count;
         });
}

// Returns whether the rows of a right side, or of a left one that makes pairs, may be left in
// device memory. Nobody else reads them.
bool Execution::may_stay(StepId right) const {
  const std::optional<Traits> traits = expected_traits();
  if (!traits || !keeps_rows_on_device(*traits, options_.intermediate_rows) ||
      consumers_[right] > 1 || has_no_kernel(plan_, right))
    return false;
  const Step& step = plan_.step(right);
  if (step.kind != StepKind::source) return keeps_columns(step.kind);
  const std::uint64_t rows = step.source->row_count().value_or(min_device_join_rows);
  return options_.intermediate_rows == IntermediateRows::device || rows >= min_device_join_rows ||
         paired_.contains(right);
}

// Makes the tables that programs look up in, the last join's first. Only the device tells whether a
// right side stays there; a CPU's does not, unless that is asked for. Returns the first join whose
// keys are not unique, or no_step.
Result<StepId> Execution::read_right_sides(Chain& chain, std::uint64_t row_limit) {
  const std::vector<Lookup>& lookups = chain.programs[0].lookups;
  for (std::size_t i = lookups.size(); i-- > 0;) {
    const Step& join = plan_.step(lookups[i].step);
    if (options_.intermediate_rows == IntermediateRows::device ||
        (options_.intermediate_rows == IntermediateRows::automatic && options_.device != "cpu"))
      PENSTOCK_TRY(begin_compiling());
    PENSTOCK_TRY(read_ahead(chain, row_limit));
    PENSTOCK_TRY(read_right_side(lookups[i].step, columns_looked_up(join, chain.programs, i),
                                 columns_gathered(chain.programs, i)));
    if (has_repeated_keys(lookups[i].step)) return lookups[i].step;
  }
  return StepId{no_step};
}

// `gathered`: those of the columns that the host gathers.
Status Execution::read_right_side(StepId join, const Columns& columns, const Columns& gathered) {
  if (const auto known = sides_.find(join); known != sides_.end()) {
    if (has_columns(*known->second, gathered)) return {};
    sides_.erase(known);
  }
  BuildSide side;
  const StepId right = plan_.step(join).inputs[1];
  Chain* chain = nullptr;
  if (may_stay(right)) {
    PENSTOCK_ASSIGN(chain, chain_of(right, columns_asked_for(right, columns)));
  }
  if (chain && chain->stays) {
    PENSTOCK_TRY(take_right_side(join, *chain, gathered, side));
  } else if (has_share_of_right_side(join)) {
    return right_sides_->all_rows(share_number_, device_.get(), {}, report_).status();
  } else {
    PENSTOCK_ASSIGN(side.rows, materialise(right, ~std::uint64_t{0}, columns));
    PENSTOCK_TRY(hash_right_side(join, side));
  }
  sides_[join] = std::make_shared<const BuildSide>(std::move(side));
  return agree_on_keys(join);
}

// Keys that repeat change what runs next, so that all shares have to know. Of each join they wait
// for one another: a fault in any right side comes before one in a later step, as on one device.
Status Execution::agree_on_keys(StepId join) {
  return right_sides_ && right_sides_->is_by_key(join)
             ? right_sides_->agree_on_keys(share_number_, join, has_repeated_keys(join))
             : Status();
}

std::uint64_t Execution::bytes_of_sides() const {
  std::uint64_t bytes = pair_bytes_;
  for (const auto& [join, side] : sides_)
    if (side->on_device)
      bytes += bytes_on_device(side->on_device->rows) + side->on_device->table.bytes;
  return bytes;
}

std::uint64_t Execution::bytes_left_for_sides(std::uint64_t besides_bytes) const {
  const std::uint64_t limit_bytes =
      usable_bytes(device_.get()->traits(), options_.memory_limit_bytes) / 4;
  return limit_bytes - std::min(bytes_of_sides() + besides_bytes, limit_bytes);
}

std::string Execution::limit_of_right_sides() const {
  const Traits& traits = device_.get()->traits();
  return "a quarter of " + bytes_text(usable_bytes(traits, options_.memory_limit_bytes)) + " on " +
         traits.id + " is for right sides and their tables";
}

// Runs the chain of a right side, and makes the table where its rows are.
Status Execution::take_right_side(StepId join, Chain& chain, const Columns& gathered,
                                  BuildSide& side) {
  RowsOnDevice stay;
  stay.kernels = join_kernels();
  stay.limit_bytes = bytes_left_for_sides();
  const Step &step = plan_.step(join), &right = plan_.step(step.inputs[1]);
  const Columns columns = chain.wanted.empty() ? every_column(right.schema) : chain.wanted;
  if (has_share_of_right_side(join)) {
    PENSTOCK_ASSIGN(side.rows, right_side_of_all(join, chain, columns, stay));
  } else {
    if (!options_.validate) stay.bucket_keys = places_in(columns, right_keys(step));
    PENSTOCK_ASSIGN(side.rows, run_chain(chain, ~std::uint64_t{0}, &stay));
  }
  if (stay.are_there) return keep_right_side(join, columns, std::move(stay), gathered, side);
  if (stay.buckets) return keep_buckets(join, columns, std::move(stay.buckets), side);
  note_on_host(report_, "table of a join", side.rows.row_count, limit_of_right_sides());
  return hash_right_side(join, side);
}

// Where the table, or the order that pairs need, does not fit, the rows go to the host by buckets.
// To validate, the host needs all rows.
Status Execution::keep_right_side(StepId join, const Columns& columns, RowsOnDevice stay,
                                  const Columns& gathered, BuildSide& side) {
  const HostSpan span(recording_.get(), "table of a join on the device");
  const Step &step = plan_.step(join), &right = plan_.step(step.inputs[1]);
  DeviceSide there{stay.kernels, spread_rows(right.schema, columns, std::move(stay.rows)), {}};
  const std::uint64_t held = std::min(bytes_on_device(there.rows), stay.limit_bytes);
  PENSTOCK_ASSIGN(
      auto table,
      build_join_table(*stay.kernels, there.rows,
                       {right_keys(step), stay.limit_bytes - held, may_make_pairs(join), {}}));
  const bool is_lookup =
      table && (table->repeated_rows == 0 || !yields_right_columns(step.join_kind));
  const bool makes_pairs = table && !is_lookup && table->order;
  if (!is_lookup && !makes_pairs && !options_.validate) {
    table.reset();  // memory is short
    return leave_by_buckets(join, columns, std::move(there), side);
  }
  const bool stays = is_lookup || makes_pairs, is_on_host = !stays || options_.validate;
  PENSTOCK_TRY(download_right_side(right, there.rows,
                                   is_on_host    ? columns
                                   : makes_pairs ? Columns()
                                                 : gathered,
                                   side.rows));
  if (is_on_host) PENSTOCK_TRY(hash_right_side(join, side));
  if (!stays)
    note_on_host(
        report_, "table of a join", there.rows.row_count,
        table && options_.validate ? "keys of its right side repeat" : limit_of_right_sides());
  if (!stays) return {};
  stay.kernels->add_to(report_, "join_table",
                       {table->launches, table->bytes, table->device_seconds});
  there.table = std::move(*table);
  side.on_device = std::move(there);
  return {};
}

Status Execution::download_right_side(const Step& right, const DeviceRows& rows,
                                      const Columns& columns, Table& to) {
  Table table;
  table.row_count = rows.row_count;
  PENSTOCK_ASSIGN(table.columns, download_columns(*device_.get(), rows, columns, strings_));
  for (const Column& column : table.columns)
    report_.bytes_downloaded += rows.row_count * width_bytes(column.type);
  to = spread_columns(right.schema, columns, table);
  return {};
}

Status Execution::hash_right_side(StepId join, BuildSide& side) {
  const HostSpan span(recording_.get(), "table of a join");
  const Step& step = plan_.step(join);
  std::vector<Column> keys;
  for (const std::uint32_t key : right_keys(step)) keys.push_back(side.rows.columns[key]);
  PENSTOCK_ASSIGN(side.table,
                  JoinTable::build(keys, strings_, yields_right_columns(step.join_kind)));
  return {};
}

// Brings a right side to the host that has stayed on the device.
Status Execution::move_right_side(StepId join, std::string_view why) {
  const std::shared_ptr<const BuildSide> there = std::exchange(sides_[join], nullptr);
  const DeviceRows& rows = there->on_device->rows;
  Columns columns;
  for (std::uint32_t i = 0; i < rows.columns.size(); i++)
    if (rows.columns[i].values) columns.push_back(i);
  BuildSide here;
  PENSTOCK_TRY(
      download_right_side(plan_.step(plan_.step(join).inputs[1]), rows, columns, here.rows));
  PENSTOCK_TRY(hash_right_side(join, here));
  note_on_host(report_, "pairs of a join", rows.row_count, why);
  sides_[join] = std::make_shared<const BuildSide>(std::move(here));
  return {};
}

// Returns whether keys of the right side of a join are known to repeat, so that a lookup cannot
// yield its rows.
bool Execution::has_repeated_keys(StepId join) const {
  const auto side = sides_.find(join);
  return side != sides_.end() && yields_right_columns(plan_.step(join).join_kind) &&
         !side->second->has_unique_keys();
}

const std::shared_ptr<RowKernels>& Execution::join_kernels() {
  if (!join_kernels_) join_kernels_ = begin_join_kernels(device_.get());
  return join_kernels_;
}

Result<Table> Execution::join_rows(StepId id, Columns wanted) {
  const Step& step = plan_.step(id);
  const Columns columns = columns_of_left(step, wanted);
  PENSTOCK_ASSIGN(const Table left, materialise(step.inputs[0], ~std::uint64_t{0}, columns));
  const HostSpan span(recording_.get(), "join on the host");
  return join_on_host(step, left, *sides_.at(id), strings_, wanted);
}

}  // namespace penstock::plan
