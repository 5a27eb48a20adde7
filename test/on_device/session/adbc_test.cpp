// The ADBC driver as C programs call it: null handles, wrong orders, callers of revision 1.0.
// test/python/adbc_test.py has its answers.
#include "session/adbc/adbc.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace penstock::test {
namespace {

using namespace adbc;

AdbcDriver made_driver() {
  AdbcDriver driver{};
  EXPECT_EQ(AdbcDriverPenstockInit(version_1_1, &driver, nullptr), status_ok);
  return driver;
}

// An error that releases itself.
struct GivenError {
  AdbcError error{};
  explicit GivenError(std::int32_t vendor_code = vendor_code_of_1_1) {
    error.vendor_code = vendor_code;
  }
  ~GivenError() {
    if (error.release != nullptr) error.release(&error);
  }
  std::string message() const { return error.message == nullptr ? "" : error.message; }
};

#define EXPECT_STATE_ERROR(...)                     \
  do {                                              \
    GivenError given;                               \
    AdbcError* const error = &given.error;          \
    EXPECT_EQ(__VA_ARGS__, status_invalid_state);   \
    EXPECT_NE(given.message(), "") << #__VA_ARGS__; \
  } while (false)

// An open database on the CPU with a connection and a statement.
class AdbcCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver_.database_new(&database_, nullptr), status_ok);
    ASSERT_EQ(driver_.database_set_option(&database_, "penstock.device", "cpu:0", nullptr),
              status_ok);
    ASSERT_EQ(driver_.database_set_option(&database_, "penstock.planner", "own", nullptr),
              status_ok);
    ASSERT_EQ(driver_.database_init(&database_, nullptr), status_ok);
    ASSERT_EQ(driver_.connection_new(&connection_, nullptr), status_ok);
    ASSERT_EQ(driver_.connection_init(&connection_, &database_, nullptr), status_ok);
    ASSERT_EQ(driver_.statement_new(&connection_, &statement_, nullptr), status_ok);
  }
  void TearDown() override {
    if (statement_.private_data != nullptr) driver_.statement_release(&statement_, nullptr);
    if (connection_.private_data != nullptr) driver_.connection_release(&connection_, nullptr);
    if (database_.private_data != nullptr) driver_.database_release(&database_, nullptr);
  }
  AdbcStatusCode run(const char* text, ArrowArrayStream* out = nullptr,
                     std::int64_t* count = nullptr, AdbcError* error = nullptr) {
    const AdbcStatusCode code = driver_.statement_set_sql_query(&statement_, text, error);
    return code != status_ok ? code
                             : driver_.statement_execute_query(&statement_, out, count, error);
  }

  AdbcDriver driver_ = made_driver();
  AdbcDatabase database_{};
  AdbcConnection connection_{};
  AdbcStatement statement_{};
};

