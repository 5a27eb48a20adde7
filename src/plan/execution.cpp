// run(): walks a plan from the wanted steps up, one tile program a fused chain, each shared step once.
#include <future>
#include <map>
#include <set>

#include "base/clock.hpp"
#include "base/guard.hpp"
#include "plan/columns_read.hpp"
#include "plan/host_steps.hpp"
#include "plan/join_on_host.hpp"
#include "plan/run_tiles.hpp"
#include "plan/sort_rows.hpp"
#include "plan/stages.hpp"
#include "plan/validate.hpp"
#include "plan/window_rows.hpp"

namespace penstock {
namespace plan {
namespace {

class Execution {
 public:
  Execution(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options)
      : plan_(plan), results_(results), options_(options), consumers_(count_consumers(plan, results)) {
    if (options.profile || options.stalls) recording_ = std::make_shared<Recording>();
  }

  Result<Outcome> run(StepId result) {
    const double start = now_seconds();
    report_ = {};
    if (recording_) recording_->begin(report_);
    if (!device_) opening_ = std::async(std::launch::async, [this] { return open(); });
    else PENSTOCK_TRY(begin_sampling());
    Outcome outcome;
    auto table = materialise(result, ~std::uint64_t{0});
    PENSTOCK_TRY(wait_for_device());
    PENSTOCK_ASSIGN(outcome.table, std::move(table));
    report_.device_id = device_->traits().id;
    report_.device_name = device_->traits().name;
    report_.rows_out = outcome.table.row_count;
    report_.total_seconds = now_seconds() - start;
    if (recording_) { PENSTOCK_ASSIGN(report_.profile, recording_->finish(*device_)); }
    if (sampler_) PENSTOCK_TRY(end_sampling());
    outcome.report = std::move(report_);
    return outcome;
  }

 private:
  // The kernels that yield a step from the rows of `base`.
  struct Chain {
    StepId base = no_step, last = no_step;
    Columns wanted;                                        // of its rows; none: all
    std::optional<TopK> top_k;
    std::vector<TileProgram> programs;
    std::vector<std::unique_ptr<TileKernel>> kernels;      // begun, until they run
    std::shared_ptr<TableSource> source;                   // what it read, where that is validated
  };

  // The rows of a step as a table on the host; at least `row_limit` of them if there are as many. Columns that are not wanted may be
  // without values; none is wanted: all are.
  Result<Table> materialise(StepId id, std::uint64_t row_limit, const Columns& wanted = {}) {
    if (const auto done = done_.find(id); done != done_.end()) return done->second;
    const bool is_shared = consumers_[id] > 1;
    PENSTOCK_ASSIGN(Table table, compute(id, is_shared ? ~std::uint64_t{0} : row_limit, columns_asked_for(id, wanted)));
    if (is_shared) done_[id] = table;
    return table;
  }

  // Validation looks at every column, as do other consumers.
  Columns columns_asked_for(StepId id, const Columns& wanted) const {
    return keeps_columns(plan_.step(id).kind) && consumers_[id] <= 1 && !options_.validate ? wanted : Columns();
  }

