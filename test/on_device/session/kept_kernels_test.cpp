// A session keeps kernels of a statement's runs: a repeated statement fuses and emits nothing, and
// no run takes a kernel made for another file, for other options or for another run's rows.
#include <atomic>
#include <filesystem>
#include <thread>

#include "on_device/plan/plan_fixture.hpp"
#include "on_device/plan/several_devices.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t rows_of_file = 20000;

// A folder of a test's own, removed at its end.
class KeptKernelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-kept-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    write(1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "rows.parquet").string(); }
  void write(std::int64_t factor) const {
    std::vector<std::int64_t> n, k;
    std::vector<double> r;
    std::vector<std::string> s;
    for (std::uint64_t i = 0; i < rows_of_file; i++) {
      n.push_back(static_cast<std::int64_t>(i * 7919 % rows_of_file) * factor);
      k.push_back(static_cast<std::int64_t>(i % 5000) * 1'000'003);
      r.push_back(static_cast<double>(i * 104729 % rows_of_file) / 4);
      s.push_back("key " + std::to_string(i % 5));
    }
    const Table table = Table::of({{"n", Column::from(n)},
                                   {"k", Column::from(k)},
                                   {"r", Column::from(r)},
                                   {"s", Column::from_strings(s)}});
    ASSERT_TRUE(write_table(table, path(), FileFormat::parquet).ok());
  }
  std::string from() const { return " FROM '" + path() + "' "; }
  std::string sum() const { return "SELECT sum(n) AS n" + from() + "WHERE r > 100 AND n % 5 <> 1"; }
  std::string first_rows() const {
    return "SELECT n, r" + from() + "WHERE n % 3 = 0 ORDER BY n DESC LIMIT 7";
  }
  std::vector<std::string> statements() const {
    return {sum(),
            first_rows(),
            "SELECT s, count(*) AS c, max(n) AS m" + from() + "GROUP BY s ORDER BY s",
            "SELECT k, sum(n) AS n" + from() + "GROUP BY k ORDER BY k",  // many: it tries again
            "SELECT count(*) AS c" + from() + "WHERE s LIKE '%3' OR upper(s) = 'KEY 1'",
            "SELECT n, s" + from() + "WHERE n % 1000 = 7",
            "SELECT count(DISTINCT n % 100) AS d, sum(n) AS n" + from(),
            "SELECT count(*) AS c, sum(b.r) AS r FROM '" + path() + "' AS a, '" + path() +
                "' AS b WHERE a.n = b.n AND a.n < 500"};
  }

  std::filesystem::path folder_;
};

std::string rows_or_error(const Result<QueryResult>& outcome) {
  if (!outcome.ok()) return outcome.status().text();
  std::string text;
  for (std::uint64_t row = 0; row < outcome->table.row_count; row++)
    text += text_of_row(outcome->table, row) + "\n";
  return text;
}

std::string answer_of_one_run(const std::string& statement, const std::string& device) {
  Plan plan;
  const auto result = bind_sql(statement, plan, open_table);
  return result.ok() ? rows_or_error(run(plan, *result, {.device = device}))
                     : result.status().text();
}

bool is_of_tiles(const KernelReport& kernel) {
  return std::ranges::any_of(
      plan::variants(), [&](const plan::Variant& variant) { return variant.name == kernel.name; });
}
// Counts kernels of tile programs only.
std::size_t count_kernels(const RunReport& report, bool are_kept) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.kernels, [are_kept](const KernelReport& kernel) {
        return is_of_tiles(kernel) && kernel.is_kept == are_kept;
      }));
}

// Several chunks, so that a bound is tightened between them.
RunOptions chunks_of_4096() {
  RunOptions options;
  options.batch_rows = 4096;
  return options;
}

TEST_F(KeptKernelsTest, ARepeatedStatementFusesAndEmitsNothing) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    for (const PageDecoding decoding : {PageDecoding::host, PageDecoding::device})
      for (const std::string& statement : statements()) {
        RunOptions options = chunks_of_4096();
        options.page_decoding = decoding;
        TAKE(const QueryResult first, session->sql(statement, options));
        TAKE(const QueryResult second, session->sql(statement, options));
        EXPECT_TRUE(decoding == PageDecoding::device || first.report.chains_fused > 0) << statement;
        EXPECT_EQ(rows_or_error(second), rows_or_error(first)) << statement;
        EXPECT_EQ(second.report.chains_fused, 0u) << statement;
        EXPECT_EQ(count_kernels(second.report, false), 0u) << statement;
        EXPECT_GT(count_kernels(second.report, true), 0u) << statement;
        for (const KernelReport& kernel : second.report.kernels)
          EXPECT_EQ(kernel.build.cache, CacheResult::memory) << statement;
        EXPECT_EQ(rows_or_error(second), answer_of_one_run(statement, device.traits().id))
            << statement;
      }
  });
}

