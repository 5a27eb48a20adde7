#include "plan/collector.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "plan/accumulators.hpp"
#include "plan/gather.hpp"

namespace penstock::plan {
namespace {

Bytes pack_bits(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::byte> bits((bytes.size() + 7) / 8);
  for (std::size_t i = 0; i < bytes.size(); i++)
    if (bytes[i]) bits[i / 8] |= std::byte{1} << (i % 8);
  return Bytes::own(std::move(bits));
}

// Kept rows. The count is read first, then exactly that many rows.
class CompactCollector : public Collector {
 public:
  CompactCollector(const TileProgram& program, StringPool& strings) : program_(program), strings_(strings), parts_(program.outputs.size()) {}

  Status read(Queue& queue, const TileKernel& kernel, Chunk& chunk) override {
    chunk.words.assign(1, chunk.memory.input.row_count);
    if (kernel.variant().algorithm == Algorithm::store) return {};
    return queue.download(chunk.words.data(), *chunk.slot.kept_count, 8);
  }

  Status take(Queue& queue, const TileKernel&, Chunk& chunk) override {
    const std::uint64_t count = chunk.words[0];
    if (count > chunk.memory.input.row_count) return Status(Code::internal, "a kernel kept more rows than there were");
    if (count == 0) return {};
    std::vector<std::uint32_t> rows;
    std::vector<Column> columns(program_.outputs.size());
    std::vector<std::vector<std::uint8_t>> bytes, validity(program_.outputs.size());
    PENSTOCK_TRY(download(queue, chunk, count, columns, bytes, validity, rows));
    for (std::size_t i = 0; i < columns.size(); i++) parts_[i].push_back(finish_part(chunk, i, columns[i], bytes[i], validity[i], rows));
    row_count_ += count;
    return {};
  }

  Result<Table> finish() override {
    Table table;
    table.row_count = row_count_;
    for (std::size_t i = 0; i < program_.outputs.size(); i++) {
      table.names.push_back(program_.outputs[i].name);
      table.columns.push_back(concatenate(program_.schema[i].type, parts_[i]));
    }
    return table;
  }
  std::uint64_t row_count() const override { return row_count_; }

 private:
  Status download(Queue& queue, Chunk& chunk, std::uint64_t count, std::vector<Column>& columns, std::vector<std::vector<std::uint8_t>>& bytes,
                  std::vector<std::vector<std::uint8_t>>& validity, std::vector<std::uint32_t>& rows) {
    bytes.resize(columns.size());
    std::size_t buffer = 0;
    for (const OutputParameter& p : output_parameters(program_)) {
      if (p.output < 0) {
        rows.resize(count);
        PENSTOCK_TRY(queue.download(rows.data(), *chunk.slot.outputs[buffer++], count * 4));
        continue;
      }
      const auto i = static_cast<std::size_t>(p.output);
      bytes[i].resize(count * p.width_bytes);
      PENSTOCK_TRY(queue.download(bytes[i].data(), *chunk.slot.outputs[buffer++], bytes[i].size()));
      bytes_downloaded += bytes[i].size();
      if (!p.has_validity) continue;
      validity[i].resize(count);
      PENSTOCK_TRY(queue.download(validity[i].data(), *chunk.slot.outputs[buffer++], count));
      bytes_downloaded += count;
    }
    return queue.finish();
  }

  Column finish_part(const Chunk& chunk, std::size_t i, Column column, std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& validity,
                     const std::vector<std::uint32_t>& rows) {
    if (program_.outputs[i].carried >= 0) return carry(chunk, program_.outputs[i].carried, rows);
    column.type = program_.schema[i].type;
    column.row_count = bytes.size() / width_bytes(column.type);
    if (!validity.empty()) column.validity = pack_bits(validity);
    if (column.type.kind == Kind::boolean) column.values = pack_bits(bytes);
    else if (column.type.kind == Kind::string) return decode(std::move(column), bytes);
    else column.values = Bytes::own(std::move(bytes));
    return column;
  }

