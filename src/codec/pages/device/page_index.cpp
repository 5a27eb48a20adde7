// The second pass: what precedes each page, and the indices of columns.
#include <algorithm>

#include "codec/pages/device/pending_batch.hpp"

namespace penstock::pages {
namespace {

constexpr std::uint32_t tile_items = 256;  // PAGE_INDEX_TILE of page_index.kc

// A table on its way to a device. It ends when it is there.
struct UploadedTable {
  std::vector<std::shared_ptr<HostBuffer>> staging;
  std::shared_ptr<Event> uploaded;
  ~UploadedTable() {
    if (uploaded) (void)uploaded->wait().ok();
  }
};

}  // namespace

// The places of the parts of a column's index, in words, and the index's inputs.
struct PendingBatch::ColumnIndex {
  const ColumnTasks* tasks = nullptr;
  std::uint32_t first_page = 0;  // entry of the table
  std::uint64_t row_count = 0, value_count = 0, run_count = 0;
  std::uint64_t rows = 0, blocks = 0, runs = 0, words = 0;

  void lay_out() {
    std::uint64_t next = PAGE_HEAD_WORDS;
    if (value_count != row_count) {
      rows = next;
      next += (row_count + 31) / 32 * 2;
    }
    blocks = next;
    next += value_count / PAGE_BLOCK_VALUES + 1;
    runs = (next + 3) / 4 * 4;
    words = runs + (run_count + 2) * PAGE_RUN_WORDS;
  }
};

std::vector<PendingBatch::ColumnIndex> PendingBatch::lay_out_indices() {
  std::vector<ColumnIndex> indices;
  for (const ColumnTasks& tasks : layout_.columns) {
    ColumnIndex index;
    index.tasks = &tasks;
    index.first_page = static_cast<std::uint32_t>(firsts_.size() / PAGE_FIRST_WORDS);
    const auto put = [&] {
      for (const std::uint64_t first : {index.value_count, index.row_count, index.run_count})
        firsts_.push_back(static_cast<std::uint32_t>(first));
      firsts_.push_back(0);
    };
    for (std::uint32_t i = 0; i < tasks.task_count; i++) {
      put();
      const std::size_t task = tasks.first_task + i;
      const std::uint32_t* const result = results_.data() + task * PAGE_RESULT_WORDS;
      index.value_count += result[PAGE_RESULT_PRESENT];
      index.row_count += layout_.tasks[task][PAGE_TASK_VALUES];
      index.run_count += result[PAGE_RESULT_RUNS];
    }
    put();
    index.lay_out();
    indices.push_back(index);
  }
  return indices;
}

Result<DecodedPages> PendingBatch::enqueue_index(const ColumnIndex& column, const Memory& pages,
                                                 const std::shared_ptr<const void>& table) {
  if (column.words >> 32 != 0)
    return Status(Code::capacity, "the index of a column of a batch has 16 GiB or more");
  const auto word = [](std::uint64_t value) {
    return Argument::value(static_cast<std::uint32_t>(value));
  };
  const ColumnTasks& tasks = *column.tasks;
  PENSTOCK_ASSIGN(const Memory index, programs_.device().allocate(column.words * 4));
  PENSTOCK_TRY(programs_.launch(
      queue_, PageProgram::index, "page_runs", programs_.groups_of_tasks(tasks.slice_count),
      {{Argument::of(*tasks_), Argument::of(*slices_), Argument::of(*bytes_),
        Argument::of(*checkpoints_), Argument::of(*found_), Argument::of(*pages),
        Argument::of(*index), word(column.first_page), word(tasks.first_task),
        word(tasks.first_slice), word(tasks.slice_count), word(column.runs)}}));
  const std::uint64_t items = std::max(column.value_count / PAGE_BLOCK_VALUES + 1,
                                       column.rows == 0 ? 0 : (column.row_count + 31) / 32);
  PENSTOCK_TRY(programs_.launch(
      queue_, PageProgram::index, "page_blocks", programs_.groups_of_tiles(items, tile_items),
      {{Argument::of(*tasks_), Argument::of(*validity_), Argument::of(*pages), Argument::of(*index),
        word(column.first_page), word(tasks.first_task), word(tasks.task_count), word(column.rows),
        word(column.blocks), word(column.runs), word(column.run_count), word(items)}}));
  DecodedPages decoded;
  decoded.bytes = bytes_;
  decoded.index = index;
  decoded.staging = table;
  decoded.row_count = column.row_count;
  decoded.null_count = column.row_count - column.value_count;
  decoded.device_bytes = tasks.byte_count + column.words * 4;
  return decoded;
}

Result<std::vector<DecodedPages>> PendingBatch::finish() {
  if (fault_) return fault_->status;
  if (enqueuing_.valid()) PENSTOCK_TRY(enqueuing_.get());
  PENSTOCK_TRY(downloaded_->wait());
  find_faults();
  if (fault_) return fault_->status;
  PENSTOCK_TRY(make_texts());
  const std::vector<ColumnIndex> indices = lay_out_indices();
  auto table = std::make_shared<UploadedTable>();
  PENSTOCK_ASSIGN(const auto pages, upload(firsts_.data(), firsts_.size() * 4));
  table->staging = std::move(staging_);
  PENSTOCK_ASSIGN(table->uploaded, queue_.record());
  std::vector<DecodedPages> decoded;
  for (const ColumnIndex& index : indices) {
    PENSTOCK_ASSIGN(DecodedPages column, enqueue_index(index, pages, table));
    decoded.push_back(std::move(column));
  }
  return decoded;
}

}  // namespace penstock::pages
