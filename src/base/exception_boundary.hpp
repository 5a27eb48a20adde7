// The exception boundary. Exceptions of the standard library (memory, threads) and of a caller's
// callbacks become a Status at every entry of the library, so that none leaves it.
//
//     Result<QueryResult> run(...) { return catch_exceptions([&] { return Driver(...).run(); });
//     }
#pragma once
#include <type_traits>
#include <utility>

#include "penstock/status.hpp"

namespace penstock {

// Returns the Status of the exception being handled: Code::no_memory, or Code::internal with its
// message.
Status status_of_exception();

// Runs `work`, which returns a Status or a Result, and converts its exceptions to a Status.
template <class Work> std::invoke_result_t<Work> catch_exceptions(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) { return status_of_exception(); }
}

}  // namespace penstock
