// A portability report as text: an aligned table for people, CSV and JSON for programs.
#pragma once
#include "bench/portability/portability_run.hpp"

namespace penstock::bench {

// `format`: "table", "csv" or "json". CSV has a line for each row, then one for each portability.
std::string text_of(const PortabilityReport& report, const std::string& format);

}  // namespace penstock::bench
