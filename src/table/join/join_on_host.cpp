#include "table/join/join_on_host.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

// Pairs are held before any column is made: 12 bytes each, and twice that while the threads' pairs
// are put together; at most some 6 GB.
constexpr std::uint64_t max_pairs = std::uint64_t{1} << 28;

// A batch's columns stay in a core's second-level cache from the gathering to the kernel, where one
// has few columns.
constexpr std::uint64_t max_batch_rows = std::uint64_t{1} << 17;

// A thread holds its pairs in blocks. One vector for all is copied as it grows, a gigabyte at once.
// When a thread added to the count of all pairs for each row, 16 threads handed one cache line to
// each other: two instructions had four fifths of TPC-H 7's samples.
constexpr std::uint64_t block_pairs = std::uint64_t{1} << 18;

// The pairs that a thread finds. `count` includes those of all threads.
class PairBlocks {
 public:
  explicit PairBlocks(std::atomic<std::uint64_t>& count) : count_(count), blocks_(1) {}

  void add(std::uint64_t left, std::uint32_t right) {
    if (blocks_.back().left.size() == block_pairs) begin_block();
    blocks_.back().left.push_back(left);
    blocks_.back().right.push_back(right);
  }
  bool are_too_many() const { return count_ > max_pairs; }
  std::vector<Pairs> finish() {
    count_ += blocks_.back().left.size();
    return std::move(blocks_);
  }

 private:
  void begin_block() {
    check_cancelled();
    count_ += block_pairs;
    if (are_too_many()) {  // one row may have them all
      blocks_.back().left.clear();
      blocks_.back().right.clear();
      return;
    }
    blocks_.emplace_back();
    blocks_.back().left.reserve(block_pairs);
    blocks_.back().right.reserve(block_pairs);
  }

  std::atomic<std::uint64_t>& count_;
  std::vector<Pairs> blocks_;
};

// Returns whether a left row without a partner is kept. A row with a NULL in its keys (`present` is
// not set) has no partner.
bool keeps_alone(JoinKind kind, const JoinTable& table, bool present) {
  if (kind != JoinKind::not_in) return kind == JoinKind::left || kind == JoinKind::anti;
  return table.table()[header_has_nulls] == 0 && (present || table.table()[header_has_rows] == 0);
}

// Adds the pairs of a left row.
void add_pairs(std::uint64_t row, std::uint32_t found, const JoinTable& table, JoinKind kind,
               bool present, PairBlocks& pairs) {
  if (found == JoinTable::no_row && keeps_alone(kind, table, present))
    pairs.add(row, found);
  else if (found != JoinTable::no_row && kind == JoinKind::semi)
    pairs.add(row, found);
  for (; yields_right_columns(kind) && found != JoinTable::no_row; found = table.next(found))
    pairs.add(row, found);
}

// Finds the pairs of a range of left rows. The threads stop when all of them have too many.
std::vector<Pairs> pairs_of(const KeyWords& keys, std::size_t key_count, const JoinTable& table,
                            JoinKind kind, std::uint64_t first, std::uint64_t last,
                            std::atomic<std::uint64_t>& count) {
  PairBlocks pairs(count);
  for (std::uint64_t row = first; row < last && !pairs.are_too_many(); row++) {
    if (row % rows_between_checks == 0) check_cancelled();
    const auto key = keys.words().subspan(row * key_count, key_count);
    const bool present = keys.present[row] != 0;
    add_pairs(row, present ? table.find(key) : JoinTable::no_row, table, kind, present, pairs);
  }
  return pairs.finish();
}

Pairs joined(const std::vector<Pairs>& parts) {
  std::vector<std::size_t> firsts;
  std::size_t count = 0;
  for (const Pairs& part : parts) {
    firsts.push_back(count);
    count += part.left.size();
  }
  Pairs pairs{LargeVector<std::uint64_t>(count), LargeVector<std::uint32_t>(count)};
  in_parallel(parts.size(), 1, [&](std::uint64_t i, std::uint64_t last) {
    for (; i < last; i++) {
      check_cancelled();
      std::ranges::copy(parts[i].left, pairs.left.data() + firsts[i]);
      std::ranges::copy(parts[i].right, pairs.right.data() + firsts[i]);
    }
  });
  return pairs;
}

