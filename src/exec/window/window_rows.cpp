#include "exec/window/window_rows.hpp"

#include <algorithm>
#include <optional>

#include "exec/window/device_window.hpp"
#include "exec/window/window_on_host.hpp"
#include "table/rows/device_memory.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t largest_value_bytes = 16;           // of a result's column
constexpr std::uint64_t max_rows = std::uint64_t{1} << 32;  // which the host's positions number

// Computes the columns of a step's calls, on the device or on the host.
class WindowStep {
 public:
  WindowStep(std::shared_ptr<Device> device, const Table& table, const Step& step,
             RunReport& report, WindowLocation position, std::uint64_t memory_limit_bytes)
      : device_(std::move(device)),
        table_(table),
        calls_(step.window.calls),
        order_(words_of(table, step.window)),
        report_(report),
        location_(position),
        memory_limit_bytes_(memory_limit_bytes) {}

  Status begin() {
    if (location_ == WindowLocation::device
            ? table_.row_count > 0
            : location_ == WindowLocation::automatic && pays_on_device() && fits_device_memory()) {
      Result<DeviceWindow> window =
          DeviceWindow::open(device_, table_, order_.words, order_.of_partition, calls_, report_);
      if (window.ok())
        on_device_.emplace(std::move(window).value());
      else if (!goes_on_on_host(window.status()))
        return window.status();
    }
    std::vector<WindowCall> calls;  // the host's
    std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(calls),
                 [&](const WindowCall& call) { return !is_on_device(call); });
    if (calls.empty()) return {};
    PENSTOCK_ASSIGN(std::vector<std::uint64_t> rows, ordered_rows());
    on_host_.emplace(table_, std::move(rows), order_, calls);
    return {};
  }

  Result<Column> column(const WindowCall& call, Type type) {
    if (!is_on_device(call)) return on_host_->column(call, type);
    Result<Column> column = on_device_->column(call, type);
    if (column.ok() || !goes_on_on_host(column.status())) return column;
    PENSTOCK_TRY(leave_device());
    return on_host_->column(call, type);
  }

  void finish() const {
    if (on_device_) on_device_->add_to(report_);
  }

 private:
  bool is_on_device(const WindowCall& call) const {
    return on_device_ &&
           DeviceWindow::takes(device_->traits(), call, table_.columns[call.column].type);
  }

  bool pays_on_device() const {
    if (!sorts_on_device(table_.row_count, table_.row_count)) return false;
    return std::any_of(calls_.begin(), calls_.end(), [&](const WindowCall& call) {
      return DeviceWindow::takes(device_->traits(), call, table_.columns[call.column].type);
    });
  }

  bool fits_device_memory() {
    const Traits& traits = device_->traits();
    const std::uint64_t bytes = DeviceWindow::bytes_of(table_.row_count, order_.words.size());
    if (!fits_memory(traits, memory_limit_bytes_, bytes))
      note_memory_limit(report_, traits, memory_limit_bytes_, "window", table_.row_count, bytes);
    else if (table_.row_count * largest_value_bytes > traits.max_allocation_bytes)
      note_on_host(report_, "window", table_.row_count,
                   traits.id + " has no buffer of " + std::to_string(largest_value_bytes) +
                       " bytes per row");
    else
      return true;
    return false;
  }

  // Memory that was free may be in use by now. A caller who asked for the device gets the error.
  bool goes_on_on_host(const Status& status) {
    if (status.code() != Code::no_memory || location_ != WindowLocation::automatic) return false;
    note_on_host(report_, "window", table_.row_count, status.message());
    return true;
  }

  Status leave_device() {
    PENSTOCK_ASSIGN(std::vector<std::uint64_t> rows, on_device_->order().download(report_));
    on_device_->add_to(report_);
    on_device_.reset();
    on_host_.emplace(table_, std::move(rows), order_, calls_);
    return {};
  }

  Result<std::vector<std::uint64_t>> ordered_rows() {
    if (on_device_) return on_device_->order().download(report_);
    return order_of_keys(device_, order_.words, table_.row_count, table_.row_count, report_,
                         memory_limit_bytes_);
  }

  std::shared_ptr<Device> device_;
  const Table& table_;
  const std::vector<WindowCall>& calls_;
  OrderKeys order_;
  RunReport& report_;
  const WindowLocation location_;
  const std::uint64_t memory_limit_bytes_;
  std::optional<DeviceWindow> on_device_;
  std::optional<HostWindow> on_host_;
};

}  // namespace

Result<Table> window_rows(const std::shared_ptr<Device>& device, const Table& table,
                          const Step& step, RunReport& report, WindowLocation position,
                          std::uint64_t memory_limit_bytes) {
  if (table.row_count > max_rows) return Status(Code::capacity, "window: more than 2^32 rows");
  WindowStep window(device, table, step, report, position, memory_limit_bytes);
  PENSTOCK_TRY(window.begin());
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
