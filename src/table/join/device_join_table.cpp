#include "table/join/device_join_table.hpp"

#include <algorithm>
#include <array>

#include "device/allocate.hpp"
#include "expr/words.hpp"
#include "primitive/radix_sort.hpp"
#include "table/join/join_table.hpp"

namespace penstock::plan {
namespace {

std::uint32_t key_kind(Type type) {
  if (is_float(type)) return JOIN_KEY_FLOAT;
  return expr::is_sign_extended(type) ? JOIN_KEY_SIGNED : JOIN_KEY_UNSIGNED;
}

class TableBuilder {
 public:
  TableBuilder(RowKernels& kernels, const DeviceRows& rows, const TableRequest& request)
      : kernels_(kernels),
        device_(kernels.device()),
        rows_(rows),
        keys_(request.keys),
        request_(request) {}

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
    if (request_.wants_pairs && (made_.repeated_rows > 0 || request_.part))
      PENSTOCK_TRY(order_rows());
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(made_.device_seconds, done->seconds_since(*begun));
    made_.launches = kernels_.launches() - launches_before;
    return std::optional<DeviceJoinTable>(std::move(made_));
  }

 private:
  std::uint64_t bytes_left() const {
    return request_.limit_bytes - std::min(made_.bytes, request_.limit_bytes);
  }
  Result<BufferPointer> take(std::uint64_t bytes) {
    if (bytes > bytes_left()) return BufferPointer();
    made_.bytes += bytes;
    return device::try_allocate(device_, bytes);
  }

  Result<bool> write_words() {
    PENSTOCK_ASSIGN(keys_there_.words, take(device_key_bytes(rows_.row_count, keys_.size())));
    if (!keys_there_.words) return false;
    PENSTOCK_ASSIGN(keys_there_.present, take(rows_.row_count));
    if (!keys_there_.present) return false;
    PENSTOCK_TRY(write_key_words(kernels_, *queue_, rows_, keys_, keys_there_, 0, rows_.row_count));
    return true;
  }

  // One key of a narrow range gives each key a position of its own, if these fit. A key of a wide
  // range is tried in the order of its values.
  Status choose_header() {
    header_ = hashed_header(rows_.row_count);
    if (keys_.size() != 1) return {};
    PENSTOCK_ASSIGN(const auto range, key_range());
    const std::uint64_t order_bytes = request_.wants_pairs ? order_bytes_per_row : 0;
    const bool is_exact = is_exact_range(range.first, range.second, rows_.row_count);
    const JoinHeaderWords header = is_exact
                                       ? exact_header(range.first, range.second)
                                       : ordered_header(range.first, range.second, rows_.row_count);
    if (position_bytes(header) + order_bytes * rows_.row_count > bytes_left()) return {};
    header_ = header;
    is_ordered_ = !is_exact;
    return {};
  }
  static std::uint64_t position_bytes(const JoinHeaderWords& header) {
    return (header[header_last_position] + 1) * 4;
  }

