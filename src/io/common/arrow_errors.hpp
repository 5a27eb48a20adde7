// Turns Arrow's errors and exceptions into Status. Every call into Arrow or Parquet stands inside
// catch_arrow_exceptions().
#pragma once
#include <arrow/result.h>
#include <arrow/status.h>

#include <functional>
#include <string>
#include <type_traits>

#include "penstock/status.hpp"

namespace penstock::io {

Status from_arrow(const arrow::Status& status);
template <class T> Result<T> from_arrow(arrow::Result<T> result) {
  if (!result.ok()) return from_arrow(result.status());
  return std::move(result).MoveValueUnsafe();
}

// Returns the exception being handled as a Status.
Status status_of_exception();

// Runs `read`, which returns a Status or a Result; returns what it throws as a Status.
template <class Read> std::invoke_result_t<Read> catch_arrow_exceptions(Read&& read) {
  try {
    return read();
  } catch (...) { return status_of_exception(); }
}

}  // namespace penstock::io
