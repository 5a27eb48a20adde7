// The binary interface of ADBC 1.1
// (https://arrow.apache.org/adbc/current/format/specification.html): its structs, codes and names
// of options. Drivers and driver managers agree on them by layout alone, as Arrow's C structs in
// penstock/arrow_c.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "penstock/arrow_c.hpp"

extern "C" {

using AdbcStatusCode = std::uint8_t;

struct AdbcDriver;

// A caller of revision 1.0 has no fields after `release`. One of 1.1 says so by its vendor code.
struct AdbcError {
  char* message;
  std::int32_t vendor_code;
  char sqlstate[5];
  void (*release)(AdbcError* error);
  void* private_data;
  AdbcDriver* private_driver;
};

struct AdbcErrorDetail {
  const char* key;
  const std::uint8_t* value;
  std::size_t value_length;
};

struct AdbcDatabase {
  void* private_data;
  AdbcDriver* private_driver;
};

struct AdbcConnection {
  void* private_data;
  AdbcDriver* private_driver;
};

struct AdbcStatement {
  void* private_data;
  AdbcDriver* private_driver;
};

struct AdbcPartitions {
  std::size_t num_partitions;
  const std::uint8_t** partitions;
  const std::size_t* partition_lengths;
  void* private_data;
  void (*release)(AdbcPartitions* partitions);
};
}

namespace penstock::adbc {

// The functions that get and set options of one kind of handle.
template <class Handle> struct GetOptions {
  AdbcStatusCode (*text)(Handle*, const char*, char*, std::size_t*, AdbcError*);
  AdbcStatusCode (*bytes)(Handle*, const char*, std::uint8_t*, std::size_t*, AdbcError*);
  AdbcStatusCode (*real)(Handle*, const char*, double*, AdbcError*);
  AdbcStatusCode (*integer)(Handle*, const char*, std::int64_t*, AdbcError*);
};
template <class Handle> struct SetOptions {
  AdbcStatusCode (*bytes)(Handle*, const char*, const std::uint8_t*, std::size_t, AdbcError*);
  AdbcStatusCode (*real)(Handle*, const char*, double, AdbcError*);
  AdbcStatusCode (*integer)(Handle*, const char*, std::int64_t, AdbcError*);
};

}  // namespace penstock::adbc

