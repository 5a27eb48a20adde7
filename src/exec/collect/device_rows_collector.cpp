#include "exec/collect/device_rows_collector.hpp"

#include <algorithm>
#include <optional>

#include "column/concatenate.hpp"
#include "exec/groups/group_results.hpp"

namespace penstock::plan {
namespace {

// The columns that a program's kernel writes, in the order of output_buffers().
Schema written_columns(const TileProgram& program) {
  Schema columns;
  for (const Output& output : program.outputs) {
    const Node& node = program.graph->at(output.root);
    columns.push_back({output.name, node.type, node.nullable});
  }
  return columns;
}

class DeviceRowsCollector : public Collector {
 public:
  DeviceRowsCollector(const TileProgram& program, const ProgramStrings& strings,
                      const BuildSides* sides, const RowsOnDevice& to, Queue& queue,
                      std::uint64_t source_rows)
      : program_(program),
        strings_(strings),
        host_(make_row_collector(program, strings, sides)),
        to_(to),
        queue_(queue),
        source_rows_(source_rows),
        writer_(std::in_place, to.kernels, written_columns(program), to.limit_bytes) {}

  // A kernel without a filter stores its rows in their final place, if the columns there have room.
  // They begin at the end of the rows of earlier chunks.
  Status place(const TileKernel& kernel, Chunk& chunk) override {
    if (kernel.variant().algorithm != Algorithm::store) return {};
    const std::uint64_t rows = chunk.memory.input.row_count, first = rows_placed_;
    rows_placed_ += rows;
    chunk.buffers.select(Algorithm::store);
    std::optional<StoredRows>& stays = std::get<Compaction>(chunk.buffers.strategy).stays;
    stays.reset();
    if (!writer_ || source_rows_ == 0 || first % 4 != 0 || program_.yields_row_numbers()) return {};
    PENSTOCK_ASSIGN(auto columns, writer_->place_for(queue_, first, rows, source_rows_));
    if (!columns.empty()) stays = {std::move(columns), first};
    return {};
  }

  Status read(const TileKernel& kernel, Chunk& chunk) override {
    return host_->read(kernel, chunk);
  }

  Status take(const TileKernel& kernel, Chunk& chunk) override {
    if (!writer_ && !buckets_) return take_on_host(kernel, chunk);
    const std::uint64_t rows = chunk.memory.input.row_count,
                        count = chunk.words.empty() ? rows : chunk.words[0];
    if (count > rows) return Status(Code::internal, "a kernel kept more rows than there were");
    rows_seen_ += rows;
    if (count == 0) return {};
    if (buckets_) return take_by_buckets(chunk, count);
    if (chunk.buffers.compaction().stays) return take_placed(chunk, count);
    PENSTOCK_ASSIGN(const bool fits,
                    writer_->append(queue_, chunk.buffers.compaction().outputs, count,
                                    expected_rows(writer_->rows().row_count + count)));
    if (fits) return {};
    if (to_.must_fit) return Status(Code::no_memory, "rows do not fit their share of the memory");
    if (!to_.bucket_keys.empty()) {
      PENSTOCK_TRY(begin_buckets());
      return take_by_buckets(chunk, count);
    }
    PENSTOCK_TRY(move_to_host());
    return take_on_host(kernel, chunk);
  }

  Status take_rest(const TileKernel&) override {
    return queue_.finish();  // rows are read by another queue
  }

  std::optional<CollectedRows> rows_that_stay() override {
    if (writer_) return writer_->rows();
    if (buckets_) return buckets_;
    return {};
  }
  Result<Table> finish() override {
    Table table;
    table.row_count = row_count();
    PENSTOCK_ASSIGN(const Table rest, host_->finish());
    table.names = rest.names;
    for (std::size_t i = 0; i < rest.columns.size(); i++)
      table.columns.push_back(
          column::concatenate(rest.columns[i].type, std::vector{before_[i], rest.columns[i]}));
    return table;
  }
  std::uint64_t row_count() const override {
    if (buckets_) return buckets_->row_count();
    return (writer_ ? writer_->rows().row_count : rows_before_) + host_->row_count();
  }

 private:
  // Expects a little more than the share that was kept so far.
  std::uint64_t expected_rows(std::uint64_t kept) const {
    const std::uint64_t all = std::max(source_rows_, rows_seen_);
    const double share = static_cast<double>(kept) / static_cast<double>(rows_seen_);
    return std::min(all, static_cast<std::uint64_t>(share * 1.05 * static_cast<double>(all)));
  }

  // The chunk releases the columns, which may be freed while memory is short.
  Status take_placed(Chunk& chunk, std::uint64_t count) {
    std::optional<StoredRows>& stays = std::get<Compaction>(chunk.buffers.strategy).stays;
    const std::uint64_t first = stays->first_row;
    stays.reset();
    return writer_->add_placed(first, count);
  }

