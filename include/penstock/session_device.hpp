// A device that stays open between runs, and what it keeps of the files that were read.
//
//     auto session = SessionDevice::open("cuda:0");
//     PENSTOCK_ASSIGN(QueryResult first, run(plan, step, {.session = session}));
//     PENSTOCK_ASSIGN(QueryResult second, run(plan, step, {.session = session}));  // reads nothing
//
// A list of devices ("cuda:0,1") is a session of several: each keeps the rows of its own share,
// which are the same ones from run to run.
//
// penstock/session.hpp has statements and files, too. Every call is thread-safe, and runs of one
// session may overlap: each has queues of its own.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/device_cache.hpp"

namespace penstock {

namespace pages {
class PageDecoder;
}  // namespace pages

class SessionDevice {
 public:
  // Begins to open a device, or the devices of a list, in the background; an error comes from
  // device(). `cache_limit_bytes`: of the cache of columns, of each device; 0 turns it off; by
  // default a quarter of the device's memory. A device that is listed several times divides its
  // limit among its shares.
  static std::shared_ptr<SessionDevice> open(std::string device = "",
                                             std::optional<std::uint64_t> cache_limit_bytes = {});
  virtual ~SessionDevice() = default;

  // Waits until it is open. A list returns its first device.
  virtual Result<std::shared_ptr<Device>> device() = 0;
  virtual bool is_open() const = 0;                      // device() does not wait
  virtual std::string id() const { return "a device"; }  // as it was named, for messages
  // The sessions of a list of devices, in its order. A single device has none.
  virtual Result<std::vector<std::shared_ptr<SessionDevice>>> shares() {
    return std::vector<std::shared_ptr<SessionDevice>>();
  }
  // The cache of one device. A list of devices keeps nothing here: its shares() do.
  DeviceCache& cache() { return cache_; }
  // For the library's own use: the programs that decode pages, which runs share.
  Result<std::shared_ptr<pages::PageDecoder>> page_decoder();

 protected:
  DeviceCache cache_;

 private:
  std::mutex page_decoder_mutex_;
  std::shared_ptr<pages::PageDecoder> page_decoder_;  // null until a run reads pages
};

// Returns the cache of one device, or of each device of a list.
Result<std::vector<DeviceCache*>> caches_of(SessionDevice& session);

}  // namespace penstock
