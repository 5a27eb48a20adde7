// The output of `penstock devices --variants`: the row of each table of variants that a device
// takes.
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::cli {

// "table" for people, "json" or "csv" for programs. Code::invalid if PENSTOCK_VARIANT names an
// unknown family or row.
Result<std::string> variant_report(const std::vector<Traits>& devices, const std::string& format);

}  // namespace penstock::cli