TEST_F(KeptKernelsTest, KernelsOfAFileThatChangedAreNotTaken) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    for (const std::int64_t factor : {2, 3}) {
      write(factor);
      for (const bool is_first : {true, false}) {
        TAKE(const QueryResult outcome, session->sql(sum()));
        EXPECT_EQ(outcome.report.chains_fused > 0, is_first);
        EXPECT_EQ(count_kernels(outcome.report, true) > 0, !is_first);
        EXPECT_EQ(rows_or_error(outcome), answer_of_one_run(sum(), device.traits().id));
      }
    }
  });
}

TEST_F(KeptKernelsTest, KernelsOfOtherOptionsAreNotTaken) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    RunOptions fast, profiled;
    fast.fast_math = true;
    profiled.profile = true;
    TAKE(const QueryResult plain, session->sql(sum()));
    TAKE(const QueryResult other, session->sql(sum(), fast));
    EXPECT_EQ(count_kernels(other.report, true), 0u);
    TAKE(const QueryResult again, session->sql(sum(), fast));
    EXPECT_EQ(count_kernels(again.report, false), 0u);
    TAKE(const QueryResult with_profile, session->sql(sum(), profiled));
    EXPECT_EQ(count_kernels(with_profile.report, true), 0u);
    EXPECT_GT(with_profile.report.chains_fused, 0u);
    EXPECT_EQ(rows_or_error(other), rows_or_error(plain));
    EXPECT_EQ(rows_or_error(with_profile), rows_or_error(plain));
  });
}

// A memory limit changes a kernel's numbers, validation wants every column, and kernels that read
// pages have other loads.
TEST_F(KeptKernelsTest, RunsWithOtherOptionsBetweenGiveTheSameAnswers) {
  std::vector<RunOptions> all(5, chunks_of_4096());
  all[1].validate = true;
  all[2].memory_limit_bytes = 4 << 20;
  all[3].intermediate_rows = IntermediateRows::device;
  all[4].page_decoding = PageDecoding::device;
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    for (const std::string& statement : statements()) {
      const std::string expected = answer_of_one_run(statement, device.traits().id);
      for (int round = 0; round < 2; round++)
        for (const RunOptions& options : all)
          EXPECT_EQ(rows_or_error(session->sql(statement, options)), expected) << statement;
    }
  });
}

TEST_F(KeptKernelsTest, ACallerGetsTheSourceOfAKeptKernel) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    std::vector<std::string> sources;
    RunOptions options;
    options.on_source = [&](std::string_view text) { sources.emplace_back(text); };
    for (int round = 0; round < 2; round++) {
      TAKE(const QueryResult outcome, session->sql(sum(), options));
      ASSERT_EQ(sources.size(), round + 1u);
      EXPECT_EQ(*outcome.report.kernels[0].source, sources[0]);
    }
    EXPECT_EQ(sources[0], sources[1]);
  });
}

// Runs that overlap have bounds of their own, which they change from chunk to chunk.
TEST_F(KeptKernelsTest, OverlappingRunsOfOneStatementShareNoBound) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    std::vector<std::string> expected;
    for (const std::string& statement : statements())
      expected.push_back(answer_of_one_run(statement, device.traits().id));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; thread++)
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < 24; i++) {  // all threads have the same one
          const std::size_t which = i % 2 == 0 ? 1 : i / 2 % expected.size();
          wrong +=
              rows_or_error(session->sql(statements()[which], chunks_of_4096())) != expected[which];
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST_F(KeptKernelsTest, EachOfSeveralDevicesTakesWhatItsOwnRunsMade) {
  on_each_device([&](Device& device) {
    const std::string& id = device.traits().id;
    const auto session = Session::create({.device = list_of(id, 2)});
    for (const std::string& statement : {sum(), first_rows(), statements()[3]}) {
      TAKE(const QueryResult first, session->sql(statement, chunks_of_4096()));
      TAKE(const QueryResult second, session->sql(statement, chunks_of_4096()));
      EXPECT_GT(first.report.chains_fused, 0u);
      EXPECT_EQ(second.report.chains_fused, 0u);
      EXPECT_EQ(count_kernels(second.report, false), 0u);
      EXPECT_GT(count_kernels(second.report, true), 0u);
      EXPECT_EQ(rows_or_error(second), answer_of_one_run(statement, id)) << statement;
    }
  });
}

}  // namespace
}  // namespace penstock::test
