// run(): walks a plan from the wanted steps up, one tile program a fused chain, each shared step once.
#include <future>
#include <map>
#include <numeric>
#include <set>

#include "base/clock.hpp"
#include "base/guard.hpp"
#include "column/concatenate.hpp"
#include "plan/host_steps.hpp"
#include "plan/run_tiles.hpp"
#include "plan/sort_rows.hpp"
#include "plan/stages.hpp"
#include "plan/validate.hpp"
#include "plan/window_rows.hpp"

namespace penstock {
namespace plan {
namespace {

Result<Table> read_whole(const TableSource& source) {
  const Schema& schema = source.schema();
  std::vector<std::uint32_t> columns(schema.size());
  std::iota(columns.begin(), columns.end(), 0u);
  PENSTOCK_ASSIGN(const auto stream, source.scan(columns, {}));
  std::vector<std::vector<Column>> parts(schema.size());
  Table table;
  for (;;) {
    PENSTOCK_ASSIGN(std::optional<Table> batch, stream->next());
    if (!batch) break;
    table.row_count += batch->row_count;
    for (std::size_t i = 0; i < parts.size(); i++) parts[i].push_back(std::move(batch->columns[i]));
  }
  for (std::size_t i = 0; i < parts.size(); i++) {
    table.names.push_back(schema[i].name);
    table.columns.push_back(column::concatenate(schema[i].type, parts[i]));
  }
  return table;
}

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
    std::vector<TileProgram> programs;
    std::vector<std::unique_ptr<TileKernel>> kernels;      // begun, until they run
    std::shared_ptr<TableSource> source;                   // what it read, where that is validated
  };

  // The rows of a step as a table on the host; at least `row_limit` of them if there are as many.
  Result<Table> materialise(StepId id, std::uint64_t row_limit) {
    if (const auto done = done_.find(id); done != done_.end()) return done->second;
    PENSTOCK_ASSIGN(Table table, compute(id, consumers_[id] > 1 ? ~std::uint64_t{0} : row_limit));
    if (consumers_[id] > 1) done_[id] = table;
    return table;
  }

