#include "ranks/run/exchange.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {
namespace {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// An error that all ranks have is of the query.
Status first_error(const Communicator& communicator, std::span<const Status> statuses,
                   std::span<const Contribution> all) {
  const auto is_as_first = [&](const Status& one) { return one.text() == statuses[0].text(); };
  if (!statuses[0].ok() && std::ranges::all_of(statuses, is_as_first)) return statuses[0];
  for (std::uint32_t rank = 0; rank < statuses.size(); rank++)
    if (!statuses[rank].ok())
      return statuses[rank].with(place_of(communicator, rank, all[rank].host));
  return {};
}

MessageBytes message_of(const Result<MessageBytes>& own) {
  WireWriter to;
  put_status(to, own.status());
  to.put_text(host_name());
  if (own.ok()) to.put_bytes(own->data(), own->size());
  return to.take();
}

// Returns what rank 0 tells all: an error, or the contributions.
Result<MessageBytes> outcome_on(const Communicator& communicator,
                                std::span<const MessageBytes> messages) {
  std::vector<Status> statuses;
  std::vector<Contribution> all;
  for (const MessageBytes& message : messages) {
    WireReader from(message);
    statuses.push_back(get_status(from));
    Contribution& one = all.emplace_back();
    one.host = from.get_text();
    PENSTOCK_TRY(from.status());
    const std::uint64_t size = from.rest_bytes();
    const std::byte* bytes = from.get_bytes(size);
    one.bytes.assign(bytes, bytes + size);
  }
  WireWriter to;
  const Status error = first_error(communicator, statuses, all);
  put_status(to, error);
  for (const Contribution& one : all) {
    to.put_text(one.host);
    to.put_text({reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size()});
  }
  return to.take();
}

// An error in making the outcome is an outcome, too.
MessageBytes outcome_or_error(const Communicator& communicator,
                              std::span<const MessageBytes> messages) {
  auto outcome = catch_exceptions([&] { return outcome_on(communicator, messages); });
  if (outcome.ok()) return std::move(*outcome);
  WireWriter to;
  put_status(to, outcome.status());
  return to.take();
}

}  // namespace

Status told_status(Communicator& communicator, WireReader& from) {
  const Status status = get_status(from);
  if (!status.ok() && !from.is_cut()) communicator.set_in_step(true);
  return status;
}

std::string place_of(const Communicator& communicator, std::uint32_t rank,
                     const std::string& host) {
  return "on rank " + std::to_string(rank) + " of " + std::to_string(communicator.size()) +
         ", host " + host;
}

Result<std::vector<Contribution>> exchange_bytes(Communicator& communicator,
                                                 const Result<MessageBytes>& own) {
  PENSTOCK_ASSIGN(const auto messages, communicator.gather(message_of(own)));
  MessageBytes told;
  if (communicator.rank() == 0) told = outcome_or_error(communicator, messages);
  PENSTOCK_ASSIGN(told, communicator.broadcast(told));
  WireReader from(told);
  PENSTOCK_TRY(told_status(communicator, from));
  std::vector<Contribution> all(communicator.size());
  for (Contribution& one : all) {
    one.host = from.get_text();
    const std::string bytes = from.get_text();
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    one.bytes.assign(first, first + bytes.size());
  }
  PENSTOCK_TRY(from.status());
  return all;
}

}  // namespace penstock::ranks
