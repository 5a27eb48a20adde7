// A session: the device opens once, nothing compiles or moves twice, and answers stay the same.
#include "penstock/session.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t chunk_rows = 4096;
constexpr std::uint64_t file_rows = 30000;

// A folder of a test's own, removed at its end.
class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "penstock-session-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "rows.parquet") const {
    return (folder_ / name).string();
  }
  // Writes numbers of every kind of place in a cache: plain, nullable, boolean, strings.
  void write(std::int64_t factor, std::uint64_t rows = file_rows,
             FileFormat format = FileFormat::parquet,
             const std::string& name = "rows.parquet") const {
    std::vector<std::int64_t> n;
    std::vector<std::optional<double>> r;
    std::vector<bool> b;
    std::vector<std::optional<std::string>> s;
    for (std::uint64_t i = 0; i < rows; i++) {
      const auto value = static_cast<std::int64_t>(i);
      n.push_back(value * factor);
      r.push_back(i % 7 == 3 && i > chunk_rows ? std::nullopt
                                               : std::optional(static_cast<double>(value) / 4));
      b.push_back(i % 3 == 0);
      s.push_back(i % 11 == 0 ? std::nullopt : std::optional("key " + std::to_string(i % 5)));
    }
    const Table table = Table::of({{"n", Column::from(n)},
                                   {"r", Column::from(r)},
                                   {"b", Column::from_booleans(b)},
                                   {"s", Column::from_strings(s)}});
    const Status written = write_table(table, path(name), format);
    ASSERT_TRUE(written.ok()) << written.text();
  }
  std::string sum(const std::string& name = "rows.parquet") const {
    return "SELECT sum(n) AS n, count(r) AS c, sum(r) AS r FROM '" + path(name) +
           "' WHERE b AND n % 5 <> 1";
  }
  // One for each place that a column may have: kernels alone, strings, rows by number.
  std::vector<std::string> statements() const {
    const std::string from = " FROM '" + path() + "' ";
    return {sum(), "SELECT s, count(*) AS c, max(n) AS m" + from + "GROUP BY s ORDER BY s",
            "SELECT count(*) AS c, min(r) AS r" + from + "WHERE s LIKE '%3'",
            "SELECT n, s" + from + "WHERE n % 1000 = 7 AND r IS NOT NULL",
            "SELECT n, s, r" + from + "ORDER BY r DESC, n LIMIT 5"};
  }

  std::filesystem::path folder_;
};

// Chunks of columns, which the host decodes on every device: chunks of pages are whole row groups.
RunOptions small_chunks() {
  RunOptions options;
  options.batch_rows = chunk_rows;
  options.page_decoding = PageDecoding::host;
  return options;
}

std::string text_of_table(const Table& table) {
  std::string text;
  for (std::uint64_t row = 0; row < table.row_count; row++) text += text_of_row(table, row) + "\n";
  return text;
}

std::string answer_without_session(const std::string& statement, const std::string& device) {
  Plan plan;
  const auto result = bind_sql(statement, plan, open_table);
  if (!result.ok()) return result.status().text();
  const auto outcome = run(plan, *result, {.device = device});
  return outcome.ok() ? text_of_table(outcome->table) : outcome.status().text();
}

class OwnMemorySession final : public SessionDevice {
 public:
  explicit OwnMemorySession(std::shared_ptr<Device> device)
      : device_(std::make_shared<OwnMemoryDevice>(std::move(device))) {
    cache_.set_limit(std::uint64_t{64} << 20);
  }
  Result<std::shared_ptr<Device>> device() override { return device_; }
  bool is_open() const override { return true; }

 private:
  std::shared_ptr<Device> device_;
};

// Opens when a scan has begun to read.
class LateSession final : public SessionDevice {
 public:
  explicit LateSession(std::shared_ptr<Device> device)
      : device_(std::make_shared<OwnMemoryDevice>(std::move(device))) {
    cache_.set_limit(0);
  }
  Result<std::shared_ptr<Device>> device() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return device_;
  }
  bool is_open() const override { return false; }

 private:
  std::shared_ptr<Device> device_;
};

