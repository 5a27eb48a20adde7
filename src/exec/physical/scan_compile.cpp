// A scan's kernels. They begin to compile as soon as the device is open, each in a thread.
#include <algorithm>

#include "exec/physical/scan_operator.hpp"
#include "fuse/program/paged_columns.hpp"

namespace penstock::plan {

// A scan of pairs has no kernels before it has the pairs. Few rows of a step need none.
Status ScanOperator::compile() {
  if (has_run_) return {};
  if (inputs_.base) PENSTOCK_TRY(inputs_.base->compile());
  for (const auto& build : inputs_.builds) PENSTOCK_TRY(build->compile());
  return inputs_.base_makes_pairs || may_run_on_host() ? Status() : begin_kernels();
}

// Begins the kernels that have not begun yet. All kernels of a plan begin here.
Status ScanOperator::begin_kernels() {
  TileKernel::Options options{run_.options.fast_math,
                              run_.options.variant,
                              run_.options.on_source,
                              run_.options.memory_limit_bytes,
                              false,
                              run_.options.kept_programs};
  options.source = base_source();
  if (options.kept && options.source) options.rows = options.source->identity();
  for (std::size_t i = kernels_.size(); i < programs_.size(); i++) {
    PENSTOCK_TRY(choose_pages(programs_[i]));
    PENSTOCK_ASSIGN(auto kernel, TileKernel::begin(run_.device(), programs_[i], options));
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

// A source that can be read only once is held in memory, and has no pages then.
Status ScanOperator::choose_pages(TileProgram& program) {
  const TableSource* const source = base_source();
  if (!source || !source->can_be_scanned_again()) return {};
  const Traits& traits = run_.device()->traits();
  if (paged_ && &program == &programs_[0] && !traits.shares_host_cores()) {
    program = *std::exchange(paged_, {});
  } else if (program.paged.empty()) {  // else it was chosen before a lookup was partitioned
    PENSTOCK_ASSIGN(const std::string note,
                    choose_page_decoding(program, *source, run_.options.page_decoding, traits));
    std::vector<std::string>& notes = run_.report.notes;
    if (!note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
  if (program.paged.empty()) return {};
  PENSTOCK_ASSIGN(const auto decoder, run_.page_decoder());
  decoder->prepare(compressions_of(program, *source->pages()));
  return {};
}

}  // namespace penstock::plan
