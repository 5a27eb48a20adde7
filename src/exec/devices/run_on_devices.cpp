#include "exec/devices/run_on_devices.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "device/device_list.hpp"
#include "exec/devices/share_report.hpp"
#include "exec/devices/share_run.hpp"
#include "exec/devices/split_rows.hpp"

namespace penstock::plan {
namespace {

Status check_options(const RunOptions& options) {
  const char* const what = options.validate ? "validate"
                           : options.stalls ? "sampling of stalls"
                                            : nullptr;
  return what ? Status(Code::unsupported,
                       std::string(what) + " takes one device, not '" + options.device + "'")
              : Status();
}

class DevicesRun {
 public:
  DevicesRun(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options)
      : plan_(plan), results_(results), options_(options) {}

  Result<std::vector<QueryResult>> run(std::vector<ListedDevice> devices) {
    PENSTOCK_TRY(take(std::move(devices)));
    PENSTOCK_ASSIGN(cuts_, find_cuts(plan_, results_));
    if (!cuts_.empty() && are_one_share()) {
      first_ = owner_of_rows(cuts_.back());
      cuts_.clear();
    }
    if (cuts_.empty()) report_.notes.push_back("one device ran all: no rows could be split");
    for (const Cut& cut : cuts_) PENSTOCK_TRY(run_cut(cut));
    PENSTOCK_ASSIGN(std::vector<QueryResult> outcomes, finish());
    end_report(outcomes[0].report, now_seconds() - start_);
    return outcomes;
  }

 private:
  Status take(std::vector<ListedDevice> devices) {
    std::vector<std::shared_ptr<Device>> open;
    for (ListedDevice& listed : devices) {
      Worker worker{listed.id, nullptr, listed.session};
      worker.failed = listed.device.status();
      if (!worker.failed.ok() && options_.on_device_failure == OnDeviceFailure::stop)
        return worker.failed.with("opening " + listed.id);
      if (worker.failed.ok()) open.push_back(worker.device = *listed.device);
      workers_.push_back(std::move(worker));
    }
    if (open.empty()) return workers_[0].failed.with("opening " + workers_[0].id);
    return weigh(open);
  }

  Status weigh(const std::vector<std::shared_ptr<Device>>& open) {
    const std::vector<Result<double>> weights = weights_of(open);
    std::size_t next = 0;
    for (Worker& worker : workers_) {
      if (!worker.device) continue;
      const Result<double>& weight = weights[next++];
      if (weight.ok())
        worker.weight = *weight;
      else if (goes_on_after(weight.status()))
        worker.failed = weight.status();
      else
        return weight.status().with("on " + worker.id);
    }
    return {};
  }

  // A file of one row group is one share. It needs no merge, which would take it to the host. If
  // other cuts are split it is still one share: all devices get the same rows of it.
  bool are_one_share() const {
    const auto works = [](const Worker& worker) { return worker.failed.ok(); };
    return std::ranges::count_if(workers_, works) > 1 &&
           std::ranges::all_of(cuts_, [&](const Cut& cut) {
             return std::ranges::count_if(rows_of_workers(cut), has_rows) == 1;
           });
  }
  static bool has_rows(const RowRange& rows) { return rows.begin < rows.end; }
  std::vector<RowRange> rows_of_workers(const Cut& cut) const {
    std::vector<double> weights;
    for (const Worker& worker : workers_) weights.push_back(worker.failed.ok() ? worker.weight : 0);
    const TableSource& source = *plan_.step(cut.base).source;
    return split_rows(source, {0, *source.row_count()}, weights);
  }
  std::size_t owner_of_rows(const Cut& cut) const {
    const std::vector<RowRange> rows = rows_of_workers(cut);
    return static_cast<std::size_t>(std::ranges::find_if(rows, has_rows) - rows.begin());
  }

  bool goes_on_after(const Status& status) const {
    return is_of_device(status) && options_.on_device_failure == OnDeviceFailure::go_on;
  }