TEST(AdbcDriver, HandlesThatAreNullOrEmptyAreRefused) {
  const AdbcDriver driver = made_driver();
  AdbcDatabase database{};
  AdbcConnection connection{};
  AdbcStatement statement{};
  for (AdbcDatabase* const no_database : {static_cast<AdbcDatabase*>(nullptr), &database}) {
    EXPECT_STATE_ERROR(driver.database_init(no_database, error));
    EXPECT_STATE_ERROR(driver.database_release(no_database, error));
    EXPECT_STATE_ERROR(driver.database_set_option(no_database, "uri", "", error));
    EXPECT_STATE_ERROR(driver.connection_init(&connection, no_database, error));
  }
  for (AdbcConnection* const no_connection : {static_cast<AdbcConnection*>(nullptr), &connection}) {
    EXPECT_STATE_ERROR(driver.connection_release(no_connection, error));
    EXPECT_STATE_ERROR(driver.connection_commit(no_connection, error));
    EXPECT_STATE_ERROR(driver.connection_rollback(no_connection, error));
    EXPECT_STATE_ERROR(driver.connection_cancel(no_connection, error));
    EXPECT_STATE_ERROR(driver.connection_get_info(no_connection, nullptr, 0, nullptr, error));
    EXPECT_STATE_ERROR(driver.connection_get_objects(no_connection, 0, nullptr, nullptr, nullptr,
                                                     nullptr, nullptr, nullptr, error));
    EXPECT_STATE_ERROR(
        driver.connection_get_table_schema(no_connection, nullptr, nullptr, "t", nullptr, error));
    EXPECT_STATE_ERROR(driver.connection_get_table_types(no_connection, nullptr, error));
    EXPECT_STATE_ERROR(driver.statement_new(no_connection, &statement, error));
  }
  for (AdbcStatement* const no_statement : {static_cast<AdbcStatement*>(nullptr), &statement}) {
    EXPECT_STATE_ERROR(driver.statement_release(no_statement, error));
    EXPECT_STATE_ERROR(driver.statement_set_sql_query(no_statement, "SELECT 1", error));
    EXPECT_STATE_ERROR(driver.statement_set_substrait_plan(no_statement, nullptr, 0, error));
    EXPECT_STATE_ERROR(driver.statement_execute_query(no_statement, nullptr, nullptr, error));
    EXPECT_STATE_ERROR(driver.statement_execute_schema(no_statement, nullptr, error));
    EXPECT_STATE_ERROR(driver.statement_bind(no_statement, nullptr, nullptr, error));
    EXPECT_STATE_ERROR(driver.statement_bind_stream(no_statement, nullptr, error));
    EXPECT_STATE_ERROR(driver.statement_prepare(no_statement, error));
    EXPECT_STATE_ERROR(driver.statement_cancel(no_statement, error));
    EXPECT_STATE_ERROR(driver.statement_get_parameter_schema(no_statement, nullptr, error));
  }
  EXPECT_STATE_ERROR(driver.database_new(nullptr, error));
  EXPECT_STATE_ERROR(driver.connection_new(nullptr, error));
}

TEST(AdbcDriver, ACallerOfRevision10GetsNoFunctionsThatItHasNoMemoryFor) {
  AdbcDriver driver;
  std::memset(&driver, 0xab, sizeof driver);
  driver.private_manager = nullptr;
  ASSERT_EQ(AdbcDriverInit(version_1_0, &driver, nullptr), status_ok);
  EXPECT_NE(driver.statement_set_substrait_plan, nullptr);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&driver);
  for (std::size_t i = driver_bytes_1_0; i < sizeof driver; i++) ASSERT_EQ(bytes[i], 0xab);
}

TEST(AdbcDriver, OtherRevisionsAndNullAreRefused) {
  AdbcDriver driver{};
  EXPECT_EQ(AdbcDriverInit(2000000, &driver, nullptr), status_not_implemented);
  EXPECT_EQ(AdbcDriverInit(version_1_1, nullptr, nullptr), status_invalid_argument);
  EXPECT_EQ(driver.release, nullptr);
}

TEST(AdbcDriver, ADriverIsReleasedOnce) {
  AdbcDriver driver = made_driver();
  auto* const release = driver.release;
  EXPECT_EQ(release(&driver, nullptr), status_ok);
  EXPECT_STATE_ERROR(release(&driver, error));
  EXPECT_STATE_ERROR(release(nullptr, error));
}

TEST_F(AdbcCalls, HandlesAreMadeAndReleasedOnce) {
  EXPECT_STATE_ERROR(driver_.database_new(&database_, error));
  EXPECT_STATE_ERROR(driver_.database_init(&database_, error));
  EXPECT_STATE_ERROR(driver_.connection_new(&connection_, error));
  EXPECT_STATE_ERROR(driver_.connection_init(&connection_, &database_, error));
  EXPECT_STATE_ERROR(driver_.statement_new(&connection_, &statement_, error));
  EXPECT_EQ(driver_.statement_release(&statement_, nullptr), status_ok);
  EXPECT_STATE_ERROR(driver_.statement_release(&statement_, error));
}

TEST_F(AdbcCalls, NothingRunsBeforeItIsOpen) {
  AdbcDatabase database{};
  AdbcConnection connection{};
  AdbcStatement statement{};
  ASSERT_EQ(driver_.database_new(&database, nullptr), status_ok);
  ASSERT_EQ(driver_.connection_new(&connection, nullptr), status_ok);
  EXPECT_STATE_ERROR(driver_.connection_init(&connection, &database, error));
  EXPECT_STATE_ERROR(driver_.statement_new(&connection, &statement, error));
  EXPECT_STATE_ERROR(driver_.connection_commit(&connection, error));
  EXPECT_EQ(driver_.connection_release(&connection, nullptr), status_ok);
  EXPECT_EQ(driver_.database_release(&database, nullptr), status_ok);
}