TEST_F(SessionTest, PagesReadBeforeTheDeviceIsOpenGiveTheSameAnswer) {
  write(3);
  on_each_device([&](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    RunOptions options;
    options.device = "cuda:0";  // by its name a device with memory of its own is expected
    options.page_decoding = PageDecoding::device;
    options.session = std::make_shared<LateSession>(opened);
    Plan plan;
    TAKE(const StepId result, bind_sql(sum(), plan, open_table));
    TAKE(const QueryResult outcome, run(plan, result, options));
    EXPECT_GT(outcome.report.paged_chunks, 0u);
    EXPECT_EQ(text_of_table(outcome.table), answer_without_session(sum(), device.traits().id));
  });
}

// A result's memory is bounded by the device's, which was null until a scan had waited for it.
TEST_F(SessionTest, AResultStaysInMemoryOfADeviceThatOpensLate) {
  on_each_device([&](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    RunOptions options;
    options.device = "cuda:0";
    options.session = std::make_shared<LateSession>(opened);
    options.intermediate_rows = IntermediateRows::device;
    options.results_on_device = true;
    Plan plan;
    const auto numbers =
        table_source(Table::of({{"n", Column::from(std::vector<std::int32_t>{1, 2, 3})}}));
    TAKE(const StepId large, bind_sql("SELECT n FROM t WHERE n > 1", plan,
                                      [&](const TableReference&) { return numbers; }));
    TAKE(const QueryResult outcome, run(plan, large, options));
    EXPECT_EQ(outcome.table.row_count, 2u);
  });
}

TEST_F(SessionTest, ColumnsInDeviceMemoryAreUploadedOnceAndNotWrittenAgain) {
  write(3);
  on_each_device([&](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    RunOptions options = small_chunks();
    options.session = std::make_shared<OwnMemorySession>(opened);
    for (int round = 0; round < 3; round++)
      for (const std::string& statement : statements()) {
        Plan plan;
        TAKE(const StepId result, bind_sql(statement, plan, open_table));
        TAKE(const QueryResult outcome, run(plan, result, options));
        EXPECT_EQ(text_of_table(outcome.table),
                  answer_without_session(statement, device.traits().id))
            << statement << ", round " << round;
        const bool is_uploaded = outcome.report.bytes_uploaded > 0;
        EXPECT_TRUE(statement != sum() || is_uploaded == (round == 0)) << "round " << round;
      }
  });
}

TEST_F(SessionTest, ASecondRunReadsUploadsAndCompilesNothing) {
  write(1);
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    TAKE(const QueryResult first, session->sql(sum(), small_chunks()));
    TAKE(const QueryResult second, session->sql(sum(), small_chunks()));
    EXPECT_EQ(first.report.columns_from_cache, 0u);
    EXPECT_EQ(second.report.columns_from_cache, 3 * ((file_rows - 1) / chunk_rows + 1));
    EXPECT_EQ(second.report.bytes_uploaded, 0u);
    EXPECT_EQ(first.report.bytes_uploaded > 0, !device.traits().unified_memory);
    for (const KernelReport& kernel : second.report.kernels)
      EXPECT_EQ(kernel.build.cache, CacheResult::memory);
    EXPECT_EQ(text_of_table(second.table), text_of_table(first.table));
    EXPECT_EQ(text_of_table(second.table), answer_without_session(sum(), device.traits().id));
  });
}

