#include "exec/devices/share_run.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>

#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "base/host_memory.hpp"
#include "base/processor_quota.hpp"
#include "base/thread_pool.hpp"
#include "exec/devices/right_side_shares.hpp"
#include "exec/devices/row_range_source.hpp"
#include "exec/devices/split_rows.hpp"

namespace penstock::plan {
namespace {

struct Assignment {
  std::size_t worker = 0;
  RowRange rows;
};

// With a thread a core for each share, every run started threads beyond those that the pool keeps.
std::uint32_t reading_threads_of_share(std::uint32_t of_all, std::size_t shares) {
  const std::size_t threads = of_all > 0 ? of_all : host_core_count();
  return static_cast<std::uint32_t>(std::max<std::size_t>(threads / shares, 1));
}

// The progress of shares that run at once, as one. A share after one with an error is ended.
class SharedProgress {
 public:
  SharedProgress(const RunOptions& options, std::size_t shares)
      : options_(options), shares_(shares) {}

  RunOptions options_of(std::size_t share, const Worker& worker) {
    RunOptions own = options_;
    own.device = worker.id;
    own.session = worker.session;
    own.reading_threads = reading_threads_of_share(options_.reading_threads, shares_.size());
    own.progress = [this, share](const Progress& progress) { return report(share, progress); };
    if (options_.on_source)
      own.on_source = [this](std::string_view text) {
        const std::lock_guard lock(mutex_);
        options_.on_source(text);
      };
    return own;
  }
  bool was_stopped() const { return was_stopped_; }  // by the caller
  // Asks the caller while no share does.
  void ask() {
    if (!options_.progress || was_stopped_) return;
    const std::lock_guard lock(mutex_);
    static_cast<void>(ask_caller());
  }
  void end_after(std::size_t share) {
    for (std::size_t last = last_; share < last && !last_.compare_exchange_weak(last, share);) {}
  }

 private:
  bool report(std::size_t share, const Progress& progress) {
    if (share > last_ || was_stopped_) return false;
    if (!options_.progress) return true;
    const std::lock_guard lock(mutex_);
    shares_[share] = progress;
    return ask_caller();
  }

  bool ask_caller() {
    Progress all{0, 0};
    for (const Progress& one : shares_) {
      all.rows_done += one.rows_done;
      if (one.rows_total) *all.rows_total += *one.rows_total;
    }
    const bool goes_on = options_.progress(all);
    if (!goes_on) was_stopped_ = true;
    return goes_on;
  }

  const RunOptions& options_;
  std::mutex mutex_;
  std::vector<Progress> shares_;
  std::atomic<std::size_t> last_ = ~std::size_t{0};
  std::atomic<bool> was_stopped_ = false;
};

class SharesOfCut {
 public:
  SharesOfCut(const Plan& plan, const Cut& cut, const RunOptions& options,
              std::vector<Worker>& workers, const std::map<StepId, Table>& known)
      : plan_(plan), cut_(cut), options_(options), workers_(workers), known_(known) {}

  // If right sides cannot be put together, each device reads all of them.
  Result<std::vector<FinishedShare>> run() {
    if (options_.on_device_failure == OnDeviceFailure::stop)
      right_sides_ = RightSideShares::find(plan_, cut_, options_, known_, devices());
    const auto was_refused = [&](const auto& finished) {
      return finished.status().code() == Code::cancelled && right_sides_.was_refused() &&
             !is_stopped_;
    };
    auto finished = run_rows();
    const char* why = nullptr;
    while (was_refused(finished) && right_sides_.leaves_keys_out()) {
      why = "begun anew, as keys of a right side repeat: devices do not divide it by keys";
      finished = run_anew();
    }
    if (was_refused(finished)) {
      why =
          "begun anew, and each device reads right sides of joins whole: shares of them could not "
          "be put together in device memory";
      right_sides_ = {};
      finished = run_anew();
    }
    if (finished.ok() && why) (*finished)[0].share.report.notes.emplace_back(why);
    return finished;
  }

 private:
  Result<std::vector<FinishedShare>> run_anew() {
    finished_.clear();
    return run_rows();
  }
  Result<std::vector<FinishedShare>> run_rows() {
    const std::uint64_t row_count = *source().row_count();
    std::vector<RowRange> open{{0, row_count}};
    while (!open.empty()) {
      const std::vector<Assignment> assignments = assign(open);
      if (assignments.empty()) return first_failure();
      PENSTOCK_ASSIGN(open, run_all(assignments));
    }
    std::ranges::sort(finished_, {}, [](const FinishedShare& one) { return one.rows.begin; });
    return std::move(finished_);
  }

