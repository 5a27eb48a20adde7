// Steps of a run that all ranks take together.
#pragma once
#include <string>
#include <vector>

#include "penstock/ranks.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {

struct Contribution {
  std::string host;
  MessageBytes bytes;
};

// Gives every rank the bytes of all. If ranks have errors instead, all get the first one. It names
// its rank and host, unless every rank has the same error.
Result<std::vector<Contribution>> exchange_bytes(Communicator& communicator,
                                                 const Result<MessageBytes>& own);
// Reads a status that rank 0 sends to all. After an error the ranks are in step: the run is over.
Status told_status(Communicator& communicator, WireReader& from);
// "on rank 2 of 4, host node7"
std::string place_of(const Communicator& communicator, std::uint32_t rank, const std::string& host);

}  // namespace penstock::ranks
