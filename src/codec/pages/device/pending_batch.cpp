#include "codec/pages/device/pending_batch.hpp"

#include <algorithm>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "codec/batch/chunk_decoder.hpp"
#include "codec/pages/kernels/page_errors.h"

namespace penstock::pages {
namespace {

constexpr std::uint64_t min_buffer_bytes = 64;
// The tables of a few hundred pages.
constexpr std::uint64_t staging_bytes = std::uint64_t{256} << 10;

struct ErrorText {
  std::uint32_t error;
  Code code;
  const char* message;
};
constexpr ErrorText page_errors[] = {
#define PENSTOCK_PAGE_ERROR_(error, code, message) {error, Code::code, message},
    PAGE_ERRORS(PENSTOCK_PAGE_ERROR_)
#undef PENSTOCK_PAGE_ERROR_
};

Status page_error(std::uint32_t error, std::uint32_t byte) {
  for (const ErrorText& row : page_errors)
    if (row.error == error)
      return {row.code, "byte " + std::to_string(byte) + " of the page: " + row.message};
  return {Code::internal, "error " + std::to_string(error) + " of a page"};
}

Status misfit(std::uint32_t conversion, std::uint32_t form) {
  switch (conversion) {
    case PAGE_CONVERT_MILLISECONDS:
      return {Code::overflow, "a timestamp outside TIMESTAMP's range"};
    case PAGE_CONVERT_NANOSECONDS:
    case PAGE_CONVERT_INT96:
      return {Code::unsupported, "a timestamp that is not a whole number of microseconds"};
    case PAGE_CONVERT_BIG_ENDIAN: return {Code::corrupt, "a DECIMAL value outside its precision"};
    case PAGE_CONVERT_TEXT: return {Code::corrupt, "a string that is not valid UTF-8"};
    default: break;
  }
  return {Code::corrupt, form == PAGE_FORM_INDICES ? "an index outside the dictionary page"
                                                   : "a value outside the column's type"};
}

Status inflation_status(batch::ChunkStatus status, std::uint64_t size, std::uint64_t capacity) {
  if (status.error == batch::ErrorCode::output_too_small)
    return {Code::corrupt, "the page decompresses to more bytes than its header says"};
  const std::string at = "byte " + std::to_string(status.offset) + " of the compressed page";
  PENSTOCK_TRY(batch::status_at(at, status.error));
  if (size == capacity) return {};
  return {Code::corrupt, "the page decompresses to " + std::to_string(size) +
                             " bytes, but its header says " + std::to_string(capacity)};
}

}  // namespace

PendingBatch::~PendingBatch() {
  for (const auto& reads : reads_) reads->leave_out();
  if (enqueuing_.valid()) (void)enqueuing_.get().ok();
  if (downloaded_) (void)downloaded_->wait().ok();
}

// Copies a table to pinned memory. An upload of more than 64 KiB of other memory makes CUDA wait
// for all that its queue has to do: for pages that are decompressed, too.
Result<const std::byte*> PendingBatch::stage(const void* from, std::uint64_t bytes) {
  if (staging_.empty() || staging_.back()->bytes() - staged_bytes_ < bytes) {
    PENSTOCK_ASSIGN(auto memory, programs_.device().allocate_host(std::max(bytes, staging_bytes)));
    staging_.push_back(std::move(memory));
    staged_bytes_ = 0;
  }
  std::byte* const to = staging_.back()->data() + staged_bytes_;
  std::memcpy(to, from, bytes);
  staged_bytes_ += bytes;
  return to;
}

Result<PendingBatch::Memory> PendingBatch::upload(const void* from, std::uint64_t bytes) {
  PENSTOCK_ASSIGN(auto memory, programs_.device().allocate(std::max(bytes, min_buffer_bytes)));
  if (bytes == 0) return memory;
  PENSTOCK_ASSIGN(const std::byte* const staged, stage(from, bytes));
  PENSTOCK_TRY(queue_.upload(*memory, staged, bytes));
  bytes_uploaded_ += bytes;
  return memory;
}

Status PendingBatch::begin() {
  PENSTOCK_TRY(begin_reads());
  const bool is_read =
      std::ranges::all_of(reads_, [](const auto& each) { return each->has_ended(); });
  if (is_read) return enqueue();
  const Status started = catch_exceptions([this]() -> Status {
    enqueuing_ = ThreadPool::shared().start([this] { return enqueue(); });
    return {};
  });
  return started.ok() ? started : enqueue();  // without a thread
}

// Waits for reads under way.
Status PendingBatch::enqueue() {
  Status status = catch_exceptions([this] { return enqueue_first_pass(); });
  // The enqueued work reads memory of the batch and of the caller.
  if (!status.ok()) (void)queue_.finish().ok();
  return status;
}

Status PendingBatch::enqueue_first_pass() {
  for (const auto& reads : reads_) PENSTOCK_TRY(reads->wait_on(queue_));
  PENSTOCK_TRY(upload_pages());
  PENSTOCK_ASSIGN(uploaded_, queue_.record());
  for (const auto& [compression, pages] : layout_.inflations)
    PENSTOCK_TRY(inflate(compression, pages, compressed_));
  PENSTOCK_TRY(copy_ranges(compressed_));
  PENSTOCK_TRY(scan());
  PENSTOCK_TRY(download_results());
  PENSTOCK_ASSIGN(downloaded_, queue_.record());
  return queue_.flush();
}

Status PendingBatch::upload_pages() {
  for (const PageUpload& part : layout_.uploads) {
    if (part.from.empty() || part.file) continue;
    PENSTOCK_TRY(queue_.upload(part.is_compressed ? *compressed_ : *bytes_, part.from.data(),
                               part.from.size(), part.to));
    bytes_uploaded_ += part.from.size();
  }
  return {};
}

// Before uploads are enqueued, for which it might wait.
Status PendingBatch::begin_reads() {
  Device& device = programs_.device();
  PENSTOCK_ASSIGN(bytes_, device.allocate(std::max(layout_.bytes, min_buffer_bytes)));
  PENSTOCK_ASSIGN(compressed_,
                  device.allocate(std::max(layout_.compressed_bytes, min_buffer_bytes)));
  std::map<std::pair<const device::DirectFile*, bool>, std::vector<device::FileRange>> reads;
  for (const PageUpload& part : layout_.uploads) {
    if (!part.file) continue;
    reads[{part.file, part.is_compressed}].push_back({part.file_offset, part.from.size(), part.to});
    (part.file->is_staged() ? bytes_uploaded_ : bytes_read_directly_) += part.from.size();
  }
  for (auto& [from, ranges] : reads) {
    PENSTOCK_ASSIGN(auto begun, from.first->begin(queue_, from.second ? compressed_ : bytes_,
                                                  std::move(ranges)));
    reads_.push_back(std::move(begun));
  }
  return {};
}

Status PendingBatch::inflate(Compression compression, const PageInflation& pages,
                             const Memory& compressed) {
  Device& device = programs_.device();
  Inflating inflating;
  inflating.pages = &pages;
  inflating.format = format_of(compression);
  batch::Batch& batch = inflating.batch;
  const std::uint64_t words = pages.capacities.size() * 8;
  batch.chunk_count = static_cast<std::uint32_t>(pages.capacities.size());
  batch.input = compressed;
  batch.output = bytes_;
  batch.max_output_bytes = pages.max_output_bytes;
  PENSTOCK_ASSIGN(batch.input_offsets, upload(pages.input_offsets.data(), words));
  PENSTOCK_ASSIGN(batch.input_sizes, upload(pages.input_sizes.data(), words));
  PENSTOCK_ASSIGN(batch.output_offsets, upload(pages.output_offsets.data(), words));
  PENSTOCK_ASSIGN(batch.output_capacities, upload(pages.capacities.data(), words));
  PENSTOCK_ASSIGN(batch.output_sizes, device.allocate(std::max(words, min_buffer_bytes)));
  PENSTOCK_ASSIGN(batch.statuses, device.allocate(std::max(words, min_buffer_bytes)));
  PENSTOCK_ASSIGN(const auto decoder, programs_.decoder(compression));
  PENSTOCK_ASSIGN(
      inflating.scratch,
      device.allocate(std::max(decoder->scratch_bytes(batch.chunk_count, batch.max_output_bytes),
                               min_buffer_bytes)));
  PENSTOCK_TRY(decoder->enqueue(queue_, batch, *inflating.scratch));
  inflating_.push_back(std::move(inflating));
  return {};
}

Status PendingBatch::copy_ranges(const Memory& compressed) {
  if (layout_.ranges.empty()) return {};
  PENSTOCK_ASSIGN(ranges_,
                  upload(layout_.ranges.data(), layout_.ranges.size() * sizeof(CopyRange)));
  const auto count = static_cast<std::uint32_t>(layout_.ranges.size());
  return programs_.launch(queue_, PageProgram::runs, "page_copy", programs_.groups_of_tasks(count),
                          {{Argument::of(*ranges_), Argument::of(*compressed),
                            Argument::of(*bytes_), Argument::value(count)}});
}

Status PendingBatch::scan() {
  Device& device = programs_.device();
  const auto task_count = static_cast<std::uint32_t>(layout_.tasks.size());
  const auto slice_count = static_cast<std::uint32_t>(layout_.slices.size());
  const auto bytes_of = [](std::uint64_t words) { return std::max(words * 4, min_buffer_bytes); };
  PENSTOCK_ASSIGN(tasks_, upload(layout_.tasks.data(), layout_.tasks.size() * sizeof(PageTask)));
  PENSTOCK_ASSIGN(slices_, upload(layout_.slices.data(), std::uint64_t{slice_count} * 4));
  PENSTOCK_ASSIGN(validity_, device.allocate(bytes_of(layout_.validity_words)));
  PENSTOCK_ASSIGN(checkpoints_,
                  device.allocate(bytes_of(std::uint64_t{slice_count} * PAGE_CHECKPOINT_WORDS)));
  PENSTOCK_ASSIGN(found_, device.allocate(bytes_of(std::uint64_t{task_count} * PAGE_RESULT_WORDS)));
  PENSTOCK_ASSIGN(faults_, device.allocate(bytes_of(task_count)));
  PENSTOCK_TRY(queue_.fill(*faults_, ~std::uint32_t{0}, faults_->bytes() / 4 * 4));
  for (const PageProgram of_forms : layout_.first_pass)
    PENSTOCK_TRY(
        programs_.launch(queue_, of_forms, "page_scan", programs_.groups_of_tasks(task_count),
                         {{Argument::of(*tasks_), Argument::of(*bytes_), Argument::of(*bytes_),
                           Argument::of(*validity_), Argument::of(*checkpoints_),
                           Argument::of(*found_), Argument::value(task_count)}}));
  if (layout_.has_chains)
    PENSTOCK_TRY(programs_.launch(queue_, PageProgram::chains, "page_measure_chains",
                                  programs_.groups_of_tasks(task_count),
                                  {{Argument::of(*tasks_), Argument::of(*bytes_),
                                    Argument::of(*found_), Argument::value(task_count)}}));
  return check_values(false);
}

Status PendingBatch::check_values(bool of_chains) {
  const auto slice_count = static_cast<std::uint32_t>(layout_.slices.size());
  for (const PageProgram of_values : layout_.value_pass)
    PENSTOCK_TRY(programs_.launch(
        queue_, of_values, "page_values", programs_.groups_of_tasks(slice_count),
        {{Argument::of(*tasks_), Argument::of(*slices_), Argument::of(*bytes_),
          Argument::of(*bytes_), Argument::of(*checkpoints_), Argument::of(*found_),
          Argument::of(*faults_), Argument::value(slice_count),
          Argument::value(std::uint32_t{of_chains})}}));
  return {};
}

Status PendingBatch::download_results() {
  const std::uint64_t task_count = layout_.tasks.size();
  std::uint64_t words = task_count * (PAGE_RESULT_WORDS + 1);
  for (Inflating& inflating : inflating_) {
    inflating.statuses_at = words;
    inflating.sizes_at = words + inflating.pages->capacities.size() * 2;
    words = inflating.sizes_at + inflating.pages->capacities.size() * 2;
  }
  PENSTOCK_TRY(results_.resize(programs_.device(), words));
  PENSTOCK_TRY(queue_.download(results_.data(), *found_, task_count * PAGE_RESULT_WORDS * 4));
  PENSTOCK_TRY(
      queue_.download(results_.data() + task_count * PAGE_RESULT_WORDS, *faults_, task_count * 4));
  for (const Inflating& inflating : inflating_) {
    const std::uint64_t bytes = inflating.pages->capacities.size() * 8;
    PENSTOCK_TRY(
        queue_.download(results_.data() + inflating.statuses_at, *inflating.batch.statuses, bytes));
    PENSTOCK_TRY(queue_.download(results_.data() + inflating.sizes_at,
                                 *inflating.batch.output_sizes, bytes));
  }
  return {};
}

void PendingBatch::add_fault(const PageOrigin& origin, Status status, bool is_denied_null) {
  // The dictionary precedes the data pages of its chunk.
  const auto order = [](std::size_t column, std::size_t chunk, std::uint32_t page) {
    return std::tuple(column, chunk, page + 1);
  };
  if (fault_ && order(fault_->column, fault_->chunk, fault_->page) <=
                    order(origin.column, origin.chunk, origin.page))
    return;
  fault_ = PageFault{origin.column, origin.chunk, origin.page, std::move(status), is_denied_null};
}

void PendingBatch::find_inflation_faults(const Inflating& inflating) {
  for (std::size_t i = 0; i < inflating.pages->capacities.size(); i++) {
    const std::uint32_t* const words = results_.data() + inflating.statuses_at + 2 * i;
    std::uint64_t size;
    std::memcpy(&size, results_.data() + inflating.sizes_at + 2 * i, sizeof size);
    Status status = inflation_status({static_cast<batch::ErrorCode>(words[0]), words[1]}, size,
                                     inflating.pages->capacities[i]);
    if (!status.ok()) add_fault(inflating.pages->origins[i], std::move(status));
  }
}

void PendingBatch::find_task_fault(std::size_t number) {
  const std::uint32_t* const result = results_.data() + number * PAGE_RESULT_WORDS;
  const std::uint32_t value = results_[layout_.tasks.size() * PAGE_RESULT_WORDS + number];
  const PageTask& task = layout_.tasks[number];
  if (result[PAGE_RESULT_ERROR] != PAGE_OK) {
    add_fault(layout_.origins[number],
              page_error(result[PAGE_RESULT_ERROR], result[PAGE_RESULT_AT]));
  } else if (value != ~std::uint32_t{0}) {
    const Status status = misfit(task[PAGE_TASK_CONVERSION], task[PAGE_TASK_FORM]);
    add_fault(layout_.origins[number], {status.code(), "value " + std::to_string(value) +
                                                           " of the page: " + status.message()});
  } else if (result[PAGE_RESULT_PRESENT] < task[PAGE_TASK_VALUES] &&
             layout_.columns[layout_.origins[number].column].denies_nulls) {
    add_fault(layout_.origins[number],
              {Code::corrupt, "the page has NULLs that the column's statistics deny"}, true);
  }
}

// Any fault found in a wrongly decompressed page is no fault of the page itself.
void PendingBatch::find_faults() {
  for (const Inflating& inflating : inflating_) find_inflation_faults(inflating);
  for (std::size_t i = 0; i < layout_.tasks.size(); i++) find_task_fault(i);
}

}  // namespace penstock::pages
