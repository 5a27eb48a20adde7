#include "exec/collect/first_of_chunk.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "device/allocate.hpp"
#include "fuse/program/accumulators.hpp"
#include "table/kernels/first_rows_limits.h"
#include "table/kernels/order_limits.h"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {
namespace {

std::uint32_t kind_of_column(Type type) {
  if (is_float(type)) return ORDER_FLOAT;
  return expr::is_sign_extended(type) ? ORDER_SIGNED : ORDER_UNSIGNED;
}

}  // namespace

std::unique_ptr<FirstOfChunk> FirstOfChunk::begin(const MergePlace& place,
                                                  const TileProgram& program) {
  const bool is_there = place.location == MergeLocation::device ||
                        (place.location == MergeLocation::automatic && place.device &&
                         !place.device->traits().shares_host_cores());
  if (!is_there || program.top_k->count == 0 || program.top_k->keys.empty()) return nullptr;
  std::unique_ptr<FirstOfChunk> first(new FirstOfChunk(place, program));
  if (!first->can_order(program.top_k->keys[0])) return nullptr;
  first->rows_ = FirstRows::begin(place.device, place.memory_limit_bytes);
  return first;
}

bool FirstOfChunk::can_order(const SortKey& key) const {
  const Type type = program_.schema[key.column].type;
  return type.kind != Kind::string && width_bytes(type) <= 8 &&
         buffer_of(BufferRole::values, key.column).has_value();
}

std::optional<std::size_t> FirstOfChunk::buffer_of(BufferRole role, std::uint32_t column) const {
  for (std::size_t i = 0; i < buffers_.size(); i++)
    if (buffers_[i].role == role && buffers_[i].index == column) return i;
  return {};
}

Status FirstOfChunk::divide(const std::vector<BufferPointer>& outputs, std::uint64_t count,
                            const SortKey& key) {
  const Type type = program_.schema[key.column].type;
  const Buffer& values = *outputs[*buffer_of(BufferRole::values, key.column)];
  const auto validity = buffer_of(BufferRole::validity, key.column);
  const std::uint32_t order =
      (key.descending ? FIRST_DESCENDING : 0u) | (key.nulls_first ? FIRST_NULLS_FIRST : 0u);
  PENSTOCK_TRY(rows_->launch(
      "first_column_words", count,
      {Argument::of(values), Argument::of(values),
       Argument::of(validity ? *outputs[*validity] : values), Argument::of(rows_->words()),
       Argument::value(count), Argument::value(static_cast<std::uint32_t>(validity.has_value())),
       Argument::value(static_cast<std::uint32_t>(width_bytes(type))),
       Argument::value(kind_of_column(type)), Argument::value(order)}));
  return rows_->divide();
}

// Returns false if that would leave most of the rows.
Result<bool> FirstOfChunk::select(const std::vector<BufferPointer>& outputs, std::uint64_t count) {
  if (!queue_) { PENSTOCK_ASSIGN(queue_, place_.device->queue()); }
  PENSTOCK_ASSIGN(const bool fits, rows_->open(*queue_, count, program_.top_k->count));
  if (!fits) return false;
  for (const SortKey& key : program_.top_k->keys) {
    if (!can_order(key)) break;
    PENSTOCK_TRY(divide(outputs, count, key));
    if (rows_->is_enough()) break;
  }
  return rows_->kept() <= count / 2;
}

// Returns the rows' numbers in the chunk, in their order.
Result<std::vector<std::uint32_t>> FirstOfChunk::selected_rows() {
  PENSTOCK_ASSIGN(const auto kept, rows_->collect(rows_->words(), 0));
  std::vector<std::uint64_t> numbers(kept.first ? kept.second : 0);
  if (numbers.empty()) return std::vector<std::uint32_t>();
  const Status downloaded = queue_->download(numbers.data(), *kept.first, numbers.size() * 8);
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_TRY(downloaded);
  std::sort(numbers.begin(), numbers.end());
  return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
}

Result<bool> FirstOfChunk::gather(std::vector<BufferPointer>& outputs,
                                  const std::vector<std::uint32_t>& rows) {
  const std::uint64_t count = rows.size();
  PENSTOCK_ASSIGN(const auto order, device::try_allocate(*place_.device, count * 4));
  if (!order) return false;
  PENSTOCK_TRY(queue_->upload(*order, rows.data(), count * 4));
  for (std::size_t i = 0; i < buffers_.size(); i++) {
    const std::uint32_t width = buffers_[i].element_bytes();
    auto to = rows_->gather({count, order}, *outputs[i], width);
    if (device::is_short_of_memory(to.status())) return false;
    PENSTOCK_ASSIGN(outputs[i], std::move(to));
  }
  return true;
}

Status FirstOfChunk::narrow(Chunk& chunk) {
  const std::uint64_t count = chunk.words.empty() ? chunk.memory.input.row_count : chunk.words[0];
  const bool are_few = place_.location != MergeLocation::device && count < min_selected_rows;
  if (are_few || count > chunk.memory.input.row_count || program_.top_k->count >= count / 4)
    return {};
  std::vector<BufferPointer>& outputs = std::get<Compaction>(chunk.buffers.strategy).outputs;
  PENSTOCK_ASSIGN(const bool is_selected, select(outputs, count));
  if (!is_selected) return {};
  PENSTOCK_ASSIGN(const std::vector<std::uint32_t> rows, selected_rows());
  if (rows.empty()) return {};
  std::vector<BufferPointer> kept = outputs;
  const Result<bool> gathered = gather(kept, rows);
  PENSTOCK_TRY(queue_->finish());  // the host's rows are read until then
  PENSTOCK_TRY(gathered);
  if (!*gathered) return {};
  outputs_ = std::exchange(outputs, std::move(kept));
  count_ = rows.size();
  chunk.words = std::span(&count_, 1);
  return {};
}

void FirstOfChunk::restore(Chunk& chunk) {
  if (outputs_.empty()) return;
  std::get<Compaction>(chunk.buffers.strategy).outputs = std::move(outputs_);
  outputs_.clear();
}

void FirstOfChunk::add_to(RunReport& report) const { rows_->add_to(report, "first_rows"); }

}  // namespace penstock::plan
