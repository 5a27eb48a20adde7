// A database: a session, with the files of a folder as its tables. Connections share it.
#pragma once
#include <map>
#include <mutex>

#include "penstock/session.hpp"
#include "session/adbc/handle_options.hpp"

namespace penstock::adbc {

class Database {
 public:
  Outcome set_option(const std::string& key, const OptionText& value);
  OptionText option(const std::string& key) const;
  // Opens the session, once.
  Outcome init();
  std::shared_ptr<Session> session() const;  // null before init()
  // Held while a table is looked up and then changed.
  std::mutex& table_mutex() { return table_mutex_; }

 private:
  mutable std::mutex mutex_;
  std::mutex table_mutex_;
  std::map<std::string, std::string, std::less<>> options_;
  std::shared_ptr<Session> session_;
};

AdbcStatusCode database_new(AdbcDatabase* database, AdbcError* error);
AdbcStatusCode database_init(AdbcDatabase* database, AdbcError* error);
AdbcStatusCode database_release(AdbcDatabase* database, AdbcError* error);

}  // namespace penstock::adbc
