// The pages of a batch while a device decodes them.
#pragma once
#include "base/thread_pool.hpp"
#include "codec/pages/device/page_layout.hpp"
#include "codec/pages/device/page_programs.hpp"
#include "device/pinned_array.hpp"

namespace penstock::pages {

class PendingBatch final : public PendingPages {
 public:
  PendingBatch(std::shared_ptr<PagePrograms> programs, Queue& queue, PageLayout layout)
      : held_programs_(std::move(programs)),
        programs_(*held_programs_),
        queue_(queue),
        layout_(std::move(layout)),
        fault_(layout_.fault) {}
  ~PendingBatch() override;
  // Begins to read what comes from files; uploads, and enqueues the first pass, where that is all
  // there.
  Status begin();
  void wait_for_files() const override {
    if (enqueuing_.valid()) enqueuing_.wait();
  }
  Result<std::vector<DecodedPages>> finish() override;
  const std::optional<PageFault>& fault() const override { return fault_; }
  std::uint64_t bytes_uploaded() const override { return bytes_uploaded_; }
  std::uint64_t bytes_read_directly() const override { return bytes_read_directly_; }
  std::shared_ptr<Event> uploaded() const override { return uploaded_; }

 private:
  using Memory = std::shared_ptr<Buffer>;
  // The pages of one compression in device memory.
  struct Inflating {
    const PageInflation* pages = nullptr;
    batch::Format format = batch::Format::lz4;
    batch::Batch batch;
    Memory scratch;
    std::uint64_t statuses_at = 0, sizes_at = 0;  // words of results_
  };
  struct ColumnIndex;

  Result<const std::byte*> stage(const void* from, std::uint64_t bytes);
  Result<Memory> upload(const void* from, std::uint64_t bytes);
  Status begin_reads();
  Status enqueue();
  Status enqueue_first_pass();
  Status upload_pages();
  Status inflate(Compression compression, const PageInflation& pages, const Memory& compressed);
  Status copy_ranges(const Memory& compressed);
  Status scan();
  Status check_values(bool of_chains);
  Status download_results();
  Result<std::vector<std::uint32_t>> place_chained_texts();
  Status enqueue_texts(std::uint64_t page_bytes, const std::vector<std::uint32_t>& chains);
  Status make_texts();
  void add_fault(const PageOrigin& origin, Status status, bool is_denied_null = false);
  void find_faults();
  void find_inflation_faults(const Inflating& inflating);
  void find_task_fault(std::size_t task);
  std::vector<ColumnIndex> lay_out_indices();
  Result<DecodedPages> enqueue_index(const ColumnIndex& column, const Memory& pages,
                                     const std::shared_ptr<const void>& table);

  std::shared_ptr<PagePrograms> held_programs_;
  PagePrograms& programs_;
  Queue& queue_;
  PageLayout layout_;
  std::optional<PageFault> fault_;
  std::uint64_t bytes_uploaded_ = 0, bytes_read_directly_ = 0;
  std::shared_ptr<Event> uploaded_;
  Memory bytes_, compressed_, ranges_, tasks_, slices_, validity_, checkpoints_, found_, faults_;
  std::vector<Inflating> inflating_;
  HostArray<std::uint32_t> results_;  // of tasks, their faults, what became of compressed pages
  std::vector<std::shared_ptr<HostBuffer>> staging_;  // what uploads read
  std::uint64_t staged_bytes_ = 0;                    // of the last of them
  std::shared_ptr<Event> downloaded_;
  std::vector<std::uint32_t> firsts_;  // what precedes each page: the second pass's table
  std::vector<std::unique_ptr<device::FileReads>> reads_;
  Task<Status> enqueuing_;  // last: it uses the other members
};

}  // namespace penstock::pages