extern "C" {

// A driver's functions, in the order of the interface.
struct AdbcDriver {
  void* private_data;
  void* private_manager;
  AdbcStatusCode (*release)(AdbcDriver*, AdbcError*);

  AdbcStatusCode (*database_init)(AdbcDatabase*, AdbcError*);
  AdbcStatusCode (*database_new)(AdbcDatabase*, AdbcError*);
  AdbcStatusCode (*database_set_option)(AdbcDatabase*, const char*, const char*, AdbcError*);
  AdbcStatusCode (*database_release)(AdbcDatabase*, AdbcError*);

  AdbcStatusCode (*connection_commit)(AdbcConnection*, AdbcError*);
  AdbcStatusCode (*connection_get_info)(AdbcConnection*, const std::uint32_t*, std::size_t,
                                        ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*connection_get_objects)(AdbcConnection*, int, const char*, const char*,
                                           const char*, const char**, const char*,
                                           ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*connection_get_table_schema)(AdbcConnection*, const char*, const char*,
                                                const char*, ArrowSchema*, AdbcError*);
  AdbcStatusCode (*connection_get_table_types)(AdbcConnection*, ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*connection_init)(AdbcConnection*, AdbcDatabase*, AdbcError*);
  AdbcStatusCode (*connection_new)(AdbcConnection*, AdbcError*);
  AdbcStatusCode (*connection_set_option)(AdbcConnection*, const char*, const char*, AdbcError*);
  AdbcStatusCode (*connection_read_partition)(AdbcConnection*, const std::uint8_t*, std::size_t,
                                              ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*connection_release)(AdbcConnection*, AdbcError*);
  AdbcStatusCode (*connection_rollback)(AdbcConnection*, AdbcError*);

  AdbcStatusCode (*statement_bind)(AdbcStatement*, ArrowArray*, ArrowSchema*, AdbcError*);
  AdbcStatusCode (*statement_bind_stream)(AdbcStatement*, ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*statement_execute_query)(AdbcStatement*, ArrowArrayStream*, std::int64_t*,
                                            AdbcError*);
  AdbcStatusCode (*statement_execute_partitions)(AdbcStatement*, ArrowSchema*, AdbcPartitions*,
                                                 std::int64_t*, AdbcError*);
  AdbcStatusCode (*statement_get_parameter_schema)(AdbcStatement*, ArrowSchema*, AdbcError*);
  AdbcStatusCode (*statement_new)(AdbcConnection*, AdbcStatement*, AdbcError*);
  AdbcStatusCode (*statement_prepare)(AdbcStatement*, AdbcError*);
  AdbcStatusCode (*statement_release)(AdbcStatement*, AdbcError*);
  AdbcStatusCode (*statement_set_option)(AdbcStatement*, const char*, const char*, AdbcError*);
  AdbcStatusCode (*statement_set_sql_query)(AdbcStatement*, const char*, AdbcError*);
  AdbcStatusCode (*statement_set_substrait_plan)(AdbcStatement*, const std::uint8_t*, std::size_t,
                                                 AdbcError*);

  // Since 1.1; a caller of 1.0 has no memory for them.
  int (*error_get_detail_count)(const AdbcError*);
  AdbcErrorDetail (*error_get_detail)(const AdbcError*, int);
  const AdbcError* (*error_from_array_stream)(ArrowArrayStream*, AdbcStatusCode*);

  penstock::adbc::GetOptions<AdbcDatabase> database_get_options;
  penstock::adbc::SetOptions<AdbcDatabase> database_set_options;

  AdbcStatusCode (*connection_cancel)(AdbcConnection*, AdbcError*);
  penstock::adbc::GetOptions<AdbcConnection> connection_get_options;
  AdbcStatusCode (*connection_get_statistics)(AdbcConnection*, const char*, const char*,
                                              const char*, char, ArrowArrayStream*, AdbcError*);
  AdbcStatusCode (*connection_get_statistic_names)(AdbcConnection*, ArrowArrayStream*, AdbcError*);
  penstock::adbc::SetOptions<AdbcConnection> connection_set_options;

  AdbcStatusCode (*statement_cancel)(AdbcStatement*, AdbcError*);
  AdbcStatusCode (*statement_execute_schema)(AdbcStatement*, ArrowSchema*, AdbcError*);
  penstock::adbc::GetOptions<AdbcStatement> statement_get_options;
  penstock::adbc::SetOptions<AdbcStatement> statement_set_options;
};

// The entry points that a driver manager looks up. `driver` is an AdbcDriver of the version.
AdbcStatusCode AdbcDriverInit(int version, void* driver, AdbcError* error);
AdbcStatusCode AdbcDriverPenstockInit(int version, void* driver, AdbcError* error);
}

namespace penstock::adbc {

constexpr int version_1_0 = 1000000, version_1_1 = 1001000;
constexpr std::size_t driver_bytes_1_0 = offsetof(AdbcDriver, error_get_detail_count);
static_assert(driver_bytes_1_0 == 29 * sizeof(void*) && sizeof(AdbcDriver) == 58 * sizeof(void*));

constexpr std::int32_t vendor_code_of_1_1 = INT32_MIN;

enum : AdbcStatusCode {
  status_ok = 0,
  status_unknown = 1,
  status_not_implemented = 2,
  status_not_found = 3,
  status_already_exists = 4,
  status_invalid_argument = 5,
  status_invalid_state = 6,
  status_invalid_data = 7,
  status_integrity = 8,
  status_internal = 9,
  status_io = 10,
  status_cancelled = 11,
};

}  // namespace penstock::adbc