  Result<std::pair<std::uint64_t, std::uint64_t>> key_range() {
    std::pair<std::uint64_t, std::uint64_t> range{~std::uint64_t{0}, 0};
    if (rows_.row_count > 0) {
      const std::uint32_t groups = kernels_.groups_for(rows_.row_count);
      PENSTOCK_ASSIGN(const auto ranges, device_.allocate(std::uint64_t{groups} * 16));
      std::vector<Argument> arguments =
          arguments_of({keys_there_.words.get(), keys_there_.present.get(), ranges.get()});
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

  // Keys that turn out to be uneven are hashed.
  Result<bool> insert() {
    PENSTOCK_ASSIGN(totals_, device_.allocate(64));
    PENSTOCK_ASSIGN(bool has_positions, claim_positions());
    if (has_positions && is_uneven()) {
      made_.bytes -= position_bytes(header_);
      header_ = hashed_header(rows_.row_count);
      is_ordered_ = false;
      PENSTOCK_ASSIGN(has_positions, claim_positions());
    }
    return has_positions;
  }

  // With more than 2^32 steps the total wraps to a smaller number: then the table stays as it is.
  bool is_uneven() const {
    return is_ordered_ && (totals_found_[JOIN_TOTAL_UNEVEN] != 0 ||
                           totals_found_[JOIN_TOTAL_STEPS] > JOIN_MEAN_STEPS * rows_.row_count);
  }

  Result<bool> claim_positions() {
    const std::uint64_t bytes = position_bytes(header_);
    made_.positions.reset();
    PENSTOCK_ASSIGN(made_.positions, take(bytes));
    if (!made_.positions) return false;
    PENSTOCK_TRY(queue_->upload(*keys_there_.words, header_.data(), sizeof header_));
    PENSTOCK_TRY(queue_->fill(*made_.positions, 0, bytes));
    PENSTOCK_TRY(queue_->fill(*totals_, 0, 64));
    if (rows_.row_count > 0) PENSTOCK_TRY(enqueue_claims());
    PENSTOCK_TRY(queue_->download(totals_found_.data(), *totals_, sizeof totals_found_));
    PENSTOCK_TRY(queue_->finish());
    return true;
  }

  Status enqueue_claims() {
    std::vector<Argument> arguments = arguments_of(
        {keys_there_.words.get(), keys_there_.present.get(), made_.positions.get(), totals_.get()});
    arguments.push_back(Argument::value(rows_.row_count));
    arguments.push_back(Argument::value(static_cast<std::uint32_t>(keys_.size())));
    arguments.push_back(Argument::value(is_ordered_ ? JOIN_MAX_STEPS : JOIN_ANY_STEPS));
    PENSTOCK_TRY(kernels_.launch(*queue_, "join_insert", rows_.row_count, arguments));
    const std::uint64_t blocks = (header_[header_last_position] + 1) / JOIN_RUN_BLOCK;
    if (!is_ordered_ || blocks == 0) return {};
    arguments = arguments_of({made_.positions.get(), totals_.get()});
    arguments.push_back(Argument::value(blocks));
    return kernels_.launch(*queue_, "join_runs", blocks, arguments);
  }

  // Lookups in an exact table read its header alone.
  Status finish_table() {
    made_.repeated_rows = totals_found_[JOIN_TOTAL_REPEATED];
    header_[header_has_rows] = rows_.row_count > 0;
    header_[header_has_nulls] = totals_found_[JOIN_TOTAL_NULLS];
    if (const auto& part = request_.part) {
      header_[header_has_rows] = part->has_rows;
      header_[header_has_nulls] = part->has_nulls;
      header_[header_buckets] = bucket_word(part->buckets);
    }
    made_.table = keys_there_.words;
    if (header_[header_is_exact] != 0) { PENSTOCK_ASSIGN(made_.table, device_.allocate(64)); }
    return queue_->upload(*made_.table, header_.data(), sizeof header_);
  }

  // Sorts rows by the one that has their key's position. Rows with a NULL key come last.
  Status order_rows() {
    const std::uint64_t rows = rows_.row_count;
    if (rows > primitive::max_sort_keys) return {};
    primitive::SortData data, spare;
    for (BufferPointer* const buffer :
         {&data.keys, &data.values, &spare.keys, &spare.values, &made_.first, &made_.ends}) {
      PENSTOCK_ASSIGN(*buffer, take(rows * 4));
      if (!*buffer) return {};
    }
    if (rows == 0) {
      made_.order = std::move(data.values);
      return {};
    }
    PENSTOCK_ASSIGN(const auto sort, primitive::RadixSort::build(kernels_.shared_device(), {4, 4}));
    std::vector<Argument> arguments =
        arguments_of({keys_there_.words.get(), made_.positions.get(), keys_there_.present.get(),
                      data.keys.get(), data.values.get()});
    arguments.push_back(Argument::value(rows));
    arguments.push_back(Argument::value(static_cast<std::uint32_t>(keys_.size())));
    PENSTOCK_TRY(kernels_.launch(*queue_, "join_holders", rows, arguments));
    PENSTOCK_TRY(sort->enqueue(*queue_, data, spare, rows));
    arguments = arguments_of({data.keys.get(), made_.first.get(), made_.ends.get()});
    arguments.push_back(Argument::value(rows));
    PENSTOCK_TRY(kernels_.launch(*queue_, "join_bounds", rows, arguments));
    PENSTOCK_TRY(queue_->finish());  // the sort has memory of its own
    made_.order = std::move(data.values);
    return {};
  }

  RowKernels& kernels_;
  Device& device_;
  const DeviceRows& rows_;
  const Columns& keys_;
  const TableRequest& request_;
  JoinHeaderWords header_{};
  bool is_ordered_ = false;  // in the order of its single key
  DeviceKeys keys_there_;
  BufferPointer totals_;
  std::array<std::uint32_t, JOIN_TOTAL_WORDS> totals_found_{};
  DeviceJoinTable made_;
  std::unique_ptr<Queue> queue_;  // the last: its end waits for work on the memory above
};

}  // namespace

Result<std::optional<DeviceJoinTable>> build_join_table(RowKernels& kernels, const DeviceRows& rows,
                                                        const TableRequest& request) {
  return TableBuilder(kernels, rows, request).build();
}

Status write_key_words(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                       const Columns& keys, const DeviceKeys& to, std::uint64_t first,
                       std::uint64_t count) {
  for (std::size_t key = 0; key < keys.size() && count > 0; key++) {
    const DeviceColumn& column = rows.columns[keys[key]];
    std::vector<Argument> arguments = arguments_of(
        {column.values.get(), column.validity ? column.validity.get() : to.present.get(),
         to.words.get(), to.present.get()});
    arguments.push_back(Argument::value(first));
    arguments.push_back(Argument::value(count));
    for (const std::uint32_t value :
         {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(keys.size()),
          key_kind(column.type), static_cast<std::uint32_t>(column.validity != nullptr)})
      arguments.push_back(Argument::value(value));
    PENSTOCK_TRY(kernels.launch(queue, "join_words_" + std::to_string(width_bytes(column.type)),
                                count, arguments));
  }
  return {};
}

}  // namespace penstock::plan