  Status move_to_host() {
    PENSTOCK_TRY(queue_.finish());
    Columns all(program_.outputs.size());
    for (std::uint32_t i = 0; i < all.size(); i++) all[i] = i;
    PENSTOCK_ASSIGN(before_,
                    download_columns(to_.kernels->device(), writer_->rows(), all, strings_.pool()));
    rows_before_ = writer_->rows().row_count;
    writer_.reset();  // memory is short
    return {};
  }

  // From here on each chunk's rows are put in order on the device, and go to the host.
  Status begin_buckets() {
    buckets_ =
        std::make_shared<BucketedRows>(to_.kernels, written_columns(program_), to_.bucket_keys);
    PENSTOCK_TRY(take_by_buckets(writer_->rows()));
    writer_.reset();  // memory is short
    return {};
  }

  Status take_by_buckets(const Chunk& chunk, std::uint64_t count) {
    DeviceRows rows;
    rows.row_count = count;
    std::size_t from = 0;
    const std::vector<BufferPointer>& written = chunk.buffers.compaction().outputs;
    for (const Field& field : buckets_->schema()) {
      DeviceColumn& column =
          rows.columns.emplace_back(DeviceColumn{field.type, written[from++], {}});
      if (field.nullable) column.validity = written[from++];
    }
    return take_by_buckets(rows);
  }

  Status take_by_buckets(const DeviceRows& rows) {
    PENSTOCK_TRY(buckets_->append(queue_, rows));
    bytes_downloaded += rows.row_count * device_bytes_per_row(buckets_->schema());
    return {};
  }

  Status take_on_host(const TileKernel& kernel, Chunk& chunk) {
    PENSTOCK_TRY(host_->take(kernel, chunk));
    bytes_downloaded += host_->bytes_downloaded;
    host_->bytes_downloaded = 0;
    return {};
  }

  const TileProgram& program_;
  const ProgramStrings strings_;
  std::unique_ptr<Collector> host_;
  const RowsOnDevice to_;
  Queue& queue_;
  const std::uint64_t source_rows_;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t rows_placed_ = 0;  // of chunks without a filter, including chunks in flight
  std::optional<DeviceRowsWriter> writer_;  // none when its rows have come to the host
  std::shared_ptr<BucketedRows> buckets_;   // the same, where they have come by buckets
  std::uint64_t rows_before_ = 0;           // the number of rows that came as a table
  std::vector<Column> before_;              // that came to the host when memory was too small
};

}  // namespace

// The pool would have to hold a great many strings, unless the side of a lookup has few rows.
static bool has_codes_of_run(const TileProgram& program, const Node& node,
                             const std::function<bool(int lookup)>& is_small) {
  if (node.type.kind != Kind::string || node.op != Op::column) return true;
  const Field& field = program.source_schema[node.payload];
  const int lookup = program.lookup_of(node.payload);
  return (!field.is_plain && !field.is_encoded) || (lookup >= 0 && is_small(lookup));
}

static bool leave_groups_on_device(const TileProgram& program, const Traits& traits,
                                   const std::function<bool(int lookup)>& is_small) {
  const auto is_missing = [&](const Field& field) {
    return field.type.kind == Kind::float64 && !traits.has_f64;
  };
  if (!GroupResults::may_stay(program) || std::ranges::any_of(program.schema, is_missing))
    return false;
  for (std::uint32_t key = 0; key < program.key_count; key++)
    if (!has_codes_of_run(program, program.graph->at(program.outputs[key].root), is_small))
      return false;
  return true;
}

bool write_rows_on_device(TileProgram& program, const Traits& traits,
                          const std::function<bool(int lookup)>& is_small) {
  if (program.epilogue == Epilogue::group) return leave_groups_on_device(program, traits, is_small);
  if (program.epilogue != Epilogue::compact || program.top_k) return false;
  for (const Output& output : program.outputs) {
    const Node& node = program.graph->at(output.root);
    if (node.type.kind == Kind::float64 && !traits.has_f64) return false;
    if (!has_codes_of_run(program, node, is_small)) return false;
  }
  TileProgram written = program;
  written.rows_stay = true;
  write_late_columns(written, true);
  if (!fits_parameters(written)) return false;
  program = std::move(written);
  return true;
}

std::unique_ptr<Collector> make_device_rows_collector(const TileProgram& program,
                                                      const ProgramStrings& strings,
                                                      const BuildSides* sides,
                                                      const RowsOnDevice& to, Queue& queue,
                                                      std::uint64_t source_rows) {
  return std::make_unique<DeviceRowsCollector>(program, strings, sides, to, queue, source_rows);
}

}  // namespace penstock::plan
