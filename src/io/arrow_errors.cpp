#include "io/arrow_errors.hpp"

#include <parquet/exception.h>

#include <new>
#include <system_error>

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
    return {Code::no_memory, "out of memory"};
  } catch (const std::length_error&) {
    return {Code::no_memory, "out of memory"};
  } catch (const std::system_error& e) {
    return {Code::internal, e.what()};
  } catch (const std::exception& e) {
    return {Code::corrupt, e.what()};
  } catch (...) {
    return {Code::internal, "an exception of unknown type"};
  }
}

}  // namespace penstock::io
