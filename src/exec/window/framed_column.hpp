// Window functions over frames of any ends, and those that read a frame row by row.
#pragma once
#include "exec/window/window_on_host.hpp"

namespace penstock::plan {

// Returns whether a call's frame is not one of WindowFrame, or its rows are read one by one.
bool has_own_frame(const WindowCall& call);
Result<Column> framed_column(const Table& table, const HostWindow::Positions& positions,
                             const std::vector<SortKey>& order, const WindowCall& call, Type type);

}  // namespace penstock::plan