TEST_F(AdbcCalls, OptionsOfADatabaseAreSetBeforeItOpens) {
  EXPECT_STATE_ERROR(driver_.database_set_option(&database_, "uri", "/tmp", error));
  EXPECT_EQ(driver_.database_set_option(&database_, "no.such", "1", nullptr),
            status_not_implemented);
  EXPECT_EQ(driver_.database_set_option(&database_, nullptr, "1", nullptr),
            status_invalid_argument);
}

TEST_F(AdbcCalls, AStatementOutlivesItsConnectionAndDatabase) {
  EXPECT_EQ(driver_.database_release(&database_, nullptr), status_ok);
  EXPECT_EQ(driver_.connection_release(&connection_, nullptr), status_ok);
  ArrowArrayStream rows{};
  std::int64_t count = 0;
  ASSERT_EQ(run("SELECT 7 AS n", &rows, &count), status_ok);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(driver_.statement_release(&statement_, nullptr), status_ok);
  ArrowArray batch{};
  ASSERT_EQ(rows.get_next(&rows, &batch), 0);
  ASSERT_EQ(batch.length, 1);
  batch.release(&batch);
  rows.release(&rows);
}

TEST_F(AdbcCalls, AStatementNeedsATextAndValuesOfItsParameters) {
  EXPECT_STATE_ERROR(driver_.statement_execute_query(&statement_, nullptr, nullptr, error));
  EXPECT_STATE_ERROR(driver_.statement_prepare(&statement_, error));
  EXPECT_STATE_ERROR(run("SELECT ?", nullptr, nullptr, error));
  EXPECT_STATE_ERROR(run("; ;", nullptr, nullptr, error));
  EXPECT_EQ(driver_.statement_set_sql_query(&statement_, nullptr, nullptr),
            status_invalid_argument);
  EXPECT_EQ(driver_.statement_set_option(&statement_, "adbc.ingest.target_table", "t", nullptr),
            status_ok);
  EXPECT_STATE_ERROR(driver_.statement_execute_query(&statement_, nullptr, nullptr, error));
}

TEST_F(AdbcCalls, StructsThatWereReleasedAreNotBound) {
  ArrowArray array{};
  ArrowSchema schema{};
  ArrowArrayStream stream{};
  EXPECT_EQ(driver_.statement_bind(&statement_, &array, &schema, nullptr), status_invalid_argument);
  EXPECT_EQ(driver_.statement_bind(&statement_, nullptr, nullptr, nullptr),
            status_invalid_argument);
  EXPECT_EQ(driver_.statement_bind_stream(&statement_, &stream, nullptr), status_invalid_argument);
  EXPECT_EQ(driver_.statement_bind_stream(&statement_, nullptr, nullptr), status_invalid_argument);
}

TEST_F(AdbcCalls, PlacesForAnswersMayNotBeNull) {
  EXPECT_EQ(driver_.connection_get_info(&connection_, nullptr, 0, nullptr, nullptr),
            status_invalid_argument);
  EXPECT_EQ(driver_.connection_get_table_types(&connection_, nullptr, nullptr),
            status_invalid_argument);
  EXPECT_EQ(driver_.connection_get_objects(&connection_, 9, nullptr, nullptr, nullptr, nullptr,
                                           nullptr, nullptr, nullptr),
            status_invalid_argument);
  ASSERT_EQ(driver_.statement_set_sql_query(&statement_, "SELECT 1", nullptr), status_ok);
  EXPECT_EQ(driver_.statement_execute_schema(&statement_, nullptr, nullptr),
            status_invalid_argument);
  EXPECT_EQ(driver_.statement_get_parameter_schema(&statement_, nullptr, nullptr),
            status_invalid_argument);
}