// The host reads all columns of a join's small right side.
TEST_F(SessionTest, ColumnsThatTheHostReadsAreKeptUntilTheirFileChanges) {
  write(1, 5000);
  write(1, 40, FileFormat::parquet, "few.parquet");
  const std::string statement = "SELECT f.s, count(*) AS c FROM '" + path() + "' l JOIN '" +
                                path("few.parquet") + "' f ON l.n = f.n GROUP BY f.s ORDER BY f.s";
  on_each_device([&](Device& device) {
    write(1, 40, FileFormat::parquet, "few.parquet");
    const auto session = Session::create({.device = device.traits().id});
    TAKE(const QueryResult first, session->sql(statement));
    TAKE(const QueryResult second, session->sql(statement));
    EXPECT_GE(second.report.columns_from_cache, first.report.columns_from_cache + 2);
    EXPECT_EQ(text_of_table(second.table), text_of_table(first.table));
    write(2, 41, FileFormat::parquet, "few.parquet");
    TAKE(const QueryResult third, session->sql(statement));
    EXPECT_EQ(text_of_table(third.table), answer_without_session(statement, device.traits().id));
    EXPECT_NE(text_of_table(third.table), text_of_table(first.table));
  });
}

TEST_F(SessionTest, AViewOfAFileHasTheRowsThatTheFileHasNow) {
  write(1, 50);
  const auto session = Session::create({.device = "cpu:0"});
  TAKE(const QueryResult made, session->sql("CREATE VIEW v AS SELECT * FROM '" + path() + "'"));
  const std::string statement = "SELECT max(n) AS m FROM v";
  TAKE(const QueryResult before, session->sql(statement));
  write(3, 50);
  TAKE(const QueryResult after, session->sql(statement));
  EXPECT_EQ(text_of_table(before.table), "49|\n");
  EXPECT_EQ(text_of_table(after.table), "147|\n");
}

// Kernels that read pages find them on the device again.
TEST_F(SessionTest, PagesAreUploadedOnceAndGiveTheSameAnswers) {
  write(3);
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    RunOptions options;
    options.page_decoding = PageDecoding::device;
    for (const bool is_first : {true, false}) {
      const auto outcome = session->sql(sum(), options);
      ASSERT_TRUE(outcome.ok()) << outcome.status().text();
      EXPECT_GT(outcome->report.paged_chunks, 0u);
      EXPECT_EQ(outcome->report.bytes_uploaded > 0, is_first);
      EXPECT_EQ(outcome->report.columns_from_cache > 0, !is_first);
      EXPECT_EQ(text_of_table(outcome->table), answer_without_session(sum(), device.traits().id));
    }
  });
}

// Pages of strings have numbers, and each statement has codes and functions of its own for them.
TEST_F(SessionTest, StatementsWithOtherFunctionsOfStringsReadTheSamePages) {
  write(3);
  const std::string from = " FROM '" + path() + "' ";
  const std::vector<std::string> by_strings = {
      "SELECT s, count(*) AS c" + from + "GROUP BY s ORDER BY s",
      "SELECT upper(s) AS u, count(*) AS c" + from + "WHERE s <> 'key 0' GROUP BY u ORDER BY u",
      "SELECT count(*) AS c" + from + "WHERE s LIKE '%3' OR length(s) = 4",
      "SELECT count(s) AS c, sum(length(s)) AS l" + from + "WHERE s IN ('key 2', 'x')",
      "SELECT substring(s, 5) AS d, count(*) AS c" + from + "GROUP BY d ORDER BY d"};
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    RunOptions options;
    options.page_decoding = PageDecoding::device;
    for (int round = 0; round < 2; round++)
      for (const std::string& statement : by_strings) {
        const bool is_first = round == 0 && statement == by_strings[0];
        TAKE(const QueryResult outcome, session->sql(statement, options));
        EXPECT_EQ(text_of_table(outcome.table),
                  answer_without_session(statement, device.traits().id))
            << statement;
        EXPECT_EQ(outcome.report.columns_from_cache > 0, !is_first) << statement;
        // Five strings have tables of a few bytes.
        EXPECT_EQ(outcome.report.bytes_uploaded > 200, is_first) << statement;
      }
  });
}

