#include "plan/window_rows.hpp"

#include <algorithm>
#include <optional>

#include "plan/device_window.hpp"
#include "plan/sort_rows.hpp"
#include "plan/window_on_host.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t most_rows = std::uint64_t{1} << 32;      // which the host's places number

// The columns of a step's calls, by the device that computes them or by the host.
class WindowStep {
 public:
  WindowStep(std::shared_ptr<Device> device, const Table& table, const Step& step, RunReport& report)
      : device_(std::move(device)), table_(table), calls_(step.window.calls), order_(words_of(table, step.window)), report_(report) {}

  Status begin(WindowPlace place) {
    if (place == WindowPlace::device ? table_.row_count > 0 : place == WindowPlace::chosen && pays_on_device()) {
      PENSTOCK_ASSIGN(auto window, DeviceWindow::open(device_, table_, order_.words, order_.of_partition, calls_, report_));
      on_device_.emplace(std::move(window));
    }
    std::vector<WindowCall> calls;      // the host's
    std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(calls), [&](const WindowCall& call) { return !is_on_device(call); });
    if (calls.empty()) return {};
    PENSTOCK_ASSIGN(std::vector<std::uint64_t> rows, ordered_rows());
    on_host_.emplace(table_, std::move(rows), order_, calls);
    return {};
  }

  Result<Column> column(const WindowCall& call, Type type) {
    return is_on_device(call) ? on_device_->column(call, type) : on_host_->column(call, type);
  }

  void finish() const {
    if (on_device_) on_device_->add_to(report_);
  }

 private:
  bool is_on_device(const WindowCall& call) const { return on_device_ && DeviceWindow::takes(device_->traits(), table_, call); }

  bool pays_on_device() const {
    if (!sorts_on_device(table_.row_count, table_.row_count)) return false;
    const Traits& traits = device_->traits();
    return DeviceWindow::fits(traits, table_.row_count, order_.words.size()) &&
           std::any_of(calls_.begin(), calls_.end(), [&](const WindowCall& call) { return DeviceWindow::takes(traits, table_, call); });
  }

  Result<std::vector<std::uint64_t>> ordered_rows() {
    if (on_device_) return on_device_->order().download(report_);
    return order_of_words(device_, order_.words, table_.row_count, table_.row_count, report_);
  }

  std::shared_ptr<Device> device_;
  const Table& table_;
  const std::vector<WindowCall>& calls_;
  OrderWords order_;
  RunReport& report_;
  std::optional<DeviceWindow> on_device_;
  std::optional<HostWindow> on_host_;
};

}  // namespace

Result<Table> window_rows(const std::shared_ptr<Device>& device, const Table& table, const Step& step, RunReport& report,
                          WindowPlace place) {
  if (table.row_count > most_rows) return Status(Code::capacity, "window: more than 2^32 rows");
  WindowStep window(device, table, step, report);
  PENSTOCK_TRY(window.begin(place));
  Table result = table;
  for (const WindowCall& call : step.window.calls) {
    PENSTOCK_ASSIGN(Column column, window.column(call, step.schema[result.columns.size()].type));
    result.names.push_back(call.name);
    result.columns.push_back(std::move(column));
  }
  window.finish();
  return result;
}

}  // namespace penstock::plan