TEST_F(AdbcCalls, AValueIsCopiedWhereThereIsRoom) {
  const auto& options = driver_.database_get_options;
  char text[6] = "?????";
  std::size_t length = 3;
  ASSERT_EQ(options.text(&database_, "penstock.device", text, &length, nullptr), status_ok);
  EXPECT_EQ(length, 6u);
  EXPECT_STREQ(text, "?????");
  ASSERT_EQ(options.text(&database_, "penstock.device", text, &length, nullptr), status_ok);
  EXPECT_STREQ(text, "cpu:0");
  EXPECT_EQ(options.text(&database_, "penstock.device", nullptr, &length, nullptr),
            status_invalid_argument);
  EXPECT_EQ(options.text(&database_, "penstock.device", text, nullptr, nullptr),
            status_invalid_argument);
  std::int64_t number = 0;
  EXPECT_EQ(options.integer(&database_, "penstock.device", &number, nullptr), status_not_found);
  EXPECT_EQ(options.integer(&database_, "uri", &number, nullptr), status_not_found);
}

TEST_F(AdbcCalls, AnErrorOfRevision11HasDetails) {
  GivenError given;
  EXPECT_EQ(run("SELECT n FROM 'no.parquet'", nullptr, nullptr, &given.error), status_not_found);
  ASSERT_GE(driver_.error_get_detail_count(&given.error), 1);
  const AdbcErrorDetail detail = driver_.error_get_detail(&given.error, 0);
  EXPECT_STREQ(detail.key, "penstock.code");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(detail.value), detail.value_length), "io");
  EXPECT_EQ(driver_.error_get_detail(&given.error, -1).key, nullptr);
  EXPECT_EQ(driver_.error_get_detail(&given.error, 99).key, nullptr);
  EXPECT_EQ(driver_.error_get_detail_count(nullptr), 0);
}

// Its caller's struct ends before the fields of 1.1.
TEST_F(AdbcCalls, AnErrorOfRevision10KeepsTheFieldsOf11) {
  GivenError given(0);
  given.error.private_data = &given;
  EXPECT_EQ(run("SELECT n FROM 'no.parquet'", nullptr, nullptr, &given.error), status_not_found);
  EXPECT_EQ(given.error.private_data, &given);
  EXPECT_EQ(driver_.error_get_detail_count(&given.error), 0);
  EXPECT_NE(given.message(), "");
}

TEST_F(AdbcCalls, AnErrorIsReplacedByTheNext) {
  GivenError given;
  EXPECT_EQ(run("SELECT n FROM 'no.parquet'", nullptr, nullptr, &given.error), status_not_found);
  EXPECT_EQ(run("SELECT", nullptr, nullptr, &given.error), status_invalid_argument);
  EXPECT_EQ(given.message().find("no.parquet"), std::string::npos);
}

TEST_F(AdbcCalls, APartOfAnAnswerOutlivesTheRest) {
  ArrowArrayStream stream{};
  ASSERT_EQ(driver_.connection_get_objects(&connection_, 0, nullptr, nullptr, nullptr, nullptr,
                                           nullptr, &stream, nullptr),
            status_ok);
  ArrowSchema schema{};
  ArrowArray array{};
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  stream.release(&stream);
  ArrowArray moved = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  EXPECT_EQ(moved.length, 1);
  moved.release(&moved);
  ArrowSchema moved_schema = *schema.children[1];
  schema.children[1]->release = nullptr;
  schema.release(&schema);
  EXPECT_STREQ(moved_schema.name, "catalog_db_schemas");
  moved_schema.release(&moved_schema);
}

TEST_F(AdbcCalls, ACancelBeforeAStatementLeavesItAlone) {
  EXPECT_EQ(driver_.statement_cancel(&statement_, nullptr), status_ok);
  EXPECT_EQ(run("SELECT 1"), status_ok);
}

TEST_F(AdbcCalls, StatementsOfSeveralThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      AdbcStatement statement{};
      ASSERT_EQ(driver_.statement_new(&connection_, &statement, nullptr), status_ok);
      const std::string name = "t" + std::to_string(i);
      const std::string text = "CREATE TABLE " + name + " AS SELECT " + std::to_string(i) + " AS n";
      for (const std::string& each : {text, "SELECT n FROM " + name, "DROP TABLE " + name}) {
        ASSERT_EQ(driver_.statement_set_sql_query(&statement, each.c_str(), nullptr), status_ok);
        ASSERT_EQ(driver_.statement_execute_query(&statement, nullptr, nullptr, nullptr),
                  status_ok);
      }
      EXPECT_EQ(driver_.statement_release(&statement, nullptr), status_ok);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace penstock::test
