// Rows that several devices have sorted by ranges, downloaded to one table of the host: each device
// writes its range to where it belongs, so that nothing is appended.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "table/exchange/meeting.hpp"
#include "table/rows/host_columns.hpp"

namespace penstock::plan {

class JointRows {
 public:
  explicit JointRows(Shares shares) : meeting_(shares), ranges_(shares.count) {}

  // Waits for the other shares. `range`: the share's rows, which come after the rows of earlier
  // shares; null if they are on the host. Returns the columns of all ranges to the first share, and
  // columns without rows to the other shares. Returns nothing to all of them if one share has left
  // or has no rows in device memory, if columns are strings (codes differ), or if the host's memory
  // is short.
  Result<std::optional<std::vector<Column>>> download(std::size_t share, Device& device,
                                                      const DeviceRows* range,
                                                      const Columns& columns);
  void leave(std::size_t share) { meeting_.leave(share); }

 private:
  bool are_joint(const Columns& columns) const;
  std::uint64_t rows_before(std::size_t share) const;
  Status write(std::size_t share, Device& device, const Columns& columns) const;

  Meeting meeting_;
  std::vector<std::optional<DeviceRows>> ranges_;  // the buffers of shares: one may end sooner
  std::vector<HostColumn> memory_;                 // none where memory is short
};

// Returns whether rows have the same types and the same columns without NULLs, and no strings.
bool have_one_layout(const DeviceRows& a, const DeviceRows& b);

}  // namespace penstock::plan
