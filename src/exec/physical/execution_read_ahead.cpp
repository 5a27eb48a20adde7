// The read pass, ahead of its turn: the pages of right sides and of the rows that are joined with
// them are read in the order in which they run, while the device is still being opened, and while
// the table before is decoded. CUDA takes 230 ms to open.
#include <utility>

#include "device/driver.hpp"
#include "exec/physical/execution.hpp"
#include "fuse/program/paged_columns.hpp"

namespace penstock::plan {

// Returns the traits of the device, or of a GPU that is being opened; nothing where another device
// is.
std::optional<Traits> Execution::expected_traits() const {
  if (device_.get()) return device_.get()->traits();
  if (!device_.is_opening() || !device::expects_cuda(options_.device)) return {};
  Traits expected;
  expected.target = Target::cuda;
  expected.has_f64 = true;
  return expected;
}

// The right sides are run from the last join to the first, each after its own right sides.
Status Execution::read_ahead(Chain& chain, std::uint64_t row_limit) {
  if (!device_.is_opening()) PENSTOCK_TRY(begin_compiling());  // a session's may be open
  const std::optional<Traits> expected = expected_traits();
  if (!expected || std::exchange(chain.reads_ahead, true)) return {};
  for (std::size_t i = chain.programs[0].lookups.size(); i-- > 0;) {
    const StepId id = chain.programs[0].lookups[i].step;
    const Step& join = plan_.step(id);
    const StepId right = join.inputs[1];
    if (sides_.contains(id) || !may_stay(right)) continue;
    const Columns columns = columns_looked_up(join, chain.programs, i);
    PENSTOCK_ASSIGN(Chain* const side, chain_of(right, columns_asked_for(right, columns)));
    if (side->stays) PENSTOCK_TRY(read_ahead(*side, ~std::uint64_t{0}));
  }
  return begin_pages(chain, *expected, row_limit);
}

// Begins to read the pages of a chain's base, if kernels read these.
Status Execution::begin_pages(Chain& chain, const Traits& expected, std::uint64_t row_limit) {
  if (chain.base == no_step) return {};
  const std::shared_ptr<TableSource>& base = plan_.step(chain.base).source;
  if (!base || !base->can_be_scanned_again()) return {};
  const TileProgram* program = &chain.programs[0];
  if (device_.get()) {
    PENSTOCK_TRY(begin_kernels(chain));
  } else {
    chain.paged = *program;
    PENSTOCK_TRY(
        choose_page_decoding(*chain.paged, *base, options_.page_decoding, expected).status());
    if (chain.paged->paged.empty()) chain.paged.reset();
    if (chain.paged) program = &*chain.paged;
  }
  if (program->paged.empty()) return {};
  PENSTOCK_ASSIGN(chain.scanned, leave_out_rows(chain, base));
  PagedScan::Limits limits =
      paged_limits(options_, *program, row_limit, chain.selected ? &*chain.selected : nullptr);
  limits.may_stage = !is_right_side(plan_, chain.last);
  PENSTOCK_ASSIGN(chain.begun, PagedScan::begin(device_.get(), *program, *base, limits, order_));
  if (!device_.get() && chain.begun.memory) not_pinned_.push_back(chain.begun.memory);
  return {};
}

// Pins what was read before the device was open, while the first table is decoded already: of half
// a gigabyte that takes 15 ms.
void Execution::pin_read_ahead() {
  if (not_pinned_.empty() || device_.get()->traits().unified_memory) return;
  pinning_ =
      ThreadPool::shared().start([all = std::exchange(not_pinned_, {}), device = device_.get()] {
        for (const std::weak_ptr<PinnedSlabs>& one : all)
          if (const auto memory = one.lock()) memory->pin_on(device);
      });
}

}  // namespace penstock::plan
