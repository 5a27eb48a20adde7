// Rows that several devices have sorted by ranges, downloaded to one table of the host: each device
// writes its range to where it belongs, so that nothing is appended.
#pragma once
#include <optional>
#include <vector>

#include "table/exchange/collective.hpp"
#include "table/rows/host_columns.hpp"

namespace penstock::plan {

class JointRows {
 public:
  explicit JointRows(Shares shares) : collective_(shares) {}

  // Waits for the other shares. `range`: the share's rows, which come after the rows of earlier
  // shares; null if they are on the host. Returns the columns of all ranges to the first share, and
  // columns without rows to the other shares. Returns nothing to all of them if one share has left
  // or has no rows in device memory, if columns are strings (codes differ), or if the host's memory
  // is short.
  Result<std::optional<std::vector<Column>>> download(std::size_t share, Device& device,
                                                      const DeviceRows* range,
                                                      const Columns& columns);
  void leave(std::size_t share) { collective_.leave(share); }

 private:
  Collective collective_;
};

}  // namespace penstock::plan