  Column carry(const Chunk& chunk, int source_column, const std::vector<std::uint32_t>& rows) const {
    const std::vector<std::uint64_t> wide(rows.begin(), rows.end());
    const auto wanted = static_cast<std::uint32_t>(source_column);
    const auto on_device = std::find(program_.device_columns.begin(), program_.device_columns.end(), wanted);
    std::size_t index = static_cast<std::size_t>(on_device - program_.device_columns.begin());
    if (on_device == program_.device_columns.end()) {
      const auto carried = std::find(program_.carried_columns.begin(), program_.carried_columns.end(), wanted);
      index += static_cast<std::size_t>(carried - program_.carried_columns.begin());
    }
    return gather(chunk.memory.batch.columns[index], wide);
  }

  Column decode(Column codes, const std::vector<std::uint8_t>& bytes) const {
    std::vector<std::optional<std::string>> texts(codes.row_count);
    const auto* words = reinterpret_cast<const std::uint32_t*>(bytes.data());
    for (std::uint64_t row = 0; row < codes.row_count; row++)
      if (codes.is_valid(row)) texts[row] = strings_.text(words[row]);
    return Column::from_strings(texts);
  }

  const TileProgram& program_;
  StringPool& strings_;
  std::vector<std::vector<Column>> parts_;
  std::uint64_t row_count_ = 0;
};

Table one_row(const TileProgram& program, std::span<const Partial> partials) {
  Table table;
  table.row_count = 1;
  for (std::size_t i = 0; i < program.results.size(); i++) {
    const Scalar value = result_of(program, program.results[i], partials);
    table.names.push_back(program.schema[i].name);
    table.columns.push_back(column_of(program.schema[i].type, std::span(&value, 1)));
  }
  return table;
}

// Partial results are added chunk by chunk and group by group: one fixed order.
class ReduceCollector : public Collector {
 public:
  explicit ReduceCollector(const TileProgram& program) : program_(program), partials_(program.accumulators.size()) {
    clear(program, partials_);
  }

  Status read(Queue& queue, const TileKernel&, Chunk& chunk) override {
    chunk.words.resize(std::size_t{chunk.slot.groups} * program_.accumulator_words());
    bytes_downloaded += chunk.words.size() * 8;
    return chunk.words.empty() ? Status() : queue.download(chunk.words.data(), *chunk.slot.partials, chunk.words.size() * 8);
  }
  Status take(Queue&, const TileKernel&, Chunk& chunk) override {
    const std::size_t words = program_.accumulator_words();
    for (std::size_t at = 0; at < chunk.words.size(); at += words)
      if (!merge(program_, partials_, std::span(chunk.words).subspan(at, words))) return sum_too_large();
    return {};
  }
  Result<Table> finish() override { return one_row(program_, partials_); }
  std::uint64_t row_count() const override { return 1; }

 private:
  const TileProgram& program_;
  std::vector<Partial> partials_;
};

class GroupCollector : public Collector {
 public:
  GroupCollector(const TileProgram& program, StringPool& strings) : program_(program), strings_(strings) {}

  Status read(Queue& queue, const TileKernel&, Chunk& chunk) override {
    chunk.words.resize(std::size_t{chunk.slot.groups} * chunk.slot.slots * entry_words());
    chunk.counts.resize(chunk.slot.groups);
    PENSTOCK_TRY(queue.download(chunk.counts.data(), *chunk.slot.used_slots, chunk.counts.size() * 4));
    return queue.download(&chunk.overflowed, *chunk.slot.overflowed, 4);
  }

