// Picks the error that a file has first.
#pragma once
#include <initializer_list>

#include "penstock/status.hpp"

namespace penstock::stream {

// Returns the first of several statuses that is an error. Callers list them in the file's order, so
// that the error does not depend on parallel decoding.
inline Status first_error(std::initializer_list<Status> in_file_order) {
  for (const Status& status : in_file_order)
    if (!status.ok()) return status;
  return {};
}

}  // namespace penstock::stream