  Result<Table> compute(StepId id, std::uint64_t row_limit) {
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
      PENSTOCK_ASSIGN(Table ordered, order_rows(device_, input, step.sort_keys, row_limit, report_));
      if (options_.validate) PENSTOCK_TRY(validate_order(id, input, row_limit, ordered));
      return ordered;
    }
    if (step.kind == StepKind::window) {
      PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], ~std::uint64_t{0}));
      if (sorts_on_device(input.row_count, input.row_count)) PENSTOCK_TRY(wait_for_device());
      const HostSpan span(recording_.get(), "window");
      if (options_.validate) PENSTOCK_TRY(validate_window_order(input, step.window));
      return window_rows(device_, input, step, report_);
    }
    if (finishes_on_host(plan_, id)) {
      PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], rows_needed(step, row_limit)));
      const HostSpan span(recording_.get(), "step on the host");
      return apply_on_host(plan_, id, input);
    }
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(id));
    return run_chain(*chain, row_limit);
  }

  // All rows, or few that hold the first ones in their order.
  Result<Table> rows_to_order(StepId order, std::uint64_t row_limit) {
    const StepId input = plan_.step(order).inputs[0];
    const std::optional<TopK> top_k = top_k_of(plan_, order, row_limit, consumers_);
    if (!top_k) return materialise(input, ~std::uint64_t{0});
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(input, order, top_k));
    return run_chain(*chain, ~std::uint64_t{0});
  }

  Result<Table> run_chain(Chain& chain, std::uint64_t row_limit) {
    PENSTOCK_ASSIGN(const std::shared_ptr<TableSource> source, rows_of(chain.base, chain.programs.size() + options_.validate));
    BegunScan begun;
    if (opening_.valid() && source->can_be_scanned_again()) {
      PENSTOCK_ASSIGN(begun, begin_scan(chain.programs[0], *source));
    }
    PENSTOCK_TRY(wait_for_device());
    auto table = run_slices(chain, *source, row_limit, std::move(begun));
    if (!options_.validate) return table;
    chain.source = source;
    if (!table.ok() || !chain.programs[0].top_k) PENSTOCK_TRY(check_chain(to_check(chain, row_limit), table));
    return table;
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
    const TileRun run{device_, &options_, &strings_, &report_, row_limit, recording_.get()};
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
    return parts.size() == 1 ? std::move(parts[0]) : beside(chain.programs, std::move(parts));
  }

  // What yields a step, begun or not; or, for an order, the first of its rows.
  Result<Chain*> chain_of(StepId id, StepId order = no_step, const std::optional<TopK>& top_k = {}) {
    const auto [at, inserted] = chains_.try_emplace({id, order});
    if (inserted) {
      at->second.base = chain_base(plan_, id, consumers_);
      at->second.last = id;
      PENSTOCK_ASSIGN(at->second.programs, fuse_slices(plan_, at->second.base, id, top_k));
    }
    return &at->second;
  }

  Status begin_kernels(Chain& chain) {
    const TileKernel::Options options{options_.fast_math, options_.variant, options_.on_source};
    for (std::size_t i = chain.kernels.size(); i < chain.programs.size(); i++) {
      PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(device_, chain.programs[i], options));
      chain.kernels.push_back(std::move(kernel));
    }
    return {};
  }

  // Has the kernels of all chains below a step compiled, in as many threads: a chain whose rows come from another need not wait for
  // the other's end with its compiler.
  Status begin_chains(StepId id, std::uint64_t row_limit = ~std::uint64_t{0}) {
    if (!begun_.insert(id).second) return {};
    if (consumers_[id] > 1) row_limit = ~std::uint64_t{0};
    const Step& step = plan_.step(id);
    if (step.kind == StepKind::order_by)
      if (const std::optional<TopK> top_k = top_k_of(plan_, id, row_limit, consumers_)) {
        PENSTOCK_ASSIGN(Chain* const chain, chain_of(step.inputs[0], id, top_k));
        return begin_chain(*chain);
      }
    if (has_no_kernel(plan_, id)) {
      for (const StepId input : step.inputs) PENSTOCK_TRY(begin_chains(input, rows_needed(step, row_limit)));
      return {};
    }
    PENSTOCK_ASSIGN(Chain* const chain, chain_of(id));
    return begin_chain(*chain);
  }

  Status begin_chain(Chain& chain) {
    if (!plan_.step(chain.base).source) PENSTOCK_TRY(begin_chains(chain.base));
    return begin_kernels(chain);
  }

  // What a chain reads, so many times.
  Result<std::shared_ptr<TableSource>> rows_of(StepId base, std::size_t times) {
    const std::shared_ptr<TableSource>& source = plan_.step(base).source;
    if (source && (source->can_be_scanned_again() || (times == 1 && consumers_[base] == 1))) return source;
    if (!source) {
      PENSTOCK_ASSIGN(Table table, materialise(base, ~std::uint64_t{0}));
      return table_source(std::move(table), std::string(name_of(plan_.step(base).kind)));
    }
    std::shared_ptr<TableSource>& held = held_[base];
    if (!held) {
      PENSTOCK_ASSIGN(Table table, read_whole(*source));
      held = table_source(std::move(table), source->describe());
    }
    return held;
  }

  // Opening takes 25 ms for PoCL: the first batches are decoded meanwhile. The device is taken to be a CPU; on another one
  // this scan is given up.
  Result<BegunScan> begin_scan(const TileProgram& program, const TableSource& source) const {
    Traits expected;
    expected.is_cpu = true;
    expected.global_bytes = std::uint64_t{1} << 40;
    BegunScan begun;
    begun.chunk_rows = chunk_rows(options_, expected, program);
    PENSTOCK_ASSIGN(begun.batches, scan_columns(program, source, begun.chunk_rows));
    return begun;
  }

  // The order of its partitions and keys is what a window takes from the device.
  Status validate_window_order(const Table& input, const Window& window) {
    std::vector<SortKey> keys;
    for (const std::uint32_t column : window.partition) keys.push_back({column});
    keys.insert(keys.end(), window.order.begin(), window.order.end());
    if (keys.empty()) return {};
    PENSTOCK_ASSIGN(const Table ordered, order_rows(device_, input, keys, input.row_count, report_));
    return check_order(input, keys, ordered, device_ ? device_->traits().id : "the host");
  }

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
