// Lists of devices, as --device takes them where a command runs on several.
//
//     cuda:0,1           two devices; a number alone is of the driver before it
//     cuda:0,opencl:1    two devices of different kinds
//     cuda:*             every device of a driver
//     opencl:0,opencl:0  one device with two shares of the work
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// Returns whether a selector is a list, which open_device() does not take.
bool names_several(std::string_view selector);
// Returns what open_device() takes for each device of a list; of another selector itself.
// Code::invalid: an empty entry, or a number before any driver. Code::no_device: a driver without
// devices.
Result<std::vector<std::string>> devices_of_list(std::string_view selector);
// Opens all at once, as a GPU takes 0.1 s. Returns them in the order of the list.
std::vector<Result<std::shared_ptr<Device>>> open_all(const std::vector<std::string>& selectors);

}  // namespace penstock::device