// Threads number the strings of a column together, and evict strings that others read.
TEST_F(SessionTest, OverlappingStatementsOverPagesGetTheirOwnAnswers) {
  write(1);
  on_each_device([&](Device& device) {
    std::vector<std::string> expected;
    for (const std::string& statement : statements())
      expected.push_back(answer_without_session(statement, device.traits().id));
    for (const std::uint64_t limit : {std::uint64_t{64} << 20, std::uint64_t{100} << 10}) {
      const auto session =
          Session::create({.device = device.traits().id, .cache_limit_bytes = limit});
      RunOptions options;
      options.page_decoding = PageDecoding::device;
      std::atomic<int> wrong = 0;
      std::vector<std::thread> threads;
      for (std::size_t thread = 0; thread < 4; thread++)
        threads.emplace_back([&, thread] {
          for (std::size_t i = 0; i < 10; i++) {
            const std::size_t which = (i + thread) % expected.size();
            const auto outcome = session->sql(statements()[which], options);
            wrong += !outcome.ok() || text_of_table(outcome->table) != expected[which];
          }
        });
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(wrong, 0) << limit;
      EXPECT_LE(session->cache().counters().bytes, limit);
    }
  });
}

TEST_F(SessionTest, AnswersFromTheCacheAreThoseOfTheFile) {
  write(3);
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    for (int round = 0; round < 3; round++)
      for (const std::string& statement : statements()) {
        TAKE(const QueryResult outcome, session->sql(statement, small_chunks()));
        EXPECT_EQ(text_of_table(outcome.table),
                  answer_without_session(statement, device.traits().id))
            << statement << ", round " << round;
      }
  });
}

TEST_F(SessionTest, AColumnIsSharedByStatementsThatDiffer) {
  write(1);
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    const std::string from = " FROM '" + path() + "'";
    TAKE(const QueryResult one, session->sql("SELECT sum(n) AS n" + from, small_chunks()));
    const std::string more = "SELECT sum(n) AS n, max(r) AS r" + from + " WHERE n > 10";
    TAKE(const QueryResult both, session->sql(more, small_chunks()));
    EXPECT_EQ(both.report.columns_from_cache, (file_rows - 1) / chunk_rows + 1);
    EXPECT_EQ(text_of_table(both.table), answer_without_session(more, device.traits().id));
  });
}

TEST_F(SessionTest, AChangedFileIsReadAnew) {
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv})
    on_each_device([&](Device& device) {
      const auto session = Session::create({.device = device.traits().id});
      std::string before;
      for (const std::int64_t factor : {1, 2, 3}) {
        write(factor, file_rows, format, "rows");
        TAKE(const QueryResult first, session->sql(sum("rows"), small_chunks()));
        TAKE(const QueryResult again, session->sql(sum("rows"), small_chunks()));
        EXPECT_EQ(first.report.columns_from_cache, 0u);
        EXPECT_GT(again.report.columns_from_cache, 0u);
        EXPECT_EQ(text_of_table(first.table),
                  answer_without_session(sum("rows"), device.traits().id));
        EXPECT_EQ(text_of_table(again.table), text_of_table(first.table));
        EXPECT_NE(text_of_table(first.table), before);
        before = text_of_table(first.table);
      }
      EXPECT_LE(session->cache().counters().entries, 3 * 8u + 1);  // of the last file
    });
}

TEST_F(SessionTest, AFileThatIsAddedIsAmongThoseOfItsPattern) {
  const auto session = Session::create({});
  const std::string pattern = path("part*");
  std::vector<std::string> texts;
  for (const int number : {1, 2, 2}) {
    write(number, file_rows, FileFormat::parquet, "part" + std::to_string(number));
    TAKE(const QueryResult outcome,
         session->sql("SELECT count(*) AS n FROM '" + pattern + "'", small_chunks()));
    texts.push_back(text_of_table(outcome.table));
  }
  EXPECT_NE(texts[0], texts[1]);
  EXPECT_EQ(texts[1], texts[2]);
}

