#include "exec/collect/collector.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "exec/aggregate/partial_columns.hpp"
#include "exec/collect/group_collector.hpp"
#include "exec/collect/top_k_collector.hpp"
#include "exec/scan/paged_scan.hpp"
#include "expr/value.hpp"
#include "fuse/program/accumulators.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"
#include "table/strings/written_column.hpp"

namespace penstock::plan {
namespace {

template <class T>
std::span<const T> elements(const std::shared_ptr<HostBuffer>& memory, std::uint64_t count) {
  return {reinterpret_cast<const T*>(memory->data()), count};
}

// Collects kept rows. The count is read first, then exactly that many rows. A top-k makes columns
// of the first rows of a chunk alone.
class CompactCollector : public Collector {
 public:
  CompactCollector(const TileProgram& program, const ProgramStrings& strings,
                   const BuildSides* sides)
      : program_(program), strings_(strings), sides_(sides), parts_(program.outputs.size()) {}

  Status read(const TileKernel& kernel, Chunk& chunk) override {
    chunk.words = {};
    if (kernel.variant().algorithm == Algorithm::store) return {};
    PENSTOCK_ASSIGN(chunk.words,
                    chunk.read_back.read<std::uint64_t>(*chunk.buffers.compaction().kept_count, 1));
    return {};
  }

  Status take(const TileKernel&, Chunk& chunk) override {
    const std::uint64_t count = chunk.words.empty() ? chunk.memory.input.row_count : chunk.words[0];
    if (count > chunk.memory.input.row_count)
      return Status(Code::internal, "a kernel kept more rows than there were");
    if (count == 0) return {};
    PENSTOCK_ASSIGN(const Kept kept, download(chunk, count));
    if (program_.top_k && count / 2 > program_.top_k->count) return take_first(chunk, kept);
    for (std::size_t i = 0; i < parts_.size(); i++) {
      PENSTOCK_ASSIGN(parts_[i].emplace_back(), finish_part(chunk, i, kept));
    }
    row_count_ += count;
    return {};
  }

  // Few rows are put together: each table costs its reader a launch.
  std::vector<Table> take_parts() override {
    constexpr std::uint64_t min_rows = 1 << 14;
    if (parts_.empty() || parts_[0].size() < 2 || row_count_ < min_rows * parts_[0].size())
      return {};
    std::vector<Table> tables(parts_[0].size());
    for (std::size_t part = 0; part < tables.size(); part++) {
      tables[part].row_count = parts_[0][part].row_count;
      for (std::size_t i = 0; i < parts_.size(); i++) {
        tables[part].names.push_back(program_.outputs[i].name);
        tables[part].columns.push_back(std::move(parts_[i][part]));
      }
    }
    return tables;
  }

  Result<Table> finish() override {
    Table table;
    table.row_count = row_count_;
    for (std::size_t i = 0; i < program_.outputs.size(); i++) {
      table.names.push_back(program_.outputs[i].name);
      table.columns.push_back(column::concatenate(program_.schema[i].type, parts_[i]));
    }
    return table;
  }
  std::uint64_t row_count() const override { return row_count_; }

 private:
  // A chunk's outputs as the kernel wrote them: a byte for a boolean, a byte for a validity.
  struct Kept {
    std::uint64_t count = 0;
    std::vector<std::shared_ptr<HostBuffer>> values, validity;  // of each output
    std::shared_ptr<HostBuffer> rows;                           // u32 row numbers, for late columns
    std::vector<std::shared_ptr<HostBuffer>> found;             // the same of each lookup's table

    std::shared_ptr<HostBuffer>& of(const ColumnBuffer& buffer) {
      if (buffer.role == BufferRole::found_rows) return found[buffer.index];
      if (buffer.role == BufferRole::row_numbers) return rows;
      return (buffer.role == BufferRole::values ? values : validity)[buffer.index];
    }
  };

  // Some of a chunk's kept rows, ascending.
  struct Selected {
    std::vector<std::uint64_t> rows;
    std::shared_ptr<Buffer> there;  // their numbers in the chunk, for a scan of pages
  };