  const TableSource& source() const { return *plan_.step(cut_.base).source; }

  std::vector<std::shared_ptr<Device>> devices() const {
    std::vector<std::shared_ptr<Device>> devices;
    for (const Worker& worker : workers_) devices.push_back(worker.device);
    return devices;
  }

  Status first_failure() const {
    for (const Worker& worker : workers_)
      if (!worker.failed.ok()) return worker.failed.with("on " + worker.id);
    return {Code::no_device, "no device is left"};
  }

  std::vector<Assignment> assign(const std::vector<RowRange>& open) const {
    std::vector<double> weights;
    for (const Worker& worker : workers_) weights.push_back(worker.failed.ok() ? worker.weight : 0);
    std::vector<Assignment> assignments;
    if (std::ranges::none_of(weights, [](double weight) { return weight > 0; })) return assignments;
    for (const RowRange& rows : open) {
      const std::vector<RowRange> shares = split_rows(source(), rows, weights);
      for (std::size_t i = 0; i < shares.size(); i++)
        if (shares[i].begin < shares[i].end) assignments.push_back({i, shares[i]});
    }
    return assignments;
  }

  // Starts all but the first, which this thread runs. If no further thread can be started, the
  // running shares must not wait for the others.
  void start_others(const std::vector<Assignment>& assignments, SharedProgress& progress,
                    std::vector<Task<Result<ShareResult>>>& others) {
    others.reserve(assignments.size());
    try {
      for (std::size_t i = 1; i < assignments.size(); i++)
        others.push_back(ThreadPool::shared().start(
            [this, &assignments, &progress, i] { return run_one(assignments[i], i, progress); },
            may_wait_awake(assignments.size()) ? 1e-3 : 0));
    } catch (...) {
      leave_exchange(0, false);
      for (std::size_t i = others.size() + 1; i < assignments.size(); i++) leave_exchange(i, false);
      progress.end_after(0);
      throw;
    }
  }

  // A short statement is often followed by the next at once. Shares do not spin on CPU devices or
  // on loaded machines.
  bool may_wait_awake(std::size_t shares) const {
    const bool have_own_cores = std::ranges::all_of(workers_, [](const Worker& worker) {
      return worker.device && !worker.device->traits().shares_host_cores();
    });
    return have_own_cores && host_core_count() >= 4 * shares && !has_processor_quota();
  }

  // Shares of a short statement end within microseconds of one another. To sleep until the last has
  // ended takes longer: a thread that is woken runs some 50 us later. A share's last step is to
  // hand over its rows, so it is the task that is asked. This thread's share may end earlier, as
  // the threads of the others had to be woken and their caches are cold: it waits as long as its
  // share took.
  static void spin_until_ended(std::span<const Task<Result<ShareResult>>> shares,
                               double share_seconds) {
    constexpr double min_spin_seconds = 200e-6, max_spin_seconds = 2e-3;
    const double seconds = std::clamp(share_seconds, min_spin_seconds, max_spin_seconds);
    for (const double end = now_seconds() + seconds; now_seconds() < end;)
      if (std::ranges::all_of(shares, [](const auto& share) { return share.has_ended(); })) return;
  }

  // Returns the rows of the workers that failed.
  Result<std::vector<RowRange>> run_all(const std::vector<Assignment>& assignments) {
    SharedProgress progress(options_, assignments.size());
    begin_exchange(assignments);
    std::vector<Task<Result<ShareResult>>> others;
    start_others(assignments, progress, others);
    const double begun = now_seconds();
    auto first = run_one(assignments[0], 0, progress);
    spin_until_ended(others, now_seconds() - begun);
    for (const auto& share : others)
      while (!share.ends_within(std::chrono::milliseconds(10))) progress.ask();
    is_stopped_ = progress.was_stopped();
    std::vector<RowRange> lost;
    Status failed;
    for (std::size_t i = 0; i < assignments.size(); i++) {
      auto share = i == 0 ? std::move(first) : others[i - 1].get();
      if (share.ok()) {
        finished_.push_back({assignments[i].rows, std::move(*share)});
        continue;
      }
      if (goes_on_after(share.status()))
        lost.push_back(assignments[i].rows);
      else if (failed.ok() || failed.code() == Code::cancelled)
        failed = share.status();
      if (goes_on_after(share.status())) workers_[assignments[i].worker].failed = share.status();
    }
    PENSTOCK_TRY(failed);
    return lost;
  }

