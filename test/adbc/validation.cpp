// Apache Arrow ADBC's validation suite over libpenstock.so, through the driver manager, as
// scripts/adbc_validation.sh builds it. docs/adbc.md lists the parts that are turned off here, and
// why.
#include <arrow-adbc/adbc.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <validation/adbc_validation.h>
#include <validation/adbc_validation_util.h>

#include <cstdlib>

namespace {

std::string value_of_variable(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

class Penstock : public adbc_validation::DriverQuirks {
 public:
  AdbcStatusCode SetupDatabase(AdbcDatabase* database, AdbcError* error) const override {
    const std::pair<const char*, std::string> options[] = {
        {"driver", value_of_variable("PENSTOCK_LIBRARY", "libpenstock.so")},
        {"penstock.device", value_of_variable("PENSTOCK_DEVICE", "cpu:0")},
        {"penstock.planner", value_of_variable("PENSTOCK_PLANNER", "auto")}};
    for (const auto& [key, value] : options)
      if (const auto code = AdbcDatabaseSetOption(database, key, value.c_str(), error)) return code;
    return ADBC_STATUS_OK;
  }
  AdbcStatusCode DropTable(AdbcConnection* connection, const std::string& name,
                           AdbcError* error) const override {
    return run(connection, "DROP TABLE IF EXISTS " + in_quotes(name), error);
  }
  AdbcStatusCode DropView(AdbcConnection* connection, const std::string& name,
                          AdbcError* error) const override {
    return run(connection, "DROP VIEW IF EXISTS " + in_quotes(name), error);
  }
  std::string BindParameter(int index) const override { return "$" + std::to_string(index + 1); }
  ArrowType IngestSelectRoundTripType(ArrowType type) const override {
    switch (type) {
      case NANOARROW_TYPE_LARGE_STRING:
      case NANOARROW_TYPE_STRING_VIEW: return NANOARROW_TYPE_STRING;
      case NANOARROW_TYPE_LARGE_BINARY:
      case NANOARROW_TYPE_BINARY_VIEW:
      case NANOARROW_TYPE_FIXED_SIZE_BINARY: return NANOARROW_TYPE_BINARY;
      default: return type;
    }
  }
  std::optional<adbc_validation::SqlInfoValue> supports_get_sql_info(
      std::uint32_t code) const override {
    switch (code) {
      case ADBC_INFO_DRIVER_ADBC_VERSION: return ADBC_VERSION_1_1_0;
      case ADBC_INFO_DRIVER_NAME: return "ADBC Penstock Driver";
      case ADBC_INFO_VENDOR_NAME: return "Penstock";
      default: return std::nullopt;
    }
  }
  bool supports_bulk_ingest_temporary() const override { return false; }
  bool supports_cancel() const override { return true; }
  bool supports_concurrent_statements() const override { return true; }
  bool supports_execute_schema() const override { return true; }
  bool supports_transactions() const override { return false; }
  bool supports_metadata_current_catalog() const override { return true; }
  bool supports_metadata_current_db_schema() const override { return true; }
  bool supports_statistics() const override { return true; }
  bool supports_ingest_float16() const override { return false; }
  std::string catalog() const override { return ""; }
  std::string db_schema() const override { return "main"; }

 private:
  static std::string in_quotes(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + "\"";
  }
  static AdbcStatusCode run(AdbcConnection* connection, const std::string& text, AdbcError* error) {
    AdbcStatement statement{};
    AdbcStatusCode code = AdbcStatementNew(connection, &statement, error);
    if (code == ADBC_STATUS_OK) code = AdbcStatementSetSqlQuery(&statement, text.c_str(), error);
    if (code == ADBC_STATUS_OK)
      code = AdbcStatementExecuteQuery(&statement, nullptr, nullptr, error);
    AdbcStatementRelease(&statement, nullptr);
    return code;
  }
};

template <class Suite> class OfPenstock : public ::testing::Test, public Suite {
 public:
  const adbc_validation::DriverQuirks* quirks() const override { return &penstock_; }
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(this->SetUpTest()); }
  void TearDown() override { ASSERT_NO_FATAL_FAILURE(this->TearDownTest()); }

 private:
  Penstock penstock_;
};

class PenstockDatabase : public OfPenstock<adbc_validation::DatabaseTest> {};
class PenstockConnection : public OfPenstock<adbc_validation::ConnectionTest> {};

class PenstockStatement : public OfPenstock<adbc_validation::StatementTest> {
 public:
  void TestSqlIngestDuration() { GTEST_SKIP() << "DURATION is not read"; }

  // Without nanoseconds, as values with digits below a microsecond are errors.
  void TestSqlIngestTimestamp() { ingest_timestamps(nullptr); }
  void TestSqlIngestTimestampTz() { ingest_timestamps("UTC"); }

 protected:
  void ingest_timestamps(const char* zone) {
    ASSERT_NO_FATAL_FAILURE(
        (TestSqlIngestTemporalType<NANOARROW_TYPE_TIMESTAMP, NANOARROW_TIME_UNIT_SECOND>(zone)));
    ASSERT_NO_FATAL_FAILURE(
        (TestSqlIngestTemporalType<NANOARROW_TYPE_TIMESTAMP, NANOARROW_TIME_UNIT_MILLI>(zone)));
    ASSERT_NO_FATAL_FAILURE(
        (TestSqlIngestTemporalType<NANOARROW_TYPE_TIMESTAMP, NANOARROW_TIME_UNIT_MICRO>(zone)));
  }
  // The suite's values are -42, 0 and 42 of the unit; results have microseconds.
  void ValidateIngestedTemporalData(ArrowArrayView* values, ArrowType type, ArrowTimeUnit unit,
                                    const char*) override {
    ASSERT_EQ(type, NANOARROW_TYPE_TIMESTAMP);
    const std::int64_t unit_in_us = unit == NANOARROW_TIME_UNIT_SECOND  ? 1'000'000
                                    : unit == NANOARROW_TIME_UNIT_MILLI ? 1'000
                                                                        : 1;
    ASSERT_NO_FATAL_FAILURE(adbc_validation::CompareArray<std::int64_t>(
        values, {std::nullopt, -42 * unit_in_us, 0, 42 * unit_in_us}));
  }
};

ADBCV_TEST_DATABASE(PenstockDatabase)
ADBCV_TEST_CONNECTION(PenstockConnection)
ADBCV_TEST_STATEMENT(PenstockStatement)

}  // namespace
