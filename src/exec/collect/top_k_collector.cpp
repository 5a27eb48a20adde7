#include "exec/collect/top_k_collector.hpp"

#include <algorithm>
#include <array>

#include "column/concatenate.hpp"
#include "exec/collect/first_of_chunk.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

class TopKCollector : public Collector {
 public:
  TopKCollector(const TileProgram& program, const ProgramStrings& strings, const BuildSides* sides,
                const MergePlace& place)
      : program_(program),
        strings_(strings),
        sides_(sides),
        of_chunk_(FirstOfChunk::begin(place, program)) {
    begin_again();
    if (program.bound) program.graph->parameters[program.bound->open] = Scalar::of(true);
  }

  Status read(const TileKernel& kernel, Chunk& chunk) override {
    return rows_->read(kernel, chunk);
  }

  Status take(const TileKernel& kernel, Chunk& chunk) override {
    const std::uint64_t before = rows_->row_count();
    if (of_chunk_) PENSTOCK_TRY(of_chunk_->narrow(chunk));
    PENSTOCK_TRY(rows_->take(kernel, chunk));
    if (of_chunk_) of_chunk_->restore(chunk);
    bytes_downloaded = earlier_bytes_ + rows_->bytes_downloaded;
    row_count_ += rows_->row_count() - before;
    if (first_.row_count + rows_->row_count() < 2 * program_.top_k->count) return {};
    return cut();
  }

  void add_to(RunReport& report) const override {
    if (of_chunk_) of_chunk_->add_to(report);
  }

  Result<Table> finish() override {
    PENSTOCK_TRY(cut());
    first_.columns.resize(first_.columns.size() - program_.added_outputs);
    first_.names.resize(first_.columns.size());
    return std::move(first_);
  }
  std::uint64_t row_count() const override { return row_count_; }

 private:
  void begin_again() { rows_ = make_row_collector(program_, strings_, sides_); }

  // Cuts the rows down to the first ones. Rows of this chunk come after the rows of earlier ones,
  // so that equal rows keep their order.
  Status cut() {
    PENSTOCK_ASSIGN(Table rows, rows_->finish());
    drop_late_strings(rows);
    if (first_.row_count > 0) {
      for (std::size_t i = 0; i < rows.columns.size(); i++)
        rows.columns[i] = column::concatenate(rows.columns[i].type,
                                              std::array{first_.columns[i], rows.columns[i]});
      rows.row_count += first_.row_count;
    }
    first_ = gather(rows, order_on_host(rows, program_.top_k->keys, program_.top_k->count));
    earlier_bytes_ = bytes_downloaded;
    begin_again();
    if (first_.row_count > 0 && first_.row_count == program_.top_k->count && program_.bound)
      tighten();
    return {};
  }

  // Drops strings that come after the bound: ordering the strings of every row would take longer
  // than all the rest.
  void drop_late_strings(Table& rows) const {
    if (program_.top_k->keys.empty() ||
        first_.row_count < std::max<std::uint64_t>(program_.top_k->count, 1))
      return;
    const SortKey& key = program_.top_k->keys[0];
    const Column &before = first_.columns[key.column], &column = rows.columns[key.column];
    if (column.type.kind != Kind::string || !before.is_valid(first_.row_count - 1)) return;
    const std::string_view last = before.string(first_.row_count - 1);
    std::vector<std::uint64_t> kept;
    for (std::uint64_t row = 0; row < rows.row_count; row++) {
      const bool valid = column.is_valid(row);
      const int order = valid ? (key.descending ? last.compare(column.string(row))
                                                : column.string(row).compare(last))
                              : 0;
      if (valid ? order < 0 || (order == 0 && program_.top_k->keys.size() > 1) : key.nulls_first)
        kept.push_back(row);
    }
    rows = gather(rows, kept);
  }

  // While the last row's key is NULL, it is no bound for rows that may still come.
  void tighten() {
    const Scalar last =
        scalar_at(first_.columns[program_.top_k->keys[0].column], first_.row_count - 1);
    if (last.is_null) return;
    program_.graph->parameters[program_.bound->limit] = last;
    program_.graph->parameters[program_.bound->open] = Scalar::of(false);
  }

  const TileProgram& program_;
  const ProgramStrings strings_;
  const BuildSides* sides_;
  std::unique_ptr<FirstOfChunk> of_chunk_;  // null if the host selects
  std::unique_ptr<Collector> rows_;         // rows after first_
  Table first_;
  std::uint64_t row_count_ = 0, earlier_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Collector> make_top_k_collector(const TileProgram& program,
                                                const ProgramStrings& strings,
                                                const BuildSides* sides, const MergePlace& place) {
  return std::make_unique<TopKCollector>(program, strings, sides, place);
}

}  // namespace penstock::plan
