#include "codec/fsst/device/device_error.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/exception_boundary.hpp"
#include "codec/fsst/format/code_reader.hpp"
#include "codec/fsst/format/strings_layout.hpp"

namespace penstock::fsst {
namespace {

// A device buffer's bytes, downloaded in parts on demand.
class DownloadedBuffer {
 public:
  DownloadedBuffer(Queue& queue, const Buffer& buffer, std::uint64_t byte_count)
      : queue_(queue), buffer_(buffer), byte_count_(byte_count) {}

  // Returns the available bytes of [at, end): at least 16 if the range has as many.
  Result<std::span<const std::uint8_t>> range(std::uint64_t at, std::uint64_t end) {
    if (at < from_ || std::min(end, at + 16) > from_ + bytes_.size()) PENSTOCK_TRY(download(at));
    return std::span<const std::uint8_t>(bytes_).subspan(at - from_,
                                                         std::min(end, from_ + bytes_.size()) - at);
  }
  template <class T> Result<T> value(std::uint64_t index) {
    PENSTOCK_ASSIGN(const auto bytes, range(index * sizeof(T), (index + 1) * sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

 private:
  Status download(std::uint64_t at) {
    constexpr std::uint64_t max_bytes = 1 << 18;
    from_ = at;
    bytes_.resize(std::min(max_bytes, byte_count_ - at));
    const Status enqueued = queue_.download(bytes_.data(), buffer_, bytes_.size(), at);
    PENSTOCK_TRY(queue_.finish());  // also after an error: an enqueued download writes bytes_
    return enqueued;
  }

  Queue& queue_;
  const Buffer& buffer_;
  std::uint64_t byte_count_, from_ = 0;
  std::vector<std::uint8_t> bytes_;
};

class DownloadedColumn {
 public:
  DownloadedColumn(Queue& queue, const DeviceStrings& strings)
      : strings_(strings),
        offsets_(queue, *strings.offsets, (strings.row_count + 1) * strings.offset_bytes),
        codes_(queue, *strings.codes, strings.code_bytes) {}

  // Returns the decoded size of a row.
  Result<std::uint64_t> measure_row(const CodeTable& table, std::uint64_t row) {
    PENSTOCK_ASSIGN(const std::uint64_t begin, offset(row));
    PENSTOCK_ASSIGN(const std::uint64_t end, offset(row + 1));
    PENSTOCK_TRY(check_row_offsets(row, begin, end, strings_.code_bytes));
    std::uint64_t string_bytes = 0;
    for (std::uint64_t at = begin; at < end;) {
      PENSTOCK_ASSIGN(const auto part, codes_.range(at, end));
      const Measured measured = measure(table, part.data(), part.data() + part.size());
      string_bytes += measured.string_bytes;
      at += measured.error == nullptr ? part.size()
                                      : static_cast<std::uint64_t>(measured.error - part.data());
      if (measured.error == nullptr) continue;
      const bool is_split = measured.special == Special::ends_early &&
                            at + 1 < end;  // its literal is in the next part
      if (!is_split) return bad_code(measured.special, *measured.error, row, at - begin);
    }
    return string_bytes;
  }

 private:
  Result<std::uint64_t> offset(std::uint64_t row) {
    if (strings_.offset_bytes == 8) return offsets_.value<std::uint64_t>(row);
    PENSTOCK_ASSIGN(const std::uint32_t value, offsets_.value<std::uint32_t>(row));
    return std::uint64_t{value};
  }

  const DeviceStrings& strings_;
  DownloadedBuffer offsets_, codes_;
};

// Checks given offsets against decoded sizes, row by row.
class GivenOffsetCheck {
 public:
  GivenOffsetCheck(Queue& queue, const DeviceStrings& strings, const Buffer* offsets) {
    if (offsets != nullptr) offsets_.emplace(queue, *offsets, (strings.row_count + 1) * 8);
  }
  Status check(std::uint64_t row, std::uint64_t string_bytes) {
    if (!offsets_) return {};
    PENSTOCK_ASSIGN(const std::uint64_t begin, offsets_->value<std::uint64_t>(row));
    PENSTOCK_ASSIGN(const std::uint64_t end, offsets_->value<std::uint64_t>(row + 1));
    const std::string its_string = "row " + std::to_string(row) + ": its string ";
    if (begin != at_)
      return corrupt(its_string + "begins at byte " + std::to_string(at_) + ", its offset is " +
                     std::to_string(begin));
    at_ += string_bytes;
    if (end != at_)
      return corrupt(its_string + "ends at byte " + std::to_string(at_) + ", its offset is " +
                     std::to_string(end));
    return {};
  }

 private:
  static Status corrupt(std::string what) { return {Code::corrupt, std::move(what)}; }
  std::optional<DownloadedBuffer> offsets_;
  std::uint64_t at_ = 0;
};

std::size_t group_of(const std::vector<RowGroup>& groups, std::uint64_t row) {
  const auto next = std::ranges::upper_bound(groups, row, {}, &RowGroup::first_row);
  return static_cast<std::size_t>(next - groups.begin()) - 1;
}

Status check_row(Queue& queue, const DeviceStrings& strings, std::uint64_t row) {
  if (row >= strings.row_count || !strings.row_groups) return {};
  const CodeTable table(*(*strings.row_groups)[group_of(*strings.row_groups, row)].table);
  return DownloadedColumn(queue, strings).measure_row(table, row).status();
}

Status check_groups(Queue& queue, const DeviceStrings& strings, const Buffer* string_offsets) {
  DownloadedColumn column(queue, strings);
  GivenOffsetCheck given_offsets(queue, strings, string_offsets);
  const std::vector<RowGroup>& groups = *strings.row_groups;
  for (std::size_t group = 0; group < groups.size(); group++) {
    const bool is_last = group + 1 == groups.size();
    const CodeTable table(*groups[group].table);
    std::uint64_t string_bytes_total = 0;
    for (std::uint64_t row = groups[group].first_row;
         row < (is_last ? strings.row_count : groups[group + 1].first_row); row++) {
      PENSTOCK_ASSIGN(const std::uint64_t string_bytes, column.measure_row(table, row));
      PENSTOCK_TRY(given_offsets.check(row, string_bytes));
      string_bytes_total += string_bytes;
    }
    const std::uint64_t end_string_byte =
        is_last ? strings.string_bytes : groups[group + 1].first_string_byte;
    PENSTOCK_TRY(check_string_bytes(group, string_bytes_total,
                                    end_string_byte - groups[group].first_string_byte));
  }
  return {};
}

}  // namespace

Status check_bad_row(Queue& queue, DeviceStrings& strings, std::uint32_t word) {
  if (word == 0) {
    strings = {};
    return {};
  }
  const std::uint64_t row = ~word;
  PENSTOCK_TRY(catch_exceptions([&] { return check_row(queue, strings, row); }));
  PENSTOCK_TRY(check_column(queue, strings,
                            nullptr));  // a row torn by an earlier error may only look corrupt
  return {Code::corrupt, "row " + std::to_string(row) + ": its codes are corrupt"};
}

Status check_column(Queue& queue, const DeviceStrings& strings, const Buffer* string_offsets) {
  if (!strings.row_groups) return {};
  return catch_exceptions([&] { return check_groups(queue, strings, string_offsets); });
}

}  // namespace penstock::fsst
