#include "table/exchange/collect_rows.hpp"

#include <algorithm>

#include "device/peer_copy.hpp"

namespace penstock::plan {
namespace {

class Collecting {
 public:
  Collecting(std::span<const RowsOfShare> shares, std::size_t to, RunReport& report)
      : shares_(shares),
        to_(to),
        device_(*shares[to].device),
        report_(report),
        copies_(shares.size()) {
    for (const RowsOfShare& share : shares) row_count_ += share.count();
  }

  Result<DeviceRows> run() {
    DeviceRows all;
    all.row_count = row_count_;
    const DeviceRows& layout = rows_with_layout();
    for (std::size_t i = 0; i < layout.columns.size(); i++) {
      const DeviceColumn& like = layout.columns[i];
      DeviceColumn& column = all.columns.emplace_back(DeviceColumn{like.type, {}, {}});
      const auto values = [&](const DeviceRows& rows) { return rows.columns[i].values; };
      const auto validity = [&](const DeviceRows& rows) { return rows.columns[i].validity; };
      if (like.values) { PENSTOCK_ASSIGN(column.values, collect(values, width_bytes(like.type))); }
      if (like.validity) { PENSTOCK_ASSIGN(column.validity, collect(validity, 1)); }
    }
    PENSTOCK_TRY(copy_in_turn(copies_, to_, report_));
    return all;
  }

 private:
  // A share without rows may have no columns either.
  const DeviceRows& rows_with_layout() const {
    const auto with_rows =
        std::ranges::find_if(shares_, [](const RowsOfShare& share) { return share.count() > 0; });
    return with_rows == shares_.end() ? shares_[to_].rows : with_rows->rows;
  }

  template <class BufferOf>
  Result<BufferPointer> collect(const BufferOf& buffer_of, std::uint64_t width) {
    PENSTOCK_ASSIGN(BufferPointer all,
                    device_.allocate(std::max<std::uint64_t>(row_count_ * width, 64)));
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < shares_.size(); i++) {
      const RowsOfShare& from = shares_[i];
      Device& other = i == to_ ? device_ : from.device->underlying();
      const std::uint64_t bytes = from.count() * width;
      if (bytes > 0)
        copies_[i].push_back({{&device_, all.get(), row * width},
                              {&other, buffer_of(from.rows).get(), from.range.begin * width},
                              bytes});
      row += from.count();
    }
    return all;
  }

  const std::span<const RowsOfShare> shares_;
  const std::size_t to_;
  Device& device_;
  RunReport& report_;
  std::uint64_t row_count_ = 0;
  std::vector<std::vector<device::DeviceCopy>> copies_;  // by share
};

}  // namespace

Result<DeviceRows> collect_rows(std::span<const RowsOfShare> shares, std::size_t to,
                                RunReport& report) {
  return Collecting(shares, to, report).run();
}

Status copy_in_turn(std::span<const std::vector<device::DeviceCopy>> by_share, std::size_t to,
                    RunReport& report) {
  std::vector<device::DeviceCopy> copies;
  for (std::size_t i = 0; i < by_share.size(); i++) {
    const std::size_t from = (to + i) % by_share.size();
    for (const device::DeviceCopy& copy : by_share[from]) {
      copies.push_back(copy);
      if (from != to) report.bytes_exchanged += copy.bytes;
    }
  }
  return device::copy_between(copies);
}

}  // namespace penstock::plan
