// Where exceptions end: the standard library's (memory, threads) and those of a caller's callbacks
// become a Status at every entry of the library, so that none crosses its border.
//
//     Result<Outcome> run(...) { return guard([&] { return Execution(...).run(); }); }
#pragma once
#include <type_traits>
#include <utility>

#include "penstock/status.hpp"

namespace penstock {

// Rethrows the exception being handled and says what it was: Code::no_memory, else Code::internal
// with its words.
Status status_of_exception();

// Runs `work`, which returns a Status or a Result; what it throws is returned.
template <class Work> std::invoke_result_t<Work> guard(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) { return status_of_exception(); }
}

}  // namespace penstock
