// Puts strings of DELTA_BYTE_ARRAY together, when it is known how many bytes they have.
#include "codec/pages/device/pending_batch.hpp"

namespace penstock::pages {
namespace {

// Kernels read a few bytes past a string.
constexpr std::uint64_t chained_slack = 16;
// A page of some bytes may claim strings of any size, so a batch is asked for no more than this.
constexpr std::uint64_t max_made_bytes = std::uint64_t{4} << 30;

}  // namespace

// Says where the strings of each page go, behind all that the batch has. Returns the pages' tasks.
Result<std::vector<std::uint32_t>> PendingBatch::place_chained_texts() {
  std::vector<std::uint32_t> chains;
  const std::uint64_t begin = layout_.bytes;
  for (std::size_t i = 0; i < layout_.tasks.size(); i++) {
    PageTask& task = layout_.tasks[i];
    if (task[PAGE_TASK_FORM] != PAGE_FORM_CHAINS) continue;
    chains.push_back(static_cast<std::uint32_t>(i));
    task[PAGE_TASK_MADE] = static_cast<std::uint32_t>(layout_.bytes);
    task[PAGE_TASK_MADE + 1] = static_cast<std::uint32_t>(layout_.bytes >> 32);
    const std::uint64_t made = results_[i * PAGE_RESULT_WORDS + PAGE_RESULT_MADE];
    layout_.bytes += made;
    layout_.columns[layout_.origins[i].column].byte_count += made;
  }
  if (layout_.bytes - begin >= max_made_bytes)
    return Status(Code::capacity,
                  "the strings of DELTA_BYTE_ARRAY pages of a batch have 4 GiB or more");
  layout_.bytes += chained_slack;
  return chains;
}

// The pages are copied to larger memory, since a column's strings are in one.
Status PendingBatch::enqueue_texts(std::uint64_t page_bytes,
                                   const std::vector<std::uint32_t>& chains) {
  const std::uint64_t task_count = layout_.tasks.size();
  const auto chain_count = static_cast<std::uint32_t>(chains.size());
  PENSTOCK_ASSIGN(const Memory listed, upload(chains.data(), chains.size() * 4));
  PENSTOCK_ASSIGN(tasks_, upload(layout_.tasks.data(), task_count * sizeof(PageTask)));
  const Memory pages = bytes_;
  PENSTOCK_ASSIGN(bytes_, programs_.device().allocate(layout_.bytes));
  PENSTOCK_TRY(queue_.copy(*bytes_, *pages, page_bytes));
  PENSTOCK_TRY(programs_.launch(
      queue_, PageProgram::chains, "page_make_texts", programs_.groups_of_tasks(chain_count),
      {{Argument::of(*tasks_), Argument::of(*listed), Argument::of(*found_), Argument::of(*bytes_),
        Argument::of(*bytes_), Argument::value(chain_count)}}));
  PENSTOCK_TRY(check_values(true));
  return queue_.download(results_.data() + task_count * PAGE_RESULT_WORDS, *faults_,
                         task_count * 4);
}

Status PendingBatch::make_texts() {
  if (!layout_.has_chains) return {};
  const std::uint64_t page_bytes = layout_.bytes;
  PENSTOCK_ASSIGN(const std::vector<std::uint32_t> chains, place_chained_texts());
  const Status enqueued = enqueue_texts(page_bytes, chains);
  PENSTOCK_TRY(queue_.finish());  // the enqueued work reads `chains`
  PENSTOCK_TRY(enqueued);
  for (const std::uint32_t task : chains) find_task_fault(task);
  return fault_ ? fault_->status : Status();
}

}  // namespace penstock::pages