  Result<Kept> download(Chunk& chunk, std::uint64_t count) {
    const std::vector<std::shared_ptr<HostBuffer>> none(parts_.size());
    Kept kept{count, none, none, nullptr,
              std::vector<std::shared_ptr<HostBuffer>>(program_.lookups.size())};
    const std::vector<ColumnBuffer> buffers = output_buffers(program_);
    for (std::size_t i = 0; i < buffers.size(); i++) {
      const std::uint64_t bytes = buffers[i].bytes(count);
      PENSTOCK_ASSIGN(kept.of(buffers[i]),
                      chunk.read_back.read_bytes(*chunk.buffers.compaction().outputs[i], bytes));
      bytes_downloaded += bytes;
    }
    PENSTOCK_TRY(chunk.read_back.wait());
    return kept;
  }

  // Makes the columns of the keys, and by them all columns of the rows that are the first.
  Status take_first(Chunk& chunk, const Kept& kept) {
    Table keys;
    keys.row_count = kept.count;
    keys.columns.resize(parts_.size());
    for (const SortKey& key : program_.top_k->keys) {
      PENSTOCK_ASSIGN(keys.columns[key.column], finish_part(chunk, key.column, kept));
    }
    Selected first{order_on_host(keys, program_.top_k->keys, program_.top_k->count), nullptr};
    std::ranges::sort(first.rows);
    if (kept.rows && chunk.memory.scan != nullptr) {
      PENSTOCK_ASSIGN(first.there,
                      chunk.memory.scan->upload_rows(numbers_of(kept.rows, kept, &first)));
    }
    for (std::size_t i = 0; i < parts_.size(); i++) {
      PENSTOCK_ASSIGN(parts_[i].emplace_back(), finish_part(chunk, i, kept, &first));
    }
    row_count_ += first.rows.size();
    return {};
  }

  // `of`: these of the kept rows; null: all.
  Result<Column> finish_part(const Chunk& chunk, std::size_t i, const Kept& kept,
                             const Selected* of = nullptr) {
    if (program_.outputs[i].late_column >= 0)
      return gather_late(chunk, static_cast<std::uint32_t>(program_.outputs[i].late_column), kept,
                         of);
    Column column =
        column_of_written(program_.schema[i].type, kept.count, kept.values[i], kept.validity[i],
                          [&](std::uint32_t code) { return strings_.text(program_, i, code); });
    return of == nullptr ? std::move(column) : gather(column, of->rows);
  }

  // The numbers of rows, of the kept ones or some of them.
  static std::vector<std::uint32_t> numbers_of(const std::shared_ptr<HostBuffer>& memory,
                                               const Kept& kept, const Selected* of) {
    const auto all = elements<std::uint32_t>(memory, kept.count);
    if (of == nullptr) return {all.begin(), all.end()};
    std::vector<std::uint32_t> some;
    for (const std::uint64_t row : of->rows) some.push_back(all[row]);
    return some;
  }

  Result<Column> gather_late(const Chunk& chunk, std::uint32_t wanted, const Kept& kept,
                             const Selected* of) const {
    const int lookup = program_.lookup_of(wanted);
    if (lookup < 0 && chunk.memory.scan != nullptr)
      return gather_from_pages(chunk, wanted, kept, of);
    const auto& numbers = lookup < 0 ? kept.rows : kept.found[static_cast<std::size_t>(lookup)];
    const std::vector<std::uint32_t> rows = numbers_of(numbers, kept, of);
    if (lookup >= 0) return gather_found(build_column(program_, *sides_, wanted), rows);
    const std::vector<std::uint64_t> wide(rows.begin(), rows.end());
    const std::vector<std::uint32_t> scanned = program_.scanned_columns();
    const auto index = static_cast<std::size_t>(std::find(scanned.begin(), scanned.end(), wanted) -
                                                scanned.begin());
    auto column = gather_decoded(chunk.memory.batch.columns[index], wide);
    if (!column.ok())
      return column.with(
          chunk.memory.location_of("while decoding", program_.source_schema[wanted].name));
    return column;
  }