  // Rows of a share that another one takes over must be where they are not exchanged.
  void begin_exchange(const std::vector<Assignment>& assignments) {
    // The kernels of the others may take longer than a thread is to wait awake.
    const std::size_t count = assignments.size();
    const Shares shares{count, may_wait_awake(count) ? 2e-3 : 0};
    const StepKind kind = plan_.step(cut_.step).kind;
    exchange_.reset();
    groups_.reset();
    rows_of_all_.reset();
    if (count < 2 || options_.on_device_failure != OnDeviceFailure::stop) return;
    if (kind == StepKind::order_by && cut_.row_limit == ~std::uint64_t{0})
      exchange_ = std::make_shared<RowExchange>(shares, may_divide_rows(assignments));
    if (kind != StepKind::order_by && !is_aggregate(plan_, cut_.step) &&
        cut_.row_limit == ~std::uint64_t{0})
      rows_of_all_ = std::make_shared<JointRows>(shares);
    if (kind == StepKind::group_by) groups_ = std::make_shared<GroupExchanges>(shares);
    std::vector<RightSideShares::ShareOfCut> of_cut;
    for (const Assignment& one : assignments)
      of_cut.push_back({one.rows, workers_[one.worker].weight});
    right_sides_.begin(plan_, cut_.base, of_cut, shares.awake_seconds);
  }

  // A filter may leave fewer rows. Shares find that out together.
  bool may_divide_rows(const std::vector<Assignment>& assignments) const {
    std::uint64_t rows = 0;
    for (const Assignment& one : assignments) rows += one.rows.end - one.rows.begin;
    return rows_of_piece(
               workers_[assignments[0].worker].device->traits(), rows / assignments.size(),
               device_bytes_per_row(plan_.step(cut_.step).schema), options_.batch_rows) > 0;
  }

  void leave_exchange(std::size_t share, bool has_succeeded) {
    if (exchange_) exchange_->leave(share);
    if (groups_) groups_->leave(share);
    if (rows_of_all_) rows_of_all_->leave(share);
    if (const auto& exchange = right_sides_.exchange()) exchange->leave(share, has_succeeded);
  }

  bool goes_on_after(const Status& status) const {
    return is_of_device(status) && options_.on_device_failure == OnDeviceFailure::go_on;
  }

  // Errors of the query do not depend on the device, and do not name it.
  Result<ShareResult> run_one(const Assignment& assignment, std::size_t index,
                              SharedProgress& progress) {
    const Worker& worker = workers_[assignment.worker];
    const auto run_once = [&] {
      return catch_exceptions([&] {
        return run_share_of_rows(right_sides_.plan_of_share(plan_, index), cut_, assignment.rows,
                                 progress.options_of(index, worker),
                                 {worker.device,
                                  known_,
                                  {index, exchange_, groups_, rows_of_all_, right_sides_.exchange(),
                                   cut_.first_groups}});
      });
    };
    auto share = run_once();
    // There is no exchange then.
    if (goes_on_after(share.status()) && clear_cache_after(worker, share.status()))
      share = run_once();
    leave_exchange(index, share.ok());
    if (share.ok() || goes_on_after(share.status())) return share;
    progress.end_after(index);
    return is_of_device(share.status()) ? share.with("on " + worker.id) : share;
  }

  const Plan& plan_;
  const Cut& cut_;
  const RunOptions& options_;
  std::vector<Worker>& workers_;
  const std::map<StepId, Table>& known_;
  std::shared_ptr<RowExchange> exchange_;   // of sorted rows; null: the host merges them
  std::shared_ptr<GroupExchanges> groups_;  // the same of groups
  std::shared_ptr<JointRows> rows_of_all_;  // the same of rows in the order of the source
  RightSideShares right_sides_;
  bool is_stopped_ = false;
  std::vector<FinishedShare> finished_;
};

}  // namespace

bool is_of_device(const Status& status) {
  return status.code() == Code::device_lost || status.code() == Code::no_device ||
         (status.code() == Code::no_memory && !is_of_host_memory(status));
}

bool clear_cache_after(const Worker& worker, const Status& failed) {
  if (failed.code() != Code::no_memory || !worker.session) return false;
  if (worker.session->cache().counters().bytes == 0) return false;
  worker.session->cache().clear();
  return true;
}

Result<ShareResult> run_share_of_rows(Plan plan, const Cut& cut, RowRange rows,
                                      const RunOptions& options, const RunInputs& inputs) {
  plan.replace_source(cut.base, row_range_source(plan.step(cut.base).source, rows));
  return run_share(plan, cut.step, cut.row_limit, options, inputs);
}

Result<std::vector<FinishedShare>> run_shares(const Plan& plan, const Cut& cut,
                                              const RunOptions& options,
                                              std::vector<Worker>& workers,
                                              const std::map<StepId, Table>& known) {
  return SharesOfCut(plan, cut, options, workers, known).run();
}

}  // namespace penstock::plan