  // Only the slots in use are read, group by group.
  Status take(Queue& queue, const TileKernel&, Chunk& chunk) override {
    const std::uint64_t stride = std::uint64_t{chunk.slot.slots} * entry_words();
    for (std::size_t group = 0; group < chunk.counts.size(); group++) {
      if (chunk.counts[group] > chunk.slot.slots) return Status(Code::internal, "a kernel used more slots than there are");
      const std::uint64_t bytes = std::uint64_t{chunk.counts[group]} * entry_words() * 8;
      if (bytes == 0) continue;
      PENSTOCK_TRY(queue.download(chunk.words.data() + group * stride, *chunk.slot.results, bytes, group * stride * 8));
      bytes_downloaded += bytes;
    }
    PENSTOCK_TRY(queue.finish());
    for (std::size_t group = 0; group < chunk.counts.size(); group++)
      for (std::uint32_t slot = 0; slot < chunk.counts[group]; slot++)
        if (!add(std::span(chunk.words).subspan(group * stride + slot * entry_words(), entry_words()))) return sum_too_large();
    return {};
  }

  Result<Table> finish() override;
  std::uint64_t row_count() const override { return entries_.size(); }

 private:
  using Key = std::vector<std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (std::uint64_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
      return static_cast<std::size_t>(hash);
    }
  };
  std::size_t key_words() const { return program_.key_words(); }
  bool is_null(const Key& key, std::size_t i) const { return (key[program_.key_count + i / 64] >> (i % 64) & 1) != 0; }
  std::size_t entry_words() const { return key_words() + std::max(1u, program_.accumulator_words()); }

  bool add(std::span<const std::uint64_t> entry) {
    Key key(entry.begin(), entry.begin() + static_cast<std::ptrdiff_t>(key_words()));
    auto [at, inserted] = entries_.try_emplace(std::move(key));
    if (inserted) {
      at->second.resize(program_.accumulators.size());
      clear(program_, at->second);
    }
    return merge(program_, at->second, entry.subspan(key_words()));
  }

  // NULLs last, numbers by value with NaN above all, strings by bytes.
  bool key_less(const Key& a, const Key& b) const {
    for (std::uint32_t i = 0; i < program_.key_count; i++) {
      const bool null_a = is_null(a, i), null_b = is_null(b, i);
      if (null_a != null_b) return null_b;
      if (null_a || a[i] == b[i]) continue;
      const Type type = program_.schema[i].type;
      if (type.kind == Kind::string) return strings_.text(static_cast<std::uint32_t>(a[i])) < strings_.text(static_cast<std::uint32_t>(b[i]));
      const Scalar x = scalar_of_word(type, a[i]), y = scalar_of_word(type, b[i]);
      if (is_float(type)) return x.real < y.real || (std::isnan(y.real) && !std::isnan(x.real));
      return x.integer < y.integer;
    }
    return false;
  }

  const TileProgram& program_;
  StringPool& strings_;
  std::unordered_map<Key, std::vector<Partial>, Hash> entries_;
};

Result<Table> GroupCollector::finish() {
  std::vector<const std::pair<const Key, std::vector<Partial>>*> sorted;
  for (const auto& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) { return key_less(a->first, b->first); });
  Table table;
  table.row_count = sorted.size();
  std::vector<Scalar> values(sorted.size());
  for (std::size_t c = 0; c < program_.schema.size(); c++) {
    const Type type = program_.schema[c].type;
    for (std::size_t row = 0; row < sorted.size(); row++) {
      const auto& [key, partials] = *sorted[row];
      if (c >= program_.key_count) values[row] = result_of(program_, program_.results[c - program_.key_count], partials);
      else if (is_null(key, c)) values[row] = Scalar::null_of(type);
      else if (type.kind == Kind::string) values[row] = Scalar::of(strings_.text(static_cast<std::uint32_t>(key[c])));
      else values[row] = scalar_of_word(type, key[c]);
    }
    table.names.push_back(program_.schema[c].name);
    table.columns.push_back(column_of(type, values));
  }
  return table;
}

}  // namespace

std::unique_ptr<Collector> make_collector(const TileProgram& program, StringPool& strings) {
  switch (program.epilogue) {
    case Epilogue::reduce: return std::make_unique<ReduceCollector>(program);
    case Epilogue::group: return std::make_unique<GroupCollector>(program, strings);
    default: return std::make_unique<CompactCollector>(program, strings);
  }
}

}  // namespace penstock::plan
