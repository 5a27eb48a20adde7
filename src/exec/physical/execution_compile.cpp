// The compile pass: the kernels of all chains begin as soon as the device is open, each in a thread
// of its own.
#include <algorithm>

#include "exec/physical/execution.hpp"
#include "fuse/program/paged_columns.hpp"
#include "fuse/program/stages.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {

// Waits for the device. When it has just been opened, begins to compile the kernels of all chains.
Status Execution::begin_compiling() {
  PENSTOCK_ASSIGN(const bool has_opened, device_.wait());
  if (!has_opened) return {};
  PENSTOCK_TRY(fuse_for_device());
  pin_read_ahead();
  for (const StepId result : results_) PENSTOCK_TRY(compile_step(result));
  return {};
}

// Fuses chains again whose rows were expected to stay on a GPU, where the device is another one.
Status Execution::fuse_for_device() {
  if (device_.get()->traits().target == Target::cuda) return {};
  for (auto& [of, chain] : chains_)
    if (chain.stays) PENSTOCK_TRY(fuse(chain, chain.base));
  return {};
}

// Compiles the kernels of all chains that a step needs, in as many threads: a chain whose rows come
// from another chain need not wait with its compiler for the other's end.
Status Execution::compile_step(StepId id, std::uint64_t row_limit, const Columns& wanted) {
  if (done_.contains(id) || !begun_.insert(id).second) return {};
  if (consumers_[id] > 1) row_limit = ~std::uint64_t{0};
  PENSTOCK_ASSIGN(const std::optional<Table>* const answer, answer_of_source(id));
  if (answer->has_value()) return {};
  const Step& step = plan_.step(id);
  if (step.kind == StepKind::order_by)
    if (const std::optional<TopK> top_k = top_k_of(plan_, id, row_limit, consumers_)) {
      PENSTOCK_ASSIGN(Chain* const chain, chain_of(step.inputs[0], {}, id, top_k));
      return compile_chain(*chain);
    }
  if (has_no_kernel(plan_, id)) {
    for (const StepId input : step.inputs)
      PENSTOCK_TRY(compile_step(input, rows_needed(step, row_limit)));
    return {};
  }
  if (has_repeated_keys(id))
    return compile_step(step.inputs[0], ~std::uint64_t{0}, columns_of_left(step, wanted));
  if (const auto running = chains_.find({id, no_step}); running != chains_.end())
    return compile_chain(running->second);
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(id, columns_asked_for(id, wanted)));
  return compile_chain(*chain);
}

Status Execution::compile_chain(Chain& chain) {
  for (const ChainInput& input : chain_inputs(plan_, chain.base, chain.last, chain.programs))
    PENSTOCK_TRY(compile_step(input.step, ~std::uint64_t{0}, input.columns));
  PENSTOCK_TRY(compile_right_sides(chain));
  return begin_kernels(chain);
}

// Compiles what right sides take that stay on the device: the kernels of tables, and those that
// read a file's rows, which the host reads otherwise.
Status Execution::compile_right_sides(const Chain& chain) {
  for (std::size_t i = 0; i < chain.programs[0].lookups.size(); i++) {
    const Step& join = plan_.step(chain.programs[0].lookups[i].step);
    if (!may_stay(join.inputs[1])) continue;
    join_kernels();
    if (plan_.step(join.inputs[1]).kind == StepKind::source)
      PENSTOCK_TRY(compile_step(join.inputs[1], ~std::uint64_t{0},
                                columns_looked_up(join, chain.programs, i)));
  }
  return {};
}

// Begins the kernels that a chain has not begun yet. All kernels of an execution begin here.
Status Execution::begin_kernels(Chain& chain) {
  TileKernel::Options options{options_.fast_math,
                              options_.variant,
                              options_.on_source,
                              options_.memory_limit_bytes,
                              false,
                              options_.kept_programs};
  if (chain.base != no_step) options.source = plan_.step(chain.base).source.get();
  if (options.kept && options.source) options.rows = options.source->identity();
  for (std::size_t i = chain.kernels.size(); i < chain.programs.size(); i++) {
    PENSTOCK_TRY(choose_pages(chain, chain.programs[i]));
    PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(device_.get(), chain.programs[i], options));
    chain.kernels.push_back(std::move(kernel));
  }
  return {};
}

// A source that can be read only once is held in memory, and has no pages then. Rows that
// validation asks for alone have no base in the plan.
Status Execution::choose_pages(Chain& chain, TileProgram& program) {
  if (chain.base == no_step) return {};
  const std::shared_ptr<TableSource>& source = plan_.step(chain.base).source;
  if (!source || !source->can_be_scanned_again()) return {};
  const Traits& traits = device_.get()->traits();
  if (chain.paged && &program == &chain.programs[0] && !traits.shares_host_cores()) {
    program = *std::exchange(chain.paged, {});
  } else if (program.paged.empty()) {  // else it was chosen before a lookup was partitioned
    PENSTOCK_ASSIGN(const std::string note,
                    choose_page_decoding(program, *source, options_.page_decoding, traits));
    std::vector<std::string>& notes = report_.notes;
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(note);
  }
  if (program.paged.empty()) return {};
  PENSTOCK_ASSIGN(const auto decoder, page_decoder());
  decoder->prepare(compressions_of(program, *source->pages()));
  return {};
}

// A profile's device records what the decoder does, so that it is the run's own.
Result<std::shared_ptr<pages::PageDecoder>> Execution::page_decoder() {
  if (page_decoder_) return page_decoder_;
  const bool is_shared = options_.session && !recording_;
  PENSTOCK_ASSIGN(page_decoder_, is_shared ? options_.session->page_decoder()
                                           : pages::PageDecoder::create(device_.get()));
  return page_decoder_;
}

}  // namespace penstock::plan
