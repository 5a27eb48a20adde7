// The settings that SET changes for the later statements of a session. Thread-safe.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/run_options.hpp"
#include "penstock/sql.hpp"

namespace penstock::session {

class Settings {
 public:
  explicit Settings(Planner planner) : first_{.planner = planner}, now_(first_) {}

  // Names are found in any case. One that there is not is refused with a list of those that are.
  Status set(const std::string& name, const std::string& value);
  Status reset(const std::string& name);
  // Returns the value of a setting as text, or nothing if there is none of this name.
  std::optional<std::string> value_of(const std::string& name) const;

  Planner planner() const;
  // Fills options that the caller left as they are by default.
  void apply(RunOptions& options) const;

 private:
  struct Values {
    Planner planner = Planner::automatic;
    std::uint32_t threads = 0;
    std::uint64_t memory_limit_bytes = 0;
    bool validate = false;
  };
  struct Row;
  static const Row* row_named(const std::string& name);
  static Status unknown(const std::string& name);
  static const Row rows[];

  const Values first_;
  mutable std::mutex mutex_;
  Values now_;
};

}  // namespace penstock::session
