#include "ranks/run/cut_on_ranks.hpp"

#include <chrono>
#include <thread>

#include "base/exception_boundary.hpp"
#include "exec/devices/merge_shares.hpp"
#include "exec/devices/split_rows.hpp"
#include "ranks/wire/table_bytes.hpp"

namespace penstock::ranks {
namespace {

RowRange rows_of_rank(const RankRun& run, const plan::Cut& cut, std::uint32_t rank) {
  const TableSource& source = *run.plan.step(cut.base).source;
  return plan::split_rows(source, {0, *source.row_count()}, run.weights)[rank];
}

// `goes_on`: asked between chunks.
Result<RankShare> own_share(const RankRun& run, const plan::Cut& cut,
                            const std::function<bool()>& goes_on) {
  PENSTOCK_TRY(run.own_error);
  const RowRange rows = rows_of_rank(run, cut, run.communicator.rank());
  if (rows.begin == rows.end) return RankShare();
  RunOptions options = run.options;
  options.progress = [&](const Progress& progress) {
    return goes_on() && (!run.options.progress || run.options.progress(progress));
  };
  auto share = catch_exceptions([&] {
    return plan::run_share_of_rows(run.plan, cut, rows, options, {run.device, run.known});
  });
  if (!share.ok()) return share.status();
  return RankShare{std::move(share->parts), std::move(share->report)};
}

// Notices of rank 0 to the others about a cut. It may send `stop` before the shares are in, while
// others still send theirs: `stop` has no text, so that MPI sends it without waiting for a
// receiver.
enum class Notice : unsigned char { stop, outcome };

Result<MessageBytes> outcome_bytes(const Status& status, const Table* rows) {
  WireWriter to;
  to.put(Notice::outcome);
  put_status(to, status);
  to.put(rows != nullptr);
  if (rows != nullptr) PENSTOCK_TRY(put_table(to, *rows));
  return to.take();
}

// An error in making the message takes the share's place.
Result<MessageBytes> message_of_share(const Result<RankShare>& share) {
  auto message = catch_exceptions([&] { return bytes_of_share(share); });
  return message.ok() ? std::move(message) : bytes_of_share(message.status());
}

// Returns the outcome, and skips a `stop` before it.
Result<MessageBytes> receive_outcome(Communicator& communicator) {
  for (;;) {
    PENSTOCK_ASSIGN(MessageBytes message, communicator.receive(0));
    if (message != MessageBytes{static_cast<std::byte>(Notice::stop)}) return message;
  }
}

Status work_for_first(RankRun& run, const plan::Cut& cut) {
  Communicator& communicator = run.communicator;
  // Rank 0 says nothing before the end, unless the run has failed.
  const auto share = catch_exceptions([&] {
    return own_share(run, cut, [&] {
      const auto is_told = communicator.has_message(0);
      return is_told.ok() && !*is_told;
    });
  });
  PENSTOCK_ASSIGN(const MessageBytes message, message_of_share(share));
  PENSTOCK_TRY(communicator.send(0, message));
  PENSTOCK_ASSIGN(const MessageBytes outcome, receive_outcome(communicator));
  WireReader from(outcome);
  from.get<Notice>();
  PENSTOCK_TRY(told_status(communicator, from));
  if (!from.get<bool>()) return from.status();
  auto rows = catch_exceptions([&]() -> Result<Table> {
    PENSTOCK_ASSIGN(Table told, get_table(from));
    PENSTOCK_TRY(plan::check_columns(run.plan.step(cut.step).schema, told));
    return told;
  });
  run.own_error = rows.status();
  if (rows.ok()) run.known[cut.step] = std::move(*rows);
  return {};
}

// Rank 0's side.
class SharesOfRanks {
 public:
  SharesOfRanks(RankRun& run, const plan::Cut& cut)
      : run_(run), cut_(cut), shares_(run.communicator.size()) {}

  // Returns an error of the messages themselves, which cannot be told.
  Status collect() {
    auto own = catch_exceptions([this] {
      return own_share(run_, cut_, [this] {
        lost_ = take_arrived();
        return lost_.ok() && failed_.ok();
      });
    });
    PENSTOCK_TRY(lost_);
    PENSTOCK_TRY(take(0, std::move(own)));
    while (arrived_ < shares_.size()) {
      const std::size_t before = arrived_;
      PENSTOCK_TRY(take_arrived());
      if (arrived_ == before) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return {};
  }

  // Tells all how the cut ended.
  Status finish(bool all_need_rows, const TakeReport& take_report) {
    Status status = catch_exceptions([&] { return merge(take_report); });
    const Table* const rows = status.ok() && all_need_rows ? &run_.known[cut_.step] : nullptr;
    auto outcome = catch_exceptions([&] { return outcome_bytes(status, rows); });
    if (!outcome.ok()) {
      status = outcome.status();
      outcome = outcome_bytes(status, nullptr);
    }
    PENSTOCK_TRY(outcome.status());
    PENSTOCK_TRY(tell(*outcome));
    if (!status.ok()) run_.communicator.set_in_step(true);
    return status;
  }

 private:
  Status merge(const TakeReport& take_report) {
    PENSTOCK_TRY(failed_);
    std::vector<plan::SharePart> parts;
    for (std::uint32_t rank = 0; rank < shares_.size(); rank++) {
      RankShare& share = *shares_[rank];
      if (share.parts.empty()) continue;
      take_report(rank, share.parts, share.report);
      parts.push_back(std::move(share.parts));
    }
    PENSTOCK_ASSIGN(run_.known[cut_.step], plan::merge_shares(run_.plan, cut_, parts));
    return {};
  }

  Status take_arrived() {
    for (std::uint32_t rank = 1; rank < shares_.size(); rank++) {
      if (shares_[rank]) continue;
      PENSTOCK_ASSIGN(const bool is_there, run_.communicator.has_message(rank));
      if (!is_there) continue;
      PENSTOCK_ASSIGN(const MessageBytes message, run_.communicator.receive(rank));
      PENSTOCK_TRY(take(rank, catch_exceptions([&] { return share_of_bytes(message); })));
    }
    return {};
  }

  // The first error tells the other ranks to stop; their shares are still received.
  Status take(std::uint32_t rank, Result<RankShare> share) {
    arrived_++;
    shares_[rank] = share.ok() ? std::move(*share) : RankShare();
    if (share.ok() || !failed_.ok()) return {};
    failed_ = share.status().with(place_of(run_.communicator, rank, run_.hosts[rank]));
    return tell(MessageBytes{static_cast<std::byte>(Notice::stop)});
  }

  Status tell(const MessageBytes& message) {
    for (std::uint32_t rank = 1; rank < shares_.size(); rank++)
      PENSTOCK_TRY(run_.communicator.send(rank, message));
    return {};
  }

  RankRun& run_;
  const plan::Cut& cut_;
  std::vector<std::optional<RankShare>> shares_;
  std::size_t arrived_ = 0;
  Status failed_;  // of a share: the first
  Status lost_;    // of the messages, while rank 0 computes its own share
};

}  // namespace

Status run_cut_on_ranks(RankRun& run, const plan::Cut& cut, bool all_need_rows,
                        const TakeReport& take_report) {
  if (run.communicator.rank() > 0) return work_for_first(run, cut);
  SharesOfRanks shares(run, cut);
  PENSTOCK_TRY(shares.collect());
  return shares.finish(all_need_rows, take_report);
}

}  // namespace penstock::ranks
