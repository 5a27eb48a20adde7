#include "plan/join/device_join_table.hpp"

#include <algorithm>

#include "plan/fusion/accumulators.hpp"
#include "plan/join/join_table.hpp"

namespace penstock::plan {
namespace {

std::uint32_t key_kind(Type type) {
  if (is_float(type)) return JOIN_KEY_FLOAT;
  return is_sign_extended(type) ? JOIN_KEY_SIGNED : JOIN_KEY_UNSIGNED;
}

class TableBuilder {
 public:
  TableBuilder(JoinKernels& kernels, const DeviceRows& rows, const Columns& keys,
               std::uint64_t limit_bytes)
      : kernels_(kernels),
        device_(kernels.device()),
        rows_(rows),
        keys_(keys),
        limit_bytes_(limit_bytes) {}

  Result<std::optional<DeviceJoinTable>> build() {
    if (rows_.row_count >= JoinTable::no_row)
      return Status(Code::capacity, "the right side of a join has 2^32 rows or more");
    PENSTOCK_TRY(kernels_.wait());
    const std::uint64_t launches_before = kernels_.launches();
    PENSTOCK_ASSIGN(queue_, device_.queue());
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_ASSIGN(const bool has_words, write_words());
    if (!has_words) return std::optional<DeviceJoinTable>();
    PENSTOCK_TRY(choose_header());
    PENSTOCK_ASSIGN(const bool has_positions, insert());
    if (!has_positions) return std::optional<DeviceJoinTable>();
    PENSTOCK_TRY(finish_table());
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(made_.device_seconds, done->seconds_since(*begun));
    made_.launches = kernels_.launches() - launches_before;
    return std::optional<DeviceJoinTable>(std::move(made_));
  }

 private:
  Result<BufferPointer> take(std::uint64_t bytes) {
    if (bytes > limit_bytes_ - std::min(made_.bytes, limit_bytes_)) return BufferPointer();
    made_.bytes += bytes;
    return allocate_if_fits(device_, bytes);
  }

  Result<bool> write_words() {
    PENSTOCK_ASSIGN(words_, take((header_words + rows_.row_count * keys_.size()) * 8));
    if (!words_) return false;
    PENSTOCK_ASSIGN(present_, take(rows_.row_count));
    if (!present_) return false;
    for (std::size_t key = 0; key < keys_.size(); key++) {
      const DeviceColumn& column = rows_.columns[keys_[key]];
      if (rows_.row_count == 0) continue;
      std::vector<Argument> arguments = arguments_of(
          {column.values.get(), column.validity ? column.validity.get() : present_.get(),
           words_.get(), present_.get()});
      arguments.push_back(Argument::value(rows_.row_count));
      for (const std::uint32_t value :
           {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(keys_.size()),
            key_kind(column.type), static_cast<std::uint32_t>(column.validity != nullptr)})
        arguments.push_back(Argument::value(value));
      PENSTOCK_TRY(kernels_.launch(*queue_,
                                   "join_words_" + std::to_string(width_bytes(column.type)),
                                   rows_.row_count, arguments));
    }
    return true;
  }

  // One key of a narrow range gives each key a position of its own.
  Status choose_header() {
    header_ = hashed_header(rows_.row_count);
    if (keys_.size() == 1) {
      PENSTOCK_ASSIGN(const auto range, key_range());
      if (is_exact_range(range.first, range.second, rows_.row_count))
        header_ = exact_header(range.first, range.second);
    }
    return queue_->upload(*words_, header_.data(), sizeof header_);
  }

  Result<std::pair<std::uint64_t, std::uint64_t>> key_range() {
    std::pair<std::uint64_t, std::uint64_t> range{~std::uint64_t{0}, 0};
    if (rows_.row_count > 0) {
      const std::uint32_t groups = kernels_.groups_for(rows_.row_count);
      PENSTOCK_ASSIGN(const auto ranges, device_.allocate(std::uint64_t{groups} * 16));
      std::vector<Argument> arguments = arguments_of({words_.get(), present_.get(), ranges.get()});
      arguments.push_back(Argument::value(rows_.row_count));
      PENSTOCK_TRY(kernels_.launch(*queue_, "join_range", rows_.row_count, arguments));
      std::vector<std::uint64_t> found(std::size_t{groups} * 2);
      PENSTOCK_TRY(queue_->download(found.data(), *ranges, found.size() * 8));
      PENSTOCK_TRY(queue_->finish());
      for (std::size_t i = 0; i < found.size(); i += 2) {
        range.first = std::min(range.first, found[i]);
        range.second = std::max(range.second, found[i + 1]);
      }
    }
    if (range.first > range.second) range = {0, 0};
    return range;
  }

  Result<bool> insert() {
    const std::uint64_t bytes = (header_[header_last_position] + 1) * 4;
    PENSTOCK_ASSIGN(made_.positions, take(bytes));
    if (!made_.positions) return false;
    PENSTOCK_ASSIGN(totals_, device_.allocate(64));
    PENSTOCK_TRY(queue_->fill(*made_.positions, 0, bytes));
    PENSTOCK_TRY(queue_->fill(*totals_, 0, 64));
    if (rows_.row_count == 0) return true;
    std::vector<Argument> arguments =
        arguments_of({words_.get(), present_.get(), made_.positions.get(), totals_.get()});
    arguments.push_back(Argument::value(rows_.row_count));
    arguments.push_back(Argument::value(static_cast<std::uint32_t>(keys_.size())));
    PENSTOCK_TRY(kernels_.launch(*queue_, "join_insert", rows_.row_count, arguments));
    return true;
  }

  // Lookups in an exact table read its header alone.
  Status finish_table() {
    std::array<std::uint32_t, JOIN_TOTAL_WORDS> totals{};
    PENSTOCK_TRY(queue_->download(totals.data(), *totals_, sizeof totals));
    PENSTOCK_TRY(queue_->finish());
    made_.repeated_rows = totals[JOIN_TOTAL_REPEATED];
    header_[header_has_rows] = rows_.row_count > 0;
    header_[header_has_nulls] = totals[JOIN_TOTAL_NULLS];
    made_.table = words_;
    if (header_[header_is_exact] != 0) { PENSTOCK_ASSIGN(made_.table, device_.allocate(64)); }
    return queue_->upload(*made_.table, header_.data(), sizeof header_);
  }

  JoinKernels& kernels_;
  Device& device_;
  const DeviceRows& rows_;
  const Columns& keys_;
  const std::uint64_t limit_bytes_;
  JoinHeaderWords header_{};
  BufferPointer words_, present_, totals_;
  DeviceJoinTable made_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what reads the memory
};

}  // namespace

Result<std::optional<DeviceJoinTable>> build_join_table(JoinKernels& kernels,
                                                        const DeviceRows& rows, const Columns& keys,
                                                        std::uint64_t limit_bytes) {
  return TableBuilder(kernels, rows, keys, limit_bytes).build();
}

}  // namespace penstock::plan
