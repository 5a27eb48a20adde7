// A device that stays open between runs, and what it keeps of the files that were read.
//
//     auto session = SessionDevice::open("cuda:0");
//     PENSTOCK_ASSIGN(QueryResult first, run(plan, step, {.session = session}));
//     PENSTOCK_ASSIGN(QueryResult second, run(plan, step, {.session = session}));  // reads nothing
//
// penstock/session.hpp has statements and files, too. Every call is thread-safe, and runs of one
// session may overlap: each has queues of its own.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "penstock/device.hpp"
#include "penstock/device_cache.hpp"

namespace penstock {

namespace pages {
class PageDecoder;
}  // namespace pages

class SessionDevice {
 public:
  // Begins to open a device, as open_device() takes it, in the background; an error comes from
  // device(). `cache_limit_bytes`: of the cache of columns; 0 turns it off; by default a quarter of
  // the device's memory.
  static std::shared_ptr<SessionDevice> open(std::string device = "",
                                             std::optional<std::uint64_t> cache_limit_bytes = {});
  virtual ~SessionDevice() = default;

  virtual Result<std::shared_ptr<Device>> device() = 0;  // waits until it is open
  virtual bool is_open() const = 0;                      // device() does not wait
  DeviceCache& cache() { return cache_; }
  // For the library's own use: the programs that decode pages, which runs share.
  Result<std::shared_ptr<pages::PageDecoder>> page_decoder();

 protected:
  DeviceCache cache_;

 private:
  std::mutex page_decoder_mutex_;
  std::shared_ptr<pages::PageDecoder> page_decoder_;  // null until a run reads pages
};

}  // namespace penstock
