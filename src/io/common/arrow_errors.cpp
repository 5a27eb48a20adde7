#include "io/common/arrow_errors.hpp"

#include <parquet/exception.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "base/cancellation.hpp"
#include "base/exception_boundary.hpp"

namespace penstock::io {

namespace {

Code code_of(const arrow::Status& status) {
  switch (status.code()) {
    case arrow::StatusCode::OutOfMemory: return Code::no_memory;
    case arrow::StatusCode::NotImplemented: return Code::unsupported;
    case arrow::StatusCode::CapacityError: return Code::capacity;
    case arrow::StatusCode::Cancelled: return Code::cancelled;
    case arrow::StatusCode::UnknownError: return Code::internal;
    // Errors of the operating system carry an errno; the others are bytes that contradict their
    // format.
    case arrow::StatusCode::IOError: return status.detail() ? Code::io : Code::corrupt;
    default: return Code::corrupt;
  }
}

// Thrift's messages end with a newline.
std::string without_end_of_line(std::string message) {
  message.erase(message.find_last_not_of(" \r\n") + 1);
  return message;
}

}  // namespace

Status from_arrow(const arrow::Status& status) {
  return status.ok() ? Status() : Status(code_of(status), without_end_of_line(status.message()));
}

Status status_of_exception() {
  try {
    throw;
  } catch (const parquet::ParquetStatusException& e) {
    return from_arrow(e.status());
  } catch (const std::bad_alloc&) {
    return penstock::status_of_exception();
  } catch (const std::length_error&) {
    return penstock::status_of_exception();
  } catch (const std::system_error&) {
    return penstock::status_of_exception();
  } catch (const Cancelled&) {
    return penstock::status_of_exception();
  } catch (const std::exception& e) {  // readers throw for bytes that contradict their format
    return {Code::corrupt, without_end_of_line(e.what())};
  } catch (...) { return penstock::status_of_exception(); }
}

}  // namespace penstock::io
