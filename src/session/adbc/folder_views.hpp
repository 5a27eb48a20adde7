// The files of a folder as views of a session, by their names without endings.
#pragma once
#include "penstock/session.hpp"

namespace penstock::adbc {

// Takes a path, "file://path", "penstock://path", or "" and ":memory:" for no files. The first
// file of a name counts, in the order of the whole names.
Status define_folder_views(Session& session, std::string_view uri);

}  // namespace penstock::adbc
