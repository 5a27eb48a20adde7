// The entry points of the ADBC driver, and its table of functions.
#include <cstring>

#include "session/adbc/metadata.hpp"
#include "session/adbc/statement.hpp"

namespace penstock::adbc {
namespace {

AdbcStatusCode release_driver(AdbcDriver* driver, AdbcError* error) {
  return enter(error, [&]() -> Outcome {
    if (driver == nullptr || driver->release == nullptr)
      return Outcome(status_invalid_state, "the driver is null, or was released");
    driver->release = nullptr;
    driver->private_data = nullptr;
    return {};
  });
}

// Streams report their errors themselves.
const AdbcError* no_error_of_stream(ArrowArrayStream*, AdbcStatusCode*) { return nullptr; }

constexpr AdbcDriver driver_functions = {
    nullptr,
    nullptr,
    release_driver,

    database_init,
    database_new,
    set_text_option<AdbcDatabase>,
    database_release,

    connection_commit,
    connection_get_info,
    connection_get_objects,
    connection_get_table_schema,
    connection_get_table_types,
    connection_init,
    connection_new,
    set_text_option<AdbcConnection>,
    connection_read_partition,
    connection_release,
    connection_commit,

    statement_bind,
    statement_bind_stream,
    statement_execute_query,
    statement_execute_partitions,
    statement_get_parameter_schema,
    statement_new,
    statement_prepare,
    statement_release,
    set_text_option<AdbcStatement>,
    statement_set_sql_query,
    statement_set_substrait_plan,

    error_detail_count,
    error_detail,
    no_error_of_stream,

    get_options<AdbcDatabase>(),
    set_options<AdbcDatabase>(),

    connection_cancel,
    get_options<AdbcConnection>(),
    connection_get_statistics,
    connection_get_statistic_names,
    set_options<AdbcConnection>(),

    statement_cancel,
    statement_execute_schema,
    get_options<AdbcStatement>(),
    set_options<AdbcStatement>(),
};

Outcome fill_driver(int version, void* driver) {
  if (driver == nullptr) return Outcome(status_invalid_argument, "the driver is null");
  if (version != version_1_0 && version != version_1_1)
    return Outcome(status_not_implemented,
                   "revision " + std::to_string(version) + " of ADBC is neither 1.0 nor 1.1");
  void* const manager = static_cast<AdbcDriver*>(driver)->private_manager;
  std::memcpy(driver, &driver_functions,
              version == version_1_0 ? driver_bytes_1_0 : sizeof driver_functions);
  static_cast<AdbcDriver*>(driver)->private_manager = manager;
  return {};
}

}  // namespace
}  // namespace penstock::adbc

extern "C" {

AdbcStatusCode AdbcDriverInit(int version, void* driver, AdbcError* error) {
  return penstock::adbc::enter(error, [&] { return penstock::adbc::fill_driver(version, driver); });
}

AdbcStatusCode AdbcDriverPenstockInit(int version, void* driver, AdbcError* error) {
  return AdbcDriverInit(version, driver, error);
}

}  // extern "C"
