#include "io/arrow_errors.hpp"

#include <parquet/exception.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "base/guard.hpp"

namespace penstock::io {

Status from_arrow(const arrow::Status& status) {
  if (status.ok()) return {};
  switch (status.code()) {
    case arrow::StatusCode::OutOfMemory: return {Code::no_memory, status.message()};
    case arrow::StatusCode::NotImplemented: return {Code::unsupported, status.message()};
    case arrow::StatusCode::CapacityError: return {Code::capacity, status.message()};
    case arrow::StatusCode::Cancelled: return {Code::cancelled, status.message()};
    case arrow::StatusCode::UnknownError: return {Code::internal, status.message()};
    // What the operating system refused carries an errno; the rest are bytes that contradict their format.
    case arrow::StatusCode::IOError: return {status.detail() ? Code::io : Code::corrupt, status.message()};
    default: return {Code::corrupt, status.message()};
  }
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
  } catch (const std::exception& e) {     // the readers' word for bytes that contradict their format
    return {Code::corrupt, e.what()};
  } catch (...) {
    return penstock::status_of_exception();
  }
}

}  // namespace penstock::io
