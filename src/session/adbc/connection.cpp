#include "session/adbc/connection.hpp"

#include <algorithm>

namespace penstock::adbc {
namespace {

// Options that have one value: setting another is refused, setting this one is not.
struct FixedOption {
  std::string_view key, value;
};
constexpr FixedOption fixed_options[] = {
    {"adbc.connection.autocommit", "true"},
    {"adbc.connection.readonly", "false"},
    {"adbc.connection.catalog", only_catalog},
    {"adbc.connection.db_schema", only_schema},
    {"adbc.connection.transaction.isolation_level",
     "adbc.connection.transaction.isolation.default"},
};

const FixedOption* fixed_option(std::string_view key) {
  const auto* const found = std::ranges::find(fixed_options, key, &FixedOption::key);
  return found == std::end(fixed_options) ? nullptr : found;
}

}  // namespace

bool means_catalog(const char* name) { return name == nullptr || name == only_catalog; }
bool means_schema(const char* name) {
  return name == nullptr || name == only_schema || *name == '\0';
}

Outcome Connection::set_option(const std::string& key, const OptionText& value) {
  const FixedOption* const fixed = fixed_option(key);
  if (fixed == nullptr) return unknown_option("connection", key);
  if (!value || *value == fixed->value) return {};
  return Outcome(status_not_implemented,
                 "the option '" + key + "' is '" + std::string(fixed->value) + "' and stays so");
}

OptionText Connection::option(const std::string& key) const {
  const FixedOption* const fixed = fixed_option(key);
  return fixed == nullptr ? OptionText() : OptionText(fixed->value);
}

Outcome Connection::init(const std::shared_ptr<Database>& database) {
  const std::lock_guard lock(mutex_);
  if (database_) return Outcome(status_invalid_state, "the connection is open already");
  if (!database->session())
    return Outcome(status_invalid_state, "the database is not open: DatabaseInit comes first");
  database_ = database;
  return {};
}

std::shared_ptr<Database> Connection::database() const {
  const std::lock_guard lock(mutex_);
  return database_;
}

AdbcStatusCode connection_new(AdbcConnection* connection, AdbcError* error) {
  return enter(error, [&] { return make_state(connection, std::make_shared<Connection>()); });
}

AdbcStatusCode connection_init(AdbcConnection* connection, AdbcDatabase* database,
                               AdbcError* error) {
  return with_state(connection, error, [&](Connection& state) -> Outcome {
    PENSTOCK_TRY(check_handle(database));
    return state.init(state_in(database));
  });
}

AdbcStatusCode connection_release(AdbcConnection* connection, AdbcError* error) {
  return enter(error, [&] { return release_state(connection); });
}

// Commit and rollback.
AdbcStatusCode connection_commit(AdbcConnection* connection, AdbcError* error) {
  return with_session(connection, error, [](Session&) {
    return Outcome(status_invalid_state,
                   "there is no transaction: each statement is one, as autocommit says");
  });
}

// Metadata is in memory: a call has ended before another thread could cancel it.
AdbcStatusCode connection_cancel(AdbcConnection* connection, AdbcError* error) {
  return with_session(connection, error, [](Session&) { return Outcome(); });
}

AdbcStatusCode connection_read_partition(AdbcConnection* connection, const std::uint8_t*,
                                         std::size_t, ArrowArrayStream*, AdbcError* error) {
  return with_session(connection, error, [](Session&) {
    return Outcome(status_not_implemented, "results have no partitions");
  });
}

}  // namespace penstock::adbc
