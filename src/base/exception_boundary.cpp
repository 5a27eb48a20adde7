#include "base/exception_boundary.hpp"

#include <new>
#include <stdexcept>

#include "base/cancellation.hpp"
#include "base/host_memory.hpp"

namespace penstock {
namespace {

// Created while there is memory: a copy of it allocates nothing.
const Status out_of_memory(Code::no_memory, "out of memory");

}  // namespace

bool is_of_host_memory(const Status& status) {
  return status.code() == out_of_memory.code() && status.message() == out_of_memory.message();
}

Status status_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  } catch (const std::length_error&) {  // a container longer than any memory
    return out_of_memory;
  } catch (const Cancelled& e) {
    return {Code::cancelled, e.what()};
  } catch (const std::exception& e) {
    return {Code::internal, std::string("an exception: ") + e.what()};
  } catch (...) { return {Code::internal, "an exception of unknown type"}; }
}

}  // namespace penstock