  Status run_cut(const Cut& cut) {
    PENSTOCK_ASSIGN(std::vector<FinishedShare> finished,
                    run_shares(plan_, cut, options_, workers_, known_));
    std::vector<SharePart> parts;
    for (FinishedShare& one : finished) {
      RunReport& report = one.share.report;
      report_.shares.push_back(report_of_share(report, one.share.begin_seconds - start_));
      number_kernels(report_.shares.back(), report_.kernels.size());
      add_report(report_, report);
      report_.bytes_exchanged += bytes_of(one.share.parts);
      parts.push_back(std::move(one.share.parts));
    }
    const double start = now_seconds();
    PENSTOCK_ASSIGN(known_[cut.step],
                    merge_shares(plan_, cut, parts, options_.kept_programs.get()));
    report_.merge_seconds += now_seconds() - start;
    return {};
  }

  // Runs the steps after all cuts, on the first device that does not fail. Rows of one share are
  // first tried on the device that has them.
  Result<std::vector<QueryResult>> finish() {
    for (std::size_t i = 0; i < workers_.size(); i++) {
      Worker& worker = workers_[(first_ + i) % workers_.size()];
      if (!worker.failed.ok()) continue;
      RunOptions alone = options_;
      alone.device = worker.id;
      alone.session = worker.session;
      alone.profile = options_.profile && cuts_.empty();  // else shares have theirs
      const auto run = [&] { return run_results(plan_, results_, alone, {worker.device, known_}); };
      auto outcomes = run();
      if (goes_on_after(outcomes.status()) && can_run_again(plan_) &&
          clear_cache_after(worker, outcomes.status()))
        outcomes = run();
      if (outcomes.ok() || !is_of_device(outcomes.status())) return outcomes;
      if (!goes_on_after(outcomes.status()) || !can_run_again(plan_))
        return outcomes.status().with("on " + worker.id);
      worker.failed = outcomes.status();
    }
    return workers_[0].failed.with("on " + workers_[0].id);
  }

  void end_report(RunReport& report, double seconds) {
    for (const Worker& worker : workers_)
      if (!worker.failed.ok())
        report_.notes.push_back("the other devices took over the rows of " + worker.id + ": " +
                                worker.failed.text());
    add_report(report_, report);
    report_.profile = std::move(report.profile);
    report_.rows_out = report.rows_out;
    report_.total_seconds = seconds;
    for (const Worker& worker : workers_) {
      const std::string name = worker.device ? worker.device->traits().name : "not open";
      report_.device_id += (report_.device_id.empty() ? "" : ",") + worker.id;
      report_.device_name += (report_.device_name.empty() ? "" : ", ") + name;
    }
    report = std::move(report_);
  }

  const Plan& plan_;
  const std::vector<StepId>& results_;
  const RunOptions& options_;
  const double start_ = now_seconds();
  std::vector<Worker> workers_;
  std::vector<Cut> cuts_;
  std::size_t first_ = 0;          // the worker that runs the steps after all cuts
  std::map<StepId, Table> known_;  // the rows of cuts
  RunReport report_;
};

}  // namespace

Result<std::vector<QueryResult>> run_on_devices(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options) {
  PENSTOCK_ASSIGN(const std::vector<std::string> ids, device::devices_of_list(options.device));
  const auto opened = device::open_all(ids);
  std::vector<ListedDevice> devices;
  for (std::size_t i = 0; i < ids.size(); i++) devices.push_back({ids[i], opened[i]});
  return run_on_devices(plan, results, options, std::move(devices));
}

Result<std::vector<QueryResult>> run_on_devices(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options,
                                                std::vector<ListedDevice> devices) {
  for (const StepId result : results) PENSTOCK_TRY(check_result(plan, result));
  PENSTOCK_TRY(check_options(options));
  return DevicesRun(plan, results, options).run(std::move(devices));
}

// Their devices open at once, in the background.
Result<std::vector<QueryResult>> run_on_devices(
    const Plan& plan, const std::vector<StepId>& results, const RunOptions& options,
    const std::vector<std::shared_ptr<SessionDevice>>& sessions) {
  std::vector<ListedDevice> devices;
  for (const std::shared_ptr<SessionDevice>& session : sessions)
    devices.push_back({session->id(), session->device(), session});
  return run_on_devices(plan, results, options, std::move(devices));
}

}  // namespace penstock::plan
