// Splits the rows of a source among devices.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/skipping.hpp"

namespace penstock::plan {

// Splits a range of rows in proportion to weights, in order: result i is of weight i, and may be
// empty. If the source has row groups, a share ends with the nearest one; the range must begin and
// end with one, too. Otherwise a share ends at a multiple of 64 rows.
std::vector<RowRange> split_rows(const TableSource& source, RowRange rows,
                                 std::span<const double> weights);

bool are_of_one_kind(std::span<const std::shared_ptr<Device>> devices);
// Returns the measured copy bandwidth of each device, divided by its number of shares; the same
// numbers, without a measurement, if all devices are of one kind.
std::vector<Result<double>> weights_of(std::span<const std::shared_ptr<Device>> devices);

}  // namespace penstock::plan
