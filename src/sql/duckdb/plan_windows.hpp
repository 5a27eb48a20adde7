// Names of window functions and frames in DuckDB's plans.
#pragma once
#include <optional>

#include "penstock/steps.hpp"
#include "sql/duckdb/plan_json.hpp"

namespace penstock::sql {

// Returns nothing for a function that no window step has by itself.
std::optional<WindowFunction> function_of_window(const Tree& call);
bool takes_frame(WindowFunction function);
// Returns nothing for a frame that does not begin with the partition.
std::optional<WindowFrame> frame_of_window(const Tree& call);
std::optional<FrameExclusion> exclusion_of(const Tree& call);
// Returns whether the frame is the whole partition, whatever its words.
bool is_whole_partition(const Tree& call);

}  // namespace penstock::sql
