#include "ranks/run/cut_on_ranks.hpp"

#include <chrono>
#include <thread>

#include "base/exception_boundary.hpp"
#include "plan/devices/merge_shares.hpp"
#include "plan/devices/split_rows.hpp"
#include "ranks/wire/table_bytes.hpp"

namespace penstock::ranks {
namespace {

constexpr std::size_t max_early_text_bytes = 1024;

RowRange rows_of_rank(const RankRun& run, const plan::Cut& cut, std::uint32_t rank) {
  const TableSource& source = *run.plan.step(cut.base).source;
  return plan::split_rows(source, {0, *source.row_count()}, run.weights)[rank];
}

// `goes_on`: asked between chunks.
Result<RankShare> own_share(const RankRun& run, const plan::Cut& cut,
                            const std::function<bool()>& goes_on) {
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

// What rank 0 tells the others at the end of a cut.
Result<MessageBytes> verdict_bytes(const Status& status, const Table* rows) {
  WireWriter to;
  put_status(to, status);
  to.put(rows != nullptr);
  if (rows != nullptr) PENSTOCK_TRY(put_table(to, *rows));
  return to.take();
}

Status work_for_first(RankRun& run, const plan::Cut& cut) {
  Communicator& communicator = run.communicator;
  // Rank 0 says nothing before the end, unless the run has failed.
  const auto share = own_share(run, cut, [&] {
    const auto is_told = communicator.has_message(0);
    return is_told.ok() && !*is_told;
  });
  // An error here is told too: rank 0 waits for this share.
  auto message = catch_exceptions([&] { return bytes_of_share(share); });
  if (!message.ok()) message = bytes_of_share(message.status());
  PENSTOCK_TRY(message.status());
  PENSTOCK_TRY(communicator.send(0, *message));
  PENSTOCK_ASSIGN(const MessageBytes verdict, communicator.receive(0));
  WireReader from(verdict);
  PENSTOCK_TRY(get_status(from));
  if (!from.get<bool>()) return from.status();
  PENSTOCK_ASSIGN(run.known[cut.step], get_table(from));
  return {};
}

// Rank 0's side.
class SharesOfRanks {
 public:
  SharesOfRanks(RankRun& run, const plan::Cut& cut)
      : run_(run), cut_(cut), shares_(run.communicator.size()) {}

  Status collect() {
    auto own = own_share(run_, cut_, [this] {
      const Status taken = take_arrived();
      if (failed_.ok()) failed_ = taken;
      return failed_.ok();
    });
    PENSTOCK_TRY(take(0, std::move(own)));
    while (arrived_ < shares_.size()) {
      const std::size_t before = arrived_;
      PENSTOCK_TRY(take_arrived());
      if (arrived_ == before) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return failed_;
  }

  Status finish(bool all_need_rows, const TakeReport& take_report) {
    std::vector<plan::SharePart> parts;
    for (std::uint32_t rank = 0; rank < shares_.size(); rank++) {
      RankShare& share = *shares_[rank];
      if (share.parts.empty()) continue;
      take_report(rank, share.parts, share.report);
      parts.push_back(std::move(share.parts));
    }
    auto merged = catch_exceptions([&] { return plan::merge_shares(run_.plan, cut_, parts); });
    const Status status = merged.status();
    if (merged.ok()) run_.known[cut_.step] = std::move(*merged);
    PENSTOCK_TRY(tell(status, status.ok() && all_need_rows ? &run_.known[cut_.step] : nullptr));
    return status;
  }

 private:
  Status take_arrived() {
    for (std::uint32_t rank = 1; rank < shares_.size(); rank++) {
      if (shares_[rank]) continue;
      PENSTOCK_ASSIGN(const bool is_there, run_.communicator.has_message(rank));
      if (!is_there) continue;
      PENSTOCK_ASSIGN(const MessageBytes message, run_.communicator.receive(rank));
      PENSTOCK_TRY(take(rank, share_of_bytes(message)));
    }
    return {};
  }

  // The first error is told at once, so that the others stop; their shares are still received.
  Status take(std::uint32_t rank, Result<RankShare> share) {
    arrived_++;
    shares_[rank] = share.ok() ? std::move(*share) : RankShare();
    if (share.ok() || !failed_.ok()) return {};
    failed_ = share.status().with(place_of(run_.communicator, rank, run_.hosts[rank]));
    // Short, as another rank may be sending its share: MPI sends small messages without waiting for
    // their receiver.
    return tell(Status(failed_.code(), failed_.text().substr(0, max_early_text_bytes)), nullptr);
  }

  // An error while rows become bytes is told in their place.
  Status tell(const Status& status, const Table* rows) {
    auto bytes = catch_exceptions([&] { return verdict_bytes(status, rows); });
    if (!bytes.ok()) bytes = verdict_bytes(bytes.status(), nullptr);
    PENSTOCK_ASSIGN(const MessageBytes verdict, std::move(bytes));
    for (std::uint32_t rank = 1; rank < shares_.size(); rank++)
      PENSTOCK_TRY(run_.communicator.send(rank, verdict));
    return {};
  }

  RankRun& run_;
  const plan::Cut& cut_;
  std::vector<std::optional<RankShare>> shares_;
  std::size_t arrived_ = 0;
  Status failed_;
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
