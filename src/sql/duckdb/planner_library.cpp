#include "sql/duckdb/planner_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <utility>

#include "base/python_environments.hpp"
#include "device/library.hpp"
#include "sql/duckdb/planner_message.hpp"

namespace penstock::sql {

// duckdb.h's types that the functions below take.
struct DuckDbResult {
  std::uint64_t unused[3];
  void* unused_data;
  char* unused_message;
  void* internal;
};
using DuckDbState = int;  // 0: success

struct DuckDbFunctions {
  DuckDbState (*open)(const char* path, void** database);
  DuckDbState (*connect)(void* database, void** connection);
  void (*disconnect)(void** connection);
  DuckDbState (*query)(void* connection, const char* statement, DuckDbResult* result);
  const char* (*result_error)(DuckDbResult* result);
  char* (*value_varchar)(DuckDbResult* result, std::uint64_t column, std::uint64_t row);
  void (*destroy_result)(DuckDbResult* result);
  void (*free)(void* value);
};

namespace {

using device::Library;
using device::SymbolScope;

Result<const DuckDbFunctions*> functions_of(const Library& library) {
  static DuckDbFunctions f{};
  PENSTOCK_TRY(library.bind(f.open, "duckdb_open"));
  PENSTOCK_TRY(library.bind(f.connect, "duckdb_connect"));
  PENSTOCK_TRY(library.bind(f.disconnect, "duckdb_disconnect"));
  PENSTOCK_TRY(library.bind(f.query, "duckdb_query"));
  PENSTOCK_TRY(library.bind(f.result_error, "duckdb_result_error"));
  PENSTOCK_TRY(library.bind(f.value_varchar, "duckdb_value_varchar"));
  PENSTOCK_TRY(library.bind(f.destroy_result, "duckdb_destroy_result"));
  PENSTOCK_TRY(library.bind(f.free, "duckdb_free"));
  return &f;
}

// Returns the digits behind a mark as a release of Python 3; "" where the mark is missing.
std::string release_behind(const std::string& path, std::string_view mark) {
  const std::size_t at = path.rfind(mark);
  if (at == path.npos) return "";
  const std::size_t begin = at + mark.size();
  return "3." + path.substr(begin, path.find_first_of("-./", begin) - begin);
}

// Returns Python's release of a module's file, such as "3.11" of _duckdb.cpython-311-x86_64...so. A
// file of the stable interface serves several releases: the folder of packages names one. "" for a
// library without Python.
std::string python_release(const std::string& path) {
  const bool is_stable = path.ends_with(".abi3.so");
  return release_behind(path, is_stable ? "/python3." : ".cpython-3");
}

std::string folder_above_program(const std::string& program) {
  std::error_code error;
  const auto real = std::filesystem::canonical(program, error);
  return error ? "" : real.parent_path().parent_path().string();
}

// The module refers to symbols of Python's library and calls none of them for a plan. A Python
// process has them; it opens modules of its own release only.
Status provide_python(const std::string& module, const std::string& environment) {
  const std::string release = python_release(module);
  if (release.empty()) return {};
  using GetVersion = const char*();
  if (auto* const version = reinterpret_cast<GetVersion*>(dlsym(RTLD_DEFAULT, "Py_GetVersion"))) {
    if (std::string_view(version()).starts_with(release + ".")) return {};
    return Status(Code::unsupported, module + " is of another Python");
  }
  const std::string name = "libpython" + release + ".so.1.0";
  std::vector<std::string> names;
  if (!environment.empty()) {
    const std::string real = folder_above_program(environment + "/bin/python3");
    if (!real.empty()) names.push_back(real + "/lib/" + name);
  }
  names.push_back(name);
  return Library::open(names, SymbolScope::global).status();
}

Result<void*> open_database(const DuckDbFunctions& functions) {
  void* database = nullptr;
  if (functions.open(nullptr, &database) != 0)
    return Status(Code::internal, "DuckDB opens no database in memory");
  return database;
}

class Connection {
 public:
  Connection(const DuckDbFunctions& functions, void* database) : f_(functions) {
    if (f_.connect(database, &connection_) != 0) connection_ = nullptr;
  }
  ~Connection() {
    if (connection_) f_.disconnect(&connection_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Returns the first value of a result; "" where it has none.
  Result<std::string> run(const std::string& statement) {
    if (!connection_) return Status(Code::internal, "DuckDB gives no connection");
    DuckDbResult result{};
    const DuckDbState state = f_.query(connection_, statement.c_str(), &result);
    Result<std::string> value = state == 0 ? Result<std::string>(first_value(result))
                                           : Result<std::string>(failure(result));
    f_.destroy_result(&result);
    return value;
  }

 private:
  std::string first_value(DuckDbResult& result) {
    char* const text = f_.value_varchar(&result, 0, 0);
    std::string value = text ? text : "";
    f_.free(text);
    return value;
  }
  Status failure(DuckDbResult& result) {
    const char* const message = f_.result_error(&result);
    return planner_failure(message ? message : "no message");
  }

  const DuckDbFunctions& f_;
  void* connection_ = nullptr;
};

}  // namespace

Result<PlannerLibrary> PlannerLibrary::open(const std::string& path) {
  PENSTOCK_TRY(provide_python(path, ""));
  PENSTOCK_ASSIGN(const Library library, Library::open({path}));
  PENSTOCK_ASSIGN(const DuckDbFunctions* const functions, functions_of(library));
  PENSTOCK_ASSIGN(void* const database, open_database(*functions));
  return PlannerLibrary(functions, database);
}

std::optional<PlannerLibrary> PlannerLibrary::find() {
  if (auto library = open("libduckdb.so"); library.ok()) return *library;
  PackageFile module = find_in_packages("_duckdb.cpython-3*.so");
  if (module.path.empty()) module = find_in_packages("_duckdb.abi3.so");
  if (module.path.empty() || !provide_python(module.path, module.environment).ok()) return {};
  auto library = open(module.path);
  return library.ok() ? std::optional(*library) : std::nullopt;
}

// One database serves all statements: views and macros end with their transaction.
Result<std::string> PlannerLibrary::run(const std::vector<std::string>& statements) const {
  static std::mutex turn;
  const std::scoped_lock lock(turn);
  Connection connection(*functions_, database_);
  PENSTOCK_TRY(connection.run("BEGIN"));
  std::string value;
  for (const std::string& statement : statements) {
    auto result = connection.run(statement);
    if (!result.ok()) {
      static_cast<void>(connection.run("ROLLBACK"));
      return result.status();
    }
    value = *std::move(result);
  }
  PENSTOCK_TRY(connection.run("ROLLBACK"));
  return value;
}

}  // namespace penstock::sql
