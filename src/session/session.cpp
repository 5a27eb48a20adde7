#include "penstock/session.hpp"

#include "base/exception_boundary.hpp"
#include "session/open_tables.hpp"

namespace penstock {
namespace {

class SessionOfFiles final : public Session {
 public:
  explicit SessionOfFiles(const SessionOptions& options)
      : selector_(options.device),
        device_(SessionDevice::open(options.device, options.cache_limit_bytes)) {}

  Result<QueryResult> sql(std::string_view statement, const RunOptions& options) override {
    Plan plan;
    PENSTOCK_ASSIGN(const StepId result, bind(statement, plan));
    return run(plan, result, options);
  }
  Result<std::string> explain(std::string_view statement, const RunOptions& options) override {
    Plan plan;
    PENSTOCK_ASSIGN(const StepId result, bind(statement, plan));
    return penstock::explain(plan, result, in_session(options));
  }
  Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options) override {
    return penstock::run(plan, result, in_session(options));
  }
  Result<std::shared_ptr<TableSource>> open_table(const std::string& path) override {
    return catch_exceptions([&] { return tables_.open(path, device_->cache()); });
  }
  Result<std::shared_ptr<Device>> device() override { return device_->device(); }
  DeviceCache& cache() override { return device_->cache(); }

 private:
  Result<StepId> bind(std::string_view statement, Plan& plan) {
    return bind_sql(statement, plan, [this](const std::string& path) { return open_table(path); });
  }
  RunOptions in_session(RunOptions options) const {
    options.session = device_;
    options.device = selector_;  // by which a run guesses what is being opened
    return options;
  }

  const std::string selector_;
  const std::shared_ptr<SessionDevice> device_;
  session::OpenTables tables_;
};

}  // namespace

std::shared_ptr<Session> Session::create(const SessionOptions& options) {
  return std::make_shared<SessionOfFiles>(options);
}

}  // namespace penstock
