#include "column/rebatch.hpp"

#include <algorithm>
#include <cstring>

#include "column/bits.hpp"

namespace penstock::column {
namespace {

std::uint64_t rows_of(std::span<const Column> columns) {
  std::uint64_t rows = 0;
  for (const Column& column : columns) rows += column.row_count;
  return rows;
}

// Bits of all columns; `bits_of` gives a column's, empty meaning all ones.
Bytes join_bits(std::span<const Column> columns, std::uint64_t rows, auto bits_of) {
  std::vector<std::byte> joined(bytes_of_bits(rows));
  std::uint64_t at = 0;
  for (const Column& column : columns) {
    const Bytes& bits = bits_of(column);
    const unsigned shift = at % 8;
    for (std::uint64_t i = 0; i < column.row_count; i += 8) {
      const std::uint64_t left = column.row_count - i;
      unsigned value = bits.empty() ? 0xffu : static_cast<unsigned>(bits.data[i / 8]);
      if (left < 8) value &= (1u << left) - 1;
      std::byte* to = &joined[(at + i) / 8];
      *to |= static_cast<std::byte>(value << shift);
      if (shift + std::min<std::uint64_t>(left, 8) > 8) to[1] |= static_cast<std::byte>(value >> (8 - shift));
    }
    at += column.row_count;
  }
  return Bytes::own(std::move(joined));
}

Bytes join_values(std::span<const Column> columns, std::uint64_t rows, std::uint64_t width) {
  std::vector<std::byte> joined(rows * width);
  std::byte* to = joined.data();
  for (const Column& column : columns) {
    if (column.row_count > 0) std::memcpy(to, column.values.data, column.row_count * width);
    to += column.row_count * width;
  }
  return Bytes::own(std::move(joined));
}

// Where a dictionary stays the same, codes are joined; otherwise texts are.
bool share_dictionary(std::span<const Column> columns) {
  return std::ranges::all_of(columns, [&](const Column& c) { return c.dictionary && c.dictionary == columns[0].dictionary; });
}

void join_texts(std::span<const Column> columns, std::uint64_t rows, Column& to) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(rows + 1);
  offsets.push_back(0);
  std::vector<char> bytes;
  for (const Column& column : columns) {
    for (std::uint64_t row = 0; row < column.row_count; row++) {
      if (column.is_valid(row)) {
        const std::string_view text = column.string(row);
        bytes.insert(bytes.end(), text.begin(), text.end());
      }
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }
  to.offset_bytes = 8;
  to.offsets = Bytes::own(std::move(offsets));
  to.values = Bytes::own(std::move(bytes));
}

class Rebatched final : public BatchStream {
 public:
  Rebatched(NextTable next, std::uint64_t batch_rows) : next_(std::move(next)), batch_rows_(std::max<std::uint64_t>(batch_rows / 64 * 64, 64)) {}

  Result<std::optional<Table>> next() override {
    while (!ended_ && rows_ < batch_rows_) {
      PENSTOCK_ASSIGN(auto table, next_());
      if (!table) { ended_ = true; break; }
      rows_ += table->row_count;
      if (table->row_count > 0) tables_.push_back(std::move(*table));
    }
    if (rows_ == 0) return std::optional<Table>();
    return std::optional<Table>(take(std::min(rows_, batch_rows_)));
  }

 private:
  Table take(std::uint64_t rows) {
    rows_ -= rows;
    std::vector<Table> parts;
    while (rows > 0) {
      Table& front = tables_.front();
      const std::uint64_t count = std::min(rows, front.row_count - taken_);
      Table part;
      part.names = front.names;
      part.row_count = count;
      for (const Column& column : front.columns) part.columns.push_back(column.slice(taken_, count));
      parts.push_back(std::move(part));
      rows -= count;
      taken_ += count;
      if (taken_ == front.row_count) {
        tables_.pop_front();
        taken_ = 0;
      }
    }
    return parts.size() == 1 ? std::move(parts.front()) : joined(parts);
  }

  static Table joined(const std::vector<Table>& parts) {
    Table table;
    table.names = parts[0].names;
    for (const Table& part : parts) table.row_count += part.row_count;
    for (std::size_t i = 0; i < parts[0].columns.size(); i++) {
      std::vector<Column> columns;
      for (const Table& part : parts) columns.push_back(part.columns[i]);
      table.columns.push_back(concatenate(columns));
    }
    return table;
  }

  NextTable next_;
  const std::uint64_t batch_rows_;
  std::deque<Table> tables_;
  std::uint64_t rows_ = 0, taken_ = 0;     // rows not handed out; rows of the first table that are
  bool ended_ = false;
};

}  // namespace

Column concatenate(std::span<const Column> columns) {
  Column joined;
  joined.type = columns[0].type;
  joined.row_count = rows_of(columns);
  if (std::ranges::any_of(columns, [](const Column& c) { return !c.validity.empty(); }))
    joined.validity = join_bits(columns, joined.row_count, [](const Column& c) -> const Bytes& { return c.validity; });
  if (joined.type.kind == Kind::boolean) {
    joined.values = join_bits(columns, joined.row_count, [](const Column& c) -> const Bytes& { return c.values; });
  } else if (joined.type.kind == Kind::string && !share_dictionary(columns)) {
    join_texts(columns, joined.row_count, joined);
  } else {
    joined.values = join_values(columns, joined.row_count, width_bytes(joined.type));
    joined.dictionary = columns[0].dictionary;
  }
  return joined;
}

std::unique_ptr<BatchStream> rebatch(NextTable next, std::uint64_t batch_rows) {
  return std::make_unique<Rebatched>(std::move(next), batch_rows);
}

}  // namespace penstock::column
