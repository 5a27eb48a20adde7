// The columns that evaluate_columns() returns.
#pragma once
#include <atomic>
#include <cstring>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "column/column_builders.hpp"
#include "column/concatenate.hpp"
#include "expr/lanes.hpp"

namespace penstock::expr {

// A batch's lanes stay in a core's cache. Bytes of validity belong to one batch.
constexpr std::uint64_t batch_rows = 1024;

// A result column that batches write to, each at its own rows.
class ResultColumn {
 public:
  ResultColumn(Type type, std::uint64_t row_count)
      : type_(type), row_count_(row_count), validity_((row_count + 7) / 8) {
    if (type.kind == Kind::string)
      texts_.resize((row_count + batch_rows - 1) / batch_rows);
    else
      values_.resize(type.kind == Kind::boolean ? validity_.size() : row_count * width_bytes(type));
  }

  // Nothing has been written to the memory of a batch's rows before.
  void write(const Lane& lane, std::uint64_t first) {
    clear_bits(validity_, lane, first);
    bool has_nulls = false;
    for (std::size_t i = 0; i < lane.states.size(); i++)
      if (lane.states[i] == LaneState::present)
        set_bit(validity_, first + i);
      else
        has_nulls = true;
    if (has_nulls) has_nulls_ = true;
    if (type_.kind == Kind::string) return write_texts(lane, first);
    if (type_.kind == Kind::boolean) {
      clear_bits(values_, lane, first);
      for (std::size_t i = 0; i < lane.states.size(); i++)
        if (lane.states[i] == LaneState::present && lane.integers[i] != 0)
          set_bit(values_, first + i);
      return;
    }
    const std::uint32_t width = width_bytes(type_);
    std::byte* to = values_.data() + first * width;
    if (has_nulls) std::memset(to, 0, lane.states.size() * width);
    for (std::size_t i = 0; i < lane.states.size(); i++, to += width) {
      if (lane.states[i] != LaneState::present) continue;
      if (type_.kind == Kind::float32) {
        const auto value = static_cast<float>(lane.reals[i]);
        std::memcpy(to, &value, width);
      } else if (type_.kind == Kind::float64) {
        std::memcpy(to, &lane.reals[i], width);
      } else {
        std::memcpy(to, &lane.integers[i], width);  // little endian, as every machine here is
      }
    }
  }

  Column finish() {
    Column column;
    if (type_.kind == Kind::string) {
      column = column::concatenate(type_, texts_);
      column.type = type_;
      return column;
    }
    column.type = type_;
    column.row_count = row_count_;
    column.values = Bytes::own(std::move(values_));
    if (has_nulls_) column.validity = Bytes::own(std::move(validity_));
    return column;
  }

 private:
  static void clear_bits(LargeVector<std::byte>& bits, const Lane& lane, std::uint64_t first) {
    std::memset(bits.data() + first / 8, 0, (lane.states.size() + 7) / 8);
  }

  static void set_bit(LargeVector<std::byte>& bits, std::uint64_t row) {
    bits[row / 8] |= std::byte{1} << (row % 8);
  }

  void write_texts(const Lane& lane, std::uint64_t first) {
    column::StringBuilder texts(lane.states.size());
    column::BitBuilder validity;
    bool has_nulls = false;
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      const bool is_present = lane.states[i] == LaneState::present;
      has_nulls |= !is_present;
      validity.push(is_present);
      texts.push(is_present ? lane.texts[i] : std::string_view());
    }
    Column column;
    column.type = {Kind::string};
    column.row_count = lane.states.size();
    texts.take(column);
    if (has_nulls) column.validity = validity.take();
    texts_[first / batch_rows] = std::move(column);
  }

  Type type_;
  std::uint64_t row_count_;
  LargeVector<std::byte> values_, validity_;
  std::vector<Column> texts_;  // by batch
  std::atomic<bool> has_nulls_ = false;
};

}  // namespace penstock::expr