  Result<Table> compute(StepId id, std::uint64_t row_limit, const Columns& wanted) {
    const Step& step = plan_.step(id);
    if (step.kind == StepKind::limit) {
      PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], rows_needed(step, row_limit)));
      const HostSpan span(recording_.get(), "limit");
      return limit_rows(input, step.limit, step.offset);
    }
    if (step.kind == StepKind::order_by) {
      PENSTOCK_ASSIGN(const Table input, rows_to_order(id, row_limit));
      if (sorts_on_device(input.row_count, row_limit)) PENSTOCK_TRY(wait_for_device());
      const HostSpan span(recording_.get(), "order by");
      PENSTOCK_ASSIGN(Table ordered, order_rows(device_, input, step.sort_keys, row_limit, report_, options_.memory_limit_bytes));
      if (options_.validate) PENSTOCK_TRY(validate_order(id, input, row_limit, ordered));
      return ordered;
    }
    if (step.kind == StepKind::window) {
      PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], ~std::uint64_t{0}));
      if (sorts_on_device(input.row_count, input.row_count)) PENSTOCK_TRY(wait_for_device());
      const HostSpan span(recording_.get(), "window");
      if (options_.validate) PENSTOCK_TRY(validate_window_order(input, step.window));
      PENSTOCK_ASSIGN(Table looked, window_rows(device_, input, step, report_, WindowPlace::chosen, options_.memory_limit_bytes));
      if (options_.validate) PENSTOCK_TRY(check_window(input, step, looked, device_name()));
      return looked;
    }
    if (finishes_on_host(plan_, id)) {
      PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], rows_needed(step, row_limit)));
      const HostSpan span(recording_.get(), "step on the host");
      return apply_on_host(plan_, id, input);
    }
    if (step.kind == StepKind::source && !wanted.empty()) {
      PENSTOCK_ASSIGN(const Table table, read_columns(*step.source, wanted));
      report_.rows_read += table.row_count;
      return spread_columns(step.schema, wanted, table);
    }
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(id, wanted));
    return run_chain(*chain, row_limit);
  }

  // All rows, or few that hold the first ones in their order.
  Result<Table> rows_to_order(StepId order, std::uint64_t row_limit) {
    const StepId input = plan_.step(order).inputs[0];
    const std::optional<TopK> top_k = top_k_of(plan_, order, row_limit, consumers_);
    if (!top_k) return materialise(input, ~std::uint64_t{0});
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(input, {}, order, top_k));
    return run_chain(*chain, ~std::uint64_t{0});
  }

  // A join on the way whose keys stand several times on the right is a step of its own, on the host.
  Result<Table> run_chain(Chain& chain, std::uint64_t row_limit) {
    PENSTOCK_ASSIGN(const StepId multiple, build_sides(chain));
    if (multiple == chain.last) return join_rows(multiple, chain.wanted);
    if (multiple != no_step) PENSTOCK_TRY(fuse_from(chain, multiple));
    PENSTOCK_ASSIGN(const std::shared_ptr<TableSource> source, rows_of(chain.base, chain.programs));
    BegunScan begun;
    if (opening_.valid() && source->can_be_scanned_again()) {
      PENSTOCK_ASSIGN(begun, begin_scan(chain.programs[0], *source, row_limit));
    }
    PENSTOCK_TRY(wait_for_device());
    auto table = run_slices(chain, *source, row_limit, std::move(begun));
    if (!options_.validate) return table;
    chain.source = source;
    if (!chain.programs[0].lookups.empty()) PENSTOCK_TRY(join_for_reference(chain));
    if (!table.ok() || !chain.programs[0].top_k) PENSTOCK_TRY(check_chain(to_check(chain, row_limit), table));
    return table;
  }

  // The reference has no lookups: it begins at the last join, whose rows the host joins again.
  Status join_for_reference(Chain& chain) {
    chain.base = chain.programs[0].lookups.back().step;
    PENSTOCK_ASSIGN(Table joined, join_rows(chain.base, {}));
    chain.source = table_source(std::move(joined), std::string(name_of(StepKind::join)));
    return {};
  }

  // Makes the tables that programs look up in, the last join's first; the join where the keys are not unique, if there is one.
  Result<StepId> build_sides(const Chain& chain) {
    const std::vector<Lookup>& lookups = chain.programs[0].lookups;
    for (std::size_t i = lookups.size(); i-- > 0;) {
      const Step& join = plan_.step(lookups[i].step);
      PENSTOCK_TRY(build_side(lookups[i].step, columns_looked_up(join, chain.programs, i)));
      if (is_multiple(lookups[i].step)) return lookups[i].step;
    }
    return StepId{no_step};
  }

  Status build_side(StepId join, const Columns& columns) {
    if (sides_.contains(join)) return {};
    const Step& step = plan_.step(join);
    BuildSide side;
    PENSTOCK_ASSIGN(side.rows, materialise(step.inputs[1], ~std::uint64_t{0}, columns));
    const HostSpan span(recording_.get(), "table of a join");
    std::vector<Column> keys;
    for (const JoinKey& key : step.join_keys) keys.push_back(side.rows.columns[key.right]);
    PENSTOCK_ASSIGN(side.table, JoinTable::build(keys, strings_, yields_right_columns(step.join_kind)));
    sides_[join] = std::make_shared<const BuildSide>(std::move(side));
    return {};
  }

  // Whether a join is known to be one that a kernel's lookup is not.
  bool is_multiple(StepId join) const {
    const auto side = sides_.find(join);
    return side != sides_.end() && yields_right_columns(plan_.step(join).join_kind) && !side->second->table.is_unique();
  }

  Result<Table> join_rows(StepId id, Columns wanted) {
    const Step& step = plan_.step(id);
    const Columns columns = columns_of_left(step, wanted);
    PENSTOCK_ASSIGN(const Table left, materialise(step.inputs[0], ~std::uint64_t{0}, columns));
    const HostSpan span(recording_.get(), "join on the host");
    return join_on_host(step, left, *sides_.at(id), strings_, wanted);
  }

  ChainToCheck to_check(const Chain& chain, std::uint64_t row_limit) {
    const auto run_alone = [this](const Plan& plan, StepId base, StepId last, const TableSource& rows) -> Result<Table> {
      Chain alone;
      PENSTOCK_ASSIGN(alone.programs, fuse_slices(plan, base, last));
      return run_slices(alone, rows, ~std::uint64_t{0}, {});
    };
    return {plan_, chain.base, chain.last, *chain.source, row_limit, device_->traits().id, run_alone};
  }

  // What top-k leaves of a chain is checked in its order; else the chain's rows were checked before.
  Status validate_order(StepId id, const Table& input, std::uint64_t row_limit, const Table& ordered) {
    const Step& step = plan_.step(id);
    const auto chain = chains_.find({step.inputs[0], id});
    if (chain == chains_.end()) return check_order(input, step.sort_keys, ordered, device_ ? device_->traits().id : "the host");
    return check_first_rows(to_check(chain->second, row_limit), step.sort_keys, ordered);
  }

  Result<Table> run_slices(Chain& chain, const TableSource& source, std::uint64_t row_limit, BegunScan begun) {
    const TileRun run{device_, &options_, &strings_, &report_, row_limit, recording_.get(), &sides_};
    PENSTOCK_TRY(begin_kernels(chain));
    PENSTOCK_ASSIGN(Table table, run_tiles(run, std::move(chain.kernels[0]), chain.programs[0], source, std::move(begun)));
    const std::uint64_t rows_read = report_.rows_read;
    std::vector<Table> parts;
    parts.push_back(std::move(table));
    for (std::size_t i = 1; i < chain.programs.size(); i++) {
      PENSTOCK_ASSIGN(Table part, run_tiles(run, std::move(chain.kernels[i]), chain.programs[i], source));
      parts.push_back(std::move(part));
    }
    report_.rows_read = rows_read;     // the same rows again
    chain.kernels.clear();
    Table rows = parts.size() == 1 ? std::move(parts[0]) : beside(chain.programs, std::move(parts));
    if (chain.wanted.empty()) return rows;
    if (chain.programs.size() > 1) rows = pick_columns(rows, chain.wanted);
    return spread_columns(plan_.step(chain.last).schema, chain.wanted, rows);
  }

  // What yields a step, begun or not; or, for an order, the first of its rows.
  Result<Chain*> chain_of(StepId id, const Columns& wanted, StepId order = no_step, const std::optional<TopK>& top_k = {}) {
    const auto [at, inserted] = chains_.try_emplace({id, order});
    Chain& chain = at->second;
    if (!inserted && chain.wanted == wanted) return &chain;
    chain.last = id;
    chain.wanted = wanted;
    chain.top_k = top_k;
    PENSTOCK_TRY(fuse_from(chain, chain_base(plan_, id, consumers_)));
    return &chain;
  }

  Status fuse_from(Chain& chain, StepId base) {
    chain.base = base;
    chain.kernels.clear();
    PENSTOCK_ASSIGN(chain.programs, chain.wanted.empty() ? fuse_slices(plan_, base, chain.last, chain.top_k)
                                                         : fuse_slices(plan_, base, chain.last, chain.wanted));
    return {};
  }

  Status begin_kernels(Chain& chain) {
    const TileKernel::Options options{options_.fast_math, options_.variant, options_.on_source, options_.memory_limit_bytes};
    for (std::size_t i = chain.kernels.size(); i < chain.programs.size(); i++) {
      PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(device_, chain.programs[i], options));
      chain.kernels.push_back(std::move(kernel));
    }
    return {};
  }

  // Has the kernels of all chains below a step compiled, in as many threads: a chain whose rows come from another need not wait for
  // the other's end with its compiler.
  Status begin_chains(StepId id, std::uint64_t row_limit = ~std::uint64_t{0}, const Columns& wanted = {}) {
    if (!begun_.insert(id).second) return {};
    if (consumers_[id] > 1) row_limit = ~std::uint64_t{0};
    const Step& step = plan_.step(id);
    if (step.kind == StepKind::order_by)
      if (const std::optional<TopK> top_k = top_k_of(plan_, id, row_limit, consumers_)) {
        PENSTOCK_ASSIGN(Chain* const chain, chain_of(step.inputs[0], {}, id, top_k));
        return begin_chain(*chain);
      }
    if (has_no_kernel(plan_, id)) {
      for (const StepId input : step.inputs) PENSTOCK_TRY(begin_chains(input, rows_needed(step, row_limit)));
      return {};
    }
    if (is_multiple(id)) return begin_chains(step.inputs[0], ~std::uint64_t{0}, columns_of_left(step, wanted));
    if (const auto running = chains_.find({id, no_step}); running != chains_.end()) return begin_chain(running->second);
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(id, columns_asked_for(id, wanted)));
    return begin_chain(*chain);
  }

  Status begin_chain(Chain& chain) {
    if (!plan_.step(chain.base).source) PENSTOCK_TRY(begin_chains(chain.base, ~std::uint64_t{0}, columns_scanned(chain.programs)));
    for (std::size_t i = 0; i < chain.programs[0].lookups.size(); i++) {
      const Step& join = plan_.step(chain.programs[0].lookups[i].step);
      if (!plan_.step(join.inputs[1]).source)
        PENSTOCK_TRY(begin_chains(join.inputs[1], ~std::uint64_t{0}, columns_looked_up(join, chain.programs, i)));
    }
    return begin_kernels(chain);
  }

  // What programs read, and the reference where their results are validated.
  Result<std::shared_ptr<TableSource>> rows_of(StepId base, const std::vector<TileProgram>& programs) {
    const std::size_t times = programs.size() + options_.validate;
    const std::shared_ptr<TableSource>& source = plan_.step(base).source;
    if (source && (source->can_be_scanned_again() || (times == 1 && consumers_[base] == 1))) return source;
    if (!source) {
      PENSTOCK_ASSIGN(Table table, materialise(base, ~std::uint64_t{0}, columns_scanned(programs)));
      return table_source(std::move(table), std::string(name_of(plan_.step(base).kind)));
    }
    std::shared_ptr<TableSource>& held = held_[base];
    if (!held) {
      PENSTOCK_ASSIGN(Table table, read_columns(*source, every_column(source->schema())));
      held = table_source(std::move(table), source->describe());
    }
    return held;
  }

  // Opening takes 25 ms for PoCL: the first batches are decoded meanwhile. The device is taken to be a CPU; on another one
  // this scan is given up.
  Result<BegunScan> begin_scan(const TileProgram& program, const TableSource& source, std::uint64_t row_limit) const {
    Traits expected;
    expected.is_cpu = true;
    expected.global_bytes = std::uint64_t{1} << 40;
    BegunScan begun;
    begun.chunk_rows = chunk_rows(options_, expected, program, row_limit);
    PENSTOCK_ASSIGN(begun.batches, scan_columns(program, source, begun.chunk_rows));
    return begun;
  }

  // The order of its partitions and keys is what a window takes from the device.
  Status validate_window_order(const Table& input, const Window& window) {
    std::vector<SortKey> keys;
    for (const std::uint32_t column : window.partition) keys.push_back({column});
    keys.insert(keys.end(), window.order.begin(), window.order.end());
    if (keys.empty()) return {};
    PENSTOCK_ASSIGN(const Table ordered, order_rows(device_, input, keys, input.row_count, report_, options_.memory_limit_bytes));
    return check_order(input, keys, ordered, device_name());
  }

  std::string device_name() const { return device_ ? device_->traits().id : "the host"; }

  Result<std::shared_ptr<Device>> open() {
    const HostSpan span(recording_.get(), "open the device", Track::open);
    return open_device(options_.device);
  }

  Status begin_sampling() {
    if (!options_.stalls) return {};
    PENSTOCK_ASSIGN(sampler_, device_->sample_stalls());
    return {};
  }

  Status end_sampling() {
    PENSTOCK_ASSIGN(report_.profile->stalls, sampler_->finish());
    sampler_.reset();
    return {};
  }

  Status wait_for_device() {
    if (!opening_.valid()) return {};
    {
      const HostSpan span(recording_.get(), "wait for the device to open", Track::wait);
      PENSTOCK_ASSIGN(device_, opening_.get());
    }
    PENSTOCK_TRY(begin_sampling());
    if (recording_) {
      PENSTOCK_TRY(recording_->set_clock(*device_));
      device_ = recorded(device_, recording_);
    }
    for (const StepId result : results_) PENSTOCK_TRY(begin_chains(result));
    return {};
  }

  const Plan& plan_;
  const std::vector<StepId>& results_;
  const RunOptions& options_;
  std::vector<std::uint32_t> consumers_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<Recording> recording_;                   // where a profile is asked for
  std::future<Result<std::shared_ptr<Device>>> opening_;   // valid until device_ is set
  std::unique_ptr<StallSampler> sampler_;
  std::map<std::pair<StepId, StepId>, Chain> chains_;     // by step, and by the order that takes its first rows
  std::set<StepId> begun_;                                 // steps whose chains are compiled or being compiled
  StringPool strings_;
  std::map<StepId, Table> done_;
  BuildSides sides_;                                       // the right sides of joins
  std::map<StepId, std::shared_ptr<TableSource>> held_;    // the rows of sources that cannot be scanned again
  RunReport report_;
};

}  // namespace

}  // namespace plan

static Result<std::vector<Outcome>> run_all(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options) {
  for (StepId result : results) PENSTOCK_TRY(plan::check_result(plan, result));
  if (options.validate && options.fast_math)
    return Status(Code::invalid, "validate compares exact values, which fast math does not compute: leave one of the two out");
  plan::Execution execution(plan, results, options);
  std::vector<Outcome> outcomes;
  for (StepId result : results) {
    PENSTOCK_ASSIGN(Outcome outcome, execution.run(result));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

Result<std::vector<Outcome>> run(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options) {
  return guard([&] { return run_all(plan, results, options); });
}

Result<Outcome> run(const Plan& plan, StepId result, const RunOptions& options) {
  PENSTOCK_ASSIGN(std::vector<Outcome> outcomes, guard([&] { return run_all(plan, {result}, options); }));
  return std::move(outcomes[0]);
}

}  // namespace penstock
