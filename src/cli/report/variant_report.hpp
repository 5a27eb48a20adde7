// What `penstock devices --variants` prints: which row of each table of variants a device takes.
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::cli {

// "table" for people, "json" or "csv" for programs. Code::invalid where PENSTOCK_VARIANT names what
// there is not.
Result<std::string> variant_report(const std::vector<Traits>& devices, const std::string& format);

}  // namespace penstock::cli
