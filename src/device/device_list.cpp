#include "device/device_list.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "device/driver.hpp"

namespace penstock::device {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Status add_every_device(std::string_view driver, std::vector<std::string>& devices) {
  PENSTOCK_TRY(target_from_name(driver).status());
  std::vector<std::string> notes;
  PENSTOCK_ASSIGN(const std::vector<Traits> found, list_devices_of(driver, notes));
  for (const Traits& traits : found) devices.push_back(traits.id);
  if (!found.empty()) return {};
  std::string text = "there is no device of '" + std::string(driver) + ":*'";
  for (const std::string& note : notes) text += "\n  " + note;
  return {Code::no_device, text};
}

}  // namespace

bool names_several(std::string_view selector) {
  return selector.find_first_of(",*") != std::string_view::npos;
}

Result<std::vector<std::string>> devices_of_list(std::string_view selector) {
  std::vector<std::string> devices;
  if (!names_several(selector)) return std::vector<std::string>{std::string(selector)};
  std::string_view driver, rest = selector;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    is_last = comma == rest.size();
    rest.remove_prefix(is_last ? comma : comma + 1);
    const std::size_t colon = entry.find(':');
    if (colon != std::string_view::npos) driver = entry.substr(0, colon);
    if (entry.empty() || (is_number(entry) && driver.empty()))
      return Status(Code::invalid, "'" + std::string(selector) +
                                       "' is no list of devices: write cuda:0,1 or "
                                       "cuda:0,opencl:1 or cuda:*");
    if (colon != std::string_view::npos && entry.substr(colon + 1) == "*")
      PENSTOCK_TRY(add_every_device(driver, devices));
    else if (is_number(entry))
      devices.push_back(std::string(driver) + ":" + std::string(entry));
    else
      devices.emplace_back(entry);
  }
  return devices;
}

std::vector<Result<std::shared_ptr<Device>>> open_all(const std::vector<std::string>& selectors) {
  std::vector<Task<Result<std::shared_ptr<Device>>>> opening;
  for (const std::string& selector : selectors)
    opening.push_back(ThreadPool::shared().start([&] { return open_device(selector); }));
  std::vector<Result<std::shared_ptr<Device>>> opened;
  for (auto& one : opening) opened.push_back(one.get());
  return opened;
}

}  // namespace penstock::device
