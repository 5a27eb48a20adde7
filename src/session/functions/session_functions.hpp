// The functions and aggregates of a session. Thread-safe.
#pragma once
#include <memory>
#include <mutex>

#include "penstock/sql.hpp"
#include "session/functions/host_call.hpp"

namespace penstock::session {

class SessionFunctions {
 public:
  // Checks and keeps one. One that is as the known one changes nothing.
  Status define(CustomFunction function, const DeviceOpener& open_device);
  Status define(CustomReduction reduction, const DeviceOpener& open_device);
  // Returns all of them. A change makes another object.
  std::shared_ptr<const UserFunctions> all() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const UserFunctions> all_ = std::make_shared<UserFunctions>();
};

}  // namespace penstock::session
