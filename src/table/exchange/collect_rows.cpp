#include "table/exchange/collect_rows.hpp"

#include <algorithm>

#include "device/peer_copy.hpp"

namespace penstock::plan {
namespace {

std::uint64_t count_of(const RowsOfShare& share) { return share.range.end - share.range.begin; }

class Collecting {
 public:
  Collecting(std::span<const RowsOfShare> shares, std::size_t to, RunReport& report)
      : shares_(shares),
        to_(to),
        device_(*shares[to].device),
        report_(report),
        copies_(shares.size()) {
    for (const RowsOfShare& share : shares) row_count_ += count_of(share);
  }

  Result<DeviceRows> run() {
    DeviceRows all;
    all.row_count = row_count_;
    const DeviceRows& layout = *layout_of().rows;
    for (std::size_t i = 0; i < layout.columns.size(); i++) {
      const DeviceColumn& like = layout.columns[i];
      DeviceColumn& column = all.columns.emplace_back(DeviceColumn{like.type, {}, {}});
      const auto values = [&](const DeviceRows& rows) { return rows.columns[i].values; };
      const auto validity = [&](const DeviceRows& rows) { return rows.columns[i].validity; };
      if (like.values) { PENSTOCK_ASSIGN(column.values, collect(values, width_bytes(like.type))); }
      if (like.validity) { PENSTOCK_ASSIGN(column.validity, collect(validity, 1)); }
    }
    PENSTOCK_TRY(copy());
    return all;
  }

 private:
  // A share without rows may have no columns either.
  const RowsOfShare& layout_of() const {
    const auto with_rows =
        std::ranges::find_if(shares_, [](const RowsOfShare& share) { return count_of(share) > 0; });
    return with_rows == shares_.end() ? shares_[to_] : *with_rows;
  }

  template <class BufferOf>
  Result<BufferPointer> collect(const BufferOf& buffer_of, std::uint64_t width) {
    PENSTOCK_ASSIGN(BufferPointer all,
                    device_.allocate(std::max<std::uint64_t>(row_count_ * width, 64)));
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < shares_.size(); i++) {
      const RowsOfShare& from = shares_[i];
      Device& other = i == to_ ? device_ : from.device->underlying();
      const std::uint64_t bytes = count_of(from) * width;
      if (bytes > 0)
        copies_[i].push_back({{&device_, all.get(), row * width},
                              {&other, buffer_of(*from.rows).get(), from.range.begin * width},
                              bytes});
      row += count_of(from);
      if (i != to_) report_.bytes_exchanged += bytes;
    }
    return all;
  }
  // Each device begins with its own rows, then takes the next device's. If the driver copies, all
  // devices would otherwise read the memory of one at a time.
  Status copy() const {
    std::vector<device::DeviceCopy> copies;
    for (std::size_t i = 0; i < shares_.size(); i++) {
      const auto& of_share = copies_[(to_ + i) % shares_.size()];
      copies.insert(copies.end(), of_share.begin(), of_share.end());
    }
    return device::copy_between(copies);
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

}  // namespace penstock::plan
