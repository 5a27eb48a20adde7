// A connection: access to a database. Each statement is a transaction of its own.
#pragma once
#include "session/adbc/database.hpp"

namespace penstock::adbc {

class Connection {
 public:
  Outcome set_option(const std::string& key, const OptionText& value);
  OptionText option(const std::string& key) const;
  Outcome init(const std::shared_ptr<Database>& database);
  // The database that it was opened for; null before init().
  std::shared_ptr<Database> database() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Database> database_;
};

// Runs work with the session of an open connection.
template <class Work>
AdbcStatusCode with_session(AdbcConnection* connection, AdbcError* error, Work&& work) {
  return with_state(connection, error, [&](Connection& state) -> Outcome {
    const auto database = state.database();
    if (!database) return Outcome(status_invalid_state, "the connection is not open yet");
    return work(*database->session());
  });
}

// The one schema, and the catalog, which has no name.
constexpr std::string_view only_catalog = "", only_schema = "main";
// Tells whether a name of them, which may be null, can only mean these.
bool means_catalog(const char* name);
bool means_schema(const char* name);

AdbcStatusCode connection_new(AdbcConnection* connection, AdbcError* error);
AdbcStatusCode connection_init(AdbcConnection* connection, AdbcDatabase* database,
                               AdbcError* error);
AdbcStatusCode connection_release(AdbcConnection* connection, AdbcError* error);
AdbcStatusCode connection_commit(AdbcConnection* connection, AdbcError* error);
AdbcStatusCode connection_cancel(AdbcConnection* connection, AdbcError* error);
AdbcStatusCode connection_read_partition(AdbcConnection* connection, const std::uint8_t* bytes,
                                         std::size_t length, ArrowArrayStream* out,
                                         AdbcError* error);

}  // namespace penstock::adbc
