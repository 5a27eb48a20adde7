// Metadata of the driver and of a database's tables.
#pragma once
#include "session/adbc/connection.hpp"

namespace penstock::adbc {

AdbcStatusCode connection_get_info(AdbcConnection* connection, const std::uint32_t* codes,
                                   std::size_t count, ArrowArrayStream* out, AdbcError* error);
AdbcStatusCode connection_get_objects(AdbcConnection* connection, int depth, const char* catalog,
                                      const char* db_schema, const char* table_name,
                                      const char** table_types, const char* column_name,
                                      ArrowArrayStream* out, AdbcError* error);
AdbcStatusCode connection_get_table_schema(AdbcConnection* connection, const char* catalog,
                                           const char* db_schema, const char* table_name,
                                           ArrowSchema* out, AdbcError* error);
AdbcStatusCode connection_get_table_types(AdbcConnection* connection, ArrowArrayStream* out,
                                          AdbcError* error);
AdbcStatusCode connection_get_statistics(AdbcConnection* connection, const char* catalog,
                                         const char* db_schema, const char* table_name,
                                         char approximate, ArrowArrayStream* out, AdbcError* error);
AdbcStatusCode connection_get_statistic_names(AdbcConnection* connection, ArrowArrayStream* out,
                                              AdbcError* error);

}  // namespace penstock::adbc
