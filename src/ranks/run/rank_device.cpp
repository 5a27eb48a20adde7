#include "ranks/run/rank_device.hpp"

#include <algorithm>
#include <cmath>

#include "device/device_list.hpp"
#include "kernel/bandwidth.hpp"
#include "ranks/run/exchange.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {
namespace {

struct RankDevice {
  std::string kind;   // equal ones are equally fast
  std::string place;  // a device of a host
};

MessageBytes bytes_of_device(const Device& device) {
  const Traits& traits = device.traits();
  WireWriter to;
  to.put_text(traits.name + " " + std::to_string(traits.compute_units) + " " +
              std::string(name_of(traits.target)));
  to.put_text(traits.id);
  return to.take();
}

Result<std::vector<double>> bandwidths(Communicator& communicator, Device& device,
                                       std::span<const RankDevice> devices) {
  const auto measured = [&]() -> Result<MessageBytes> {
    PENSTOCK_ASSIGN(const double bandwidth, kernel::copy_bandwidth(device));
    WireWriter to;
    to.put(bandwidth);
    return to.take();
  };
  PENSTOCK_ASSIGN(const auto all, exchange_bytes(communicator, measured()));
  std::vector<double> weights;
  for (std::size_t i = 0; i < all.size(); i++) {
    WireReader from(all[i].bytes);
    const auto ranks = std::ranges::count(devices, devices[i].place, &RankDevice::place);
    const auto bandwidth = from.get<double>();
    PENSTOCK_TRY(from.status());
    // With any other weight, rows would be in no share.
    if (!std::isfinite(bandwidth) || bandwidth <= 0)
      return Status(Code::internal, "a rank's bandwidth is no positive number");
    weights.push_back(bandwidth / static_cast<double>(ranks));
  }
  return weights;
}

}  // namespace

Result<std::string> device_of_rank(const std::string& selector, std::uint32_t local_rank) {
  if (device::names_several(selector)) {
    PENSTOCK_ASSIGN(const auto listed, device::devices_of_list(selector));
    return listed[local_rank % listed.size()];
  }
  if (selector.find(':') != std::string::npos || local_rank == 0) return selector;
  // Counts devices of one driver: SYCL and OpenCL list GPUs that CUDA lists too.
  const auto first = find_device(selector);
  if (!first.ok()) return first.status();
  std::vector<Traits> devices = list_devices();
  std::erase_if(devices, [&](const Traits& traits) {
    return traits.target != first->target || traits.is_cpu != first->is_cpu;
  });
  return devices.empty() ? selector : devices[local_rank % devices.size()].id;
}

Result<std::vector<double>> weights_of_ranks(Communicator& communicator,
                                             const Result<std::shared_ptr<Device>>& device) {
  const Result<MessageBytes> own = device.ok() ? Result<MessageBytes>(bytes_of_device(**device))
                                               : Result<MessageBytes>(device.status());
  PENSTOCK_ASSIGN(const auto all, exchange_bytes(communicator, own));
  std::vector<RankDevice> devices;
  for (const Contribution& one : all) {
    WireReader from(one.bytes);
    RankDevice& taken = devices.emplace_back();
    taken.kind = from.get_text();
    taken.place = one.host + " " + from.get_text();
    PENSTOCK_TRY(from.status());
  }
  const auto is_as_first = [&](const RankDevice& one) { return one.kind == devices[0].kind; };
  if (std::ranges::all_of(devices, is_as_first)) return std::vector<double>(devices.size(), 1);
  return bandwidths(communicator, **device, devices);
}

}  // namespace penstock::ranks