TEST_F(SessionTest, ASmallLimitEvictsAndChangesNoAnswer) {
  write(1);
  on_each_device([&](Device& device) {
    const std::uint64_t limit = 200 << 10;  // of some 800 KiB
    const auto session =
        Session::create({.device = device.traits().id, .cache_limit_bytes = limit});
    for (int round = 0; round < 2; round++)
      for (const std::string& statement : statements()) {
        TAKE(const QueryResult outcome, session->sql(statement, small_chunks()));
        EXPECT_EQ(text_of_table(outcome.table),
                  answer_without_session(statement, device.traits().id));
        EXPECT_LE(session->cache().counters().bytes, limit);
      }
    EXPECT_GT(session->cache().counters().evictions, 0u);
  });
}

TEST_F(SessionTest, ALimitOfZeroKeepsNothing) {
  write(1);
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id, .cache_limit_bytes = 0});
    for (int round = 0; round < 2; round++) {
      TAKE(const QueryResult outcome, session->sql(sum(), small_chunks()));
      EXPECT_EQ(outcome.report.columns_from_cache, 0u);
    }
    EXPECT_EQ(session->cache().counters().bytes, 0u);
  });
}

TEST_F(SessionTest, OverlappingStatementsGetTheirOwnAnswers) {
  write(1);
  on_each_device([&](Device& device) {
    std::vector<std::string> expected;
    for (const std::string& statement : statements())
      expected.push_back(answer_without_session(statement, device.traits().id));
    // Room for some of the columns, so that threads evict columns that others use.
    const auto session =
        Session::create({.device = device.traits().id, .cache_limit_bytes = 400 << 10});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; thread++)
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < 20; i++) {
          const std::size_t which = (i + thread) % expected.size();
          const auto outcome = session->sql(statements()[which], small_chunks());
          wrong += !outcome.ok() || text_of_table(outcome->table) != expected[which];
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST_F(SessionTest, ADeviceThatIsNotThereIsAnErrorOfEveryStatement) {
  write(1);
  const auto session = Session::create({.device = "opencl:999"});
  for (int round = 0; round < 2; round++) {
    const auto outcome = session->sql(sum());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.status().code(), Code::no_device) << outcome.status().text();
  }
}

TEST_F(SessionTest, AFileIsOpenedOnceWhileItIsTheSame) {
  write(1);
  const auto session = Session::create();
  TAKE(const auto first, session->open_table(path()));
  TAKE(const auto again, session->open_table(path()));
  EXPECT_EQ(first, again);
  write(2);
  TAKE(const auto changed, session->open_table(path()));
  EXPECT_NE(first, changed);
  std::filesystem::remove(path());
  EXPECT_EQ(session->open_table(path()).status().code(), Code::io);
}

TEST_F(SessionTest, AStatementIsBoundAnewWhenOneOfItsFilesChanged) {
  const std::string statement = "SELECT count(*) AS c, sum(b.n) AS n FROM '" + path() +
                                "' AS a, '" + path("b.parquet") + "' AS b WHERE a.n = b.n";
  write(1);
  const auto session = Session::create();
  for (const std::int64_t factor : {2, 3, 5}) {
    write(factor, 1000, FileFormat::parquet, "b.parquet");
    for (int round = 0; round < 2; round++) {
      TAKE(const QueryResult outcome, session->sql(statement));
      EXPECT_EQ(text_of_table(outcome.table), answer_without_session(statement, ""));
    }
  }
  const Table without_n = Table::of({{"m", Column::from(std::vector<std::int64_t>{1})}});
  ASSERT_TRUE(write_table(without_n, path("b.parquet"), FileFormat::parquet).ok());
  EXPECT_FALSE(session->sql(statement).ok());
  std::filesystem::remove(path("b.parquet"));
  EXPECT_EQ(session->sql(statement).status().code(), Code::io);
  write(2, 1000, FileFormat::parquet, "b.parquet");
  TAKE(const QueryResult outcome, session->sql(statement));
  EXPECT_EQ(text_of_table(outcome.table), answer_without_session(statement, ""));
}

}  // namespace
}  // namespace penstock::test