  // Gathers a late column of a chunk of pages by the row numbers on the device.
  Result<Column> gather_from_pages(const Chunk& chunk, std::uint32_t wanted, const Kept& kept,
                                   const Selected* of) const {
    if (of != nullptr)
      return chunk.memory.scan->column_of_rows(chunk.memory, wanted, *of->there, of->rows.size());
    return chunk.memory.scan->column_of_rows(chunk.memory, wanted, *rows_there(chunk), kept.count);
  }

  BufferPointer rows_there(const Chunk& chunk) const {
    const std::vector<ColumnBuffer> buffers = output_buffers(program_);
    const auto rows = std::ranges::find(buffers, BufferRole::row_numbers, &ColumnBuffer::role);
    return chunk.buffers.compaction().outputs[static_cast<std::size_t>(rows - buffers.begin())];
  }

  const TileProgram& program_;
  const ProgramStrings strings_;
  const BuildSides* sides_;
  std::vector<std::vector<Column>> parts_;
  std::uint64_t row_count_ = 0;
};

// Collects the result of a reduction. Partial results are added chunk by chunk and group by group:
// one fixed order.
class ReduceCollector : public Collector {
 public:
  ReduceCollector(const TileProgram& program, const ProgramStrings& strings, bool leaves_partials)
      : program_(program),
        strings_(strings),
        leaves_partials_(leaves_partials),
        partials_(program.accumulators.size()) {
    clear(program, partials_);
  }

  Status read(const TileKernel&, Chunk& chunk) override {
    const std::uint64_t words =
        std::uint64_t{chunk.buffers.reduction().group_count} * program_.accumulator_words();
    PENSTOCK_ASSIGN(chunk.words, chunk.read_back.read<std::uint64_t>(
                                     *chunk.buffers.reduction().partials, words));
    bytes_downloaded += words * 8;
    return {};
  }
  Status take(const TileKernel&, Chunk& chunk) override {
    const std::size_t words = program_.accumulator_words();
    for (std::size_t at = 0; at < chunk.words.size(); at += words)
      if (!merge(program_, partials_, chunk.words.subspan(at, words))) return sum_too_large();
    return {};
  }
  Result<Table> finish() override {
    if (leaves_partials_) return partials_as_row(program_, partials_);
    return one_row(program_, partials_, &strings_);
  }
  std::uint64_t row_count() const override { return 1; }

 private:
  const TileProgram& program_;
  const ProgramStrings strings_;
  const bool leaves_partials_;
  std::vector<Partial> partials_;
};

}  // namespace

Status read_chunk(std::shared_ptr<Device> device, const TileKernel& kernel, Collector& collector,
                  Chunk& chunk) {
  PENSTOCK_TRY(chunk.read_back.begin(std::move(device), *chunk.done));
  PENSTOCK_ASSIGN(chunk.fault, chunk.read_back.read<std::uint32_t>(*chunk.buffers.fault, 1));
  return collector.read(kernel, chunk);
}

Result<bool> wait_for_chunk(const TileKernel& kernel, Chunk& chunk) {
  PENSTOCK_TRY(chunk.read_back.wait());
  if (chunk.fault[0] != no_fault) return kernel.fault_status(chunk.fault[0]);
  return chunk.overflowed.empty() || chunk.overflowed[0] == 0;
}

std::unique_ptr<Collector> make_collector(const TileProgram& program, const ProgramStrings& strings,
                                          const BuildSides* sides, const MergePlace& merges,
                                          const TopK* first) {
  switch (program.epilogue) {
    case Epilogue::reduce:
      return std::make_unique<ReduceCollector>(program, strings, merges.leaves_partials);
    case Epilogue::group: return make_group_collector(program, strings, merges, first);
    case Epilogue::compact: break;
  }
  return program.top_k ? make_top_k_collector(program, strings, sides, merges)
                       : make_row_collector(program, strings, sides);
}

std::unique_ptr<Collector> make_row_collector(const TileProgram& program,
                                              const ProgramStrings& strings,
                                              const BuildSides* sides) {
  return std::make_unique<CompactCollector>(program, strings, sides);
}

}  // namespace penstock::plan