// Finds all pairs in threads, and puts them together by their first rows.
Result<Pairs> all_pairs(const KeyWords& keys, std::size_t key_count, const JoinTable& table,
                        JoinKind kind) {
  std::mutex mutex;
  std::map<std::uint64_t, std::vector<Pairs>> parts;
  std::atomic<std::uint64_t> count = 0;
  in_parallel(
      keys.present.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
        std::vector<Pairs> part = pairs_of(keys, key_count, table, kind, first, last, count);
        const std::lock_guard lock(mutex);
        parts[first] = std::move(part);
      });
  if (count > max_pairs)
    return Status(
        Code::capacity,
        "join: more than " + std::to_string(max_pairs) +
            " pairs of rows, as keys repeat on both sides; filter or aggregate one side first");
  std::vector<Pairs> in_order;
  for (auto& [first, blocks] : parts) std::ranges::move(blocks, std::back_inserter(in_order));
  if (in_order.size() == 1) return std::move(in_order[0]);
  return joined(in_order);
}

class JoinedStream final : public BatchStream {
 public:
  JoinedStream(const JoinedRows& rows, std::span<const std::uint32_t> columns,
               std::uint64_t batch_rows)
      : rows_(rows), columns_(columns.begin(), columns.end()), batch_rows_(batch_rows) {}

  Result<std::optional<Table>> next() override {
    const std::uint64_t count = std::min(batch_rows_, *rows_.row_count() - first_);
    if (count == 0) return std::optional<Table>();
    Table batch;
    batch.row_count = count;
    for (const std::uint32_t column : columns_) {
      batch.names.push_back(rows_.schema()[column].name);
      batch.columns.push_back(rows_.gathered(column, first_, count));
    }
    first_ += count;
    return std::optional<Table>(std::move(batch));
  }

 private:
  const JoinedRows& rows_;
  Columns columns_;
  std::uint64_t batch_rows_, first_ = 0;
};

}  // namespace

Result<std::unique_ptr<BatchStream>> JoinedRows::scan(std::span<const std::uint32_t> columns,
                                                      const ScanOptions& options) const {
  const std::uint64_t batch_rows =
      std::clamp<std::uint64_t>(options.batch_rows / 64 * 64, 64, max_batch_rows);
  return std::unique_ptr<BatchStream>(std::make_unique<JoinedStream>(*this, columns, batch_rows));
}

Column JoinedRows::gathered(std::uint32_t column, std::uint64_t first, std::uint64_t count) const {
  if (column < left_columns_)
    return gather(left_.columns[column], std::span(pairs_.left).subspan(first, count));
  return gather_found(right_->rows.columns[column - left_columns_],
                      std::span(pairs_.right).subspan(first, count));
}

Table JoinedRows::table(const Columns& wanted) const {
  const Columns columns = wanted.empty() ? every_column(schema_) : wanted;
  Table joined;
  joined.row_count = pairs_.left.size();
  for (const std::uint32_t column : columns)
    joined.columns.push_back(gathered(column, 0, joined.row_count));
  return spread_columns(schema_, columns, joined);
}

Result<std::shared_ptr<JoinedRows>> join_on_host(const Step& step, Table left,
                                                 std::shared_ptr<const BuildSide> right,
                                                 StringPool& strings) {
  std::vector<Column> key_columns;
  for (const JoinKey& key : step.join_keys) key_columns.push_back(left.columns[key.left]);
  PENSTOCK_ASSIGN(const KeyWords keys, key_words(key_columns, strings));
  PENSTOCK_ASSIGN(Pairs pairs, all_pairs(keys, key_columns.size(), right->table, step.join_kind));
  return std::make_shared<JoinedRows>(step, std::move(left), std::move(right), std::move(pairs));
}

}  // namespace penstock::plan
