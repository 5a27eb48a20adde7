// A session of several devices: each keeps the rows of its own share, and no other's. A device that
// is listed n times has n shares.
#include <filesystem>
#include <numeric>

#include "exec/devices/run_on_devices.hpp"
#include "on_device/device/failing_device.hpp"
#include "on_device/io/array_files.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::int64_t share_group_rows = 1000, share_group_count = 8;

class ResidentShares : public ::testing::Test {
 protected:
  void SetUp() override { path_ = own_path("resident_shares.parquet"); }
  void TearDown() override { std::filesystem::remove(path_); }

  // Row groups of one size with different values: rows of another range are seen in every sum.
  void write(std::int64_t factor) const {
    arrow::Int64Builder k, n;
    arrow::StringBuilder s;
    for (std::int64_t row = 0; row < share_group_rows * share_group_count; row++) {
      ASSERT_TRUE(k.Append(row * factor).ok() && n.Append(row * 7 % 1001).ok());
      ASSERT_TRUE(s.Append("key " + std::to_string(row / 700 % 9)).ok());
    }
    const auto schema =
        arrow::schema({arrow::field("k", arrow::int64()), arrow::field("n", arrow::int64()),
                       arrow::field("s", arrow::utf8())});
    const auto table = arrow::Table::Make(
        schema, {k.Finish().ValueOrDie(), n.Finish().ValueOrDie(), s.Finish().ValueOrDie()});
    const auto file = arrow::io::FileOutputStream::Open(path_).ValueOrDie();
    ASSERT_TRUE(
        parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, share_group_rows)
            .ok());
    ASSERT_TRUE(file->Close().ok());
  }
  struct Statement {
    std::string text;
    std::uint64_t columns;  // of the file that it reads
  };
  std::vector<Statement> statements() const {
    const std::string from = " FROM '" + path_ + "' ";
    return {{"SELECT sum(k) AS k, sum(n) AS n, count(s) AS s" + from, 3},
            {"SELECT s, sum(k) AS k, count(*) AS c" + from + "GROUP BY s ORDER BY s", 2},
            {"SELECT k, s" + from + "WHERE n < 20", 3},
            {"SELECT k, n" + from + "ORDER BY n, k DESC", 2}};
  }
  static RunOptions read_by(PageDecoding decoding) {
    RunOptions options;
    options.page_decoding = decoding;
    options.batch_rows = 2 * share_group_rows;
    return options;
  }
  static std::shared_ptr<Session> session_on(const std::string& id, std::size_t shares) {
    std::string list = id;
    for (std::size_t i = 1; i < shares; i++) list += "," + id;
    return Session::create({.device = list, .cache_limit_bytes = std::uint64_t{64} << 20});
  }
  static void expect_answer(const Table& found, const std::string& statement) {
    Plan plan;
    TAKE(const StepId result, bind_sql(statement, plan, open_table));
    TAKE(const QueryResult expected, run(plan, result, read_by(PageDecoding::host)));
    EXPECT_EQ(cells_of(found), cells_of(expected.table)) << statement;
  }

  std::string path_;
};

TEST_F(ResidentShares, AStatementFindsWhatEveryShareOfAnEarlierOneLeft) {
  ASSERT_NO_FATAL_FAILURE(write(1));
  on_each_device([&](Device& device) {
    for (const PageDecoding decoding : {PageDecoding::device, PageDecoding::host})
      for (const std::size_t shares : {2u, 3u, 11u}) {
        SCOPED_TRACE(shares);
        const auto session = session_on(device.traits().id, shares);
        for (const auto& [statement, columns] : statements()) {
          TAKE(const QueryResult first, session->sql(statement, read_by(decoding)));
          expect_answer(first.table, statement);
          TAKE(const QueryResult again, session->sql(statement, read_by(decoding)));
          expect_answer(again.table, statement);
          EXPECT_EQ(again.report.shares.size(), std::min<std::size_t>(shares, share_group_count));
          EXPECT_EQ(again.report.columns_from_cache, again.report.chunks * columns) << statement;
        }
      }
  });
}

TEST_F(ResidentShares, AFileThatChangedIsReadAnewByEveryShare) {
  on_each_device([&](Device& device) {
    ASSERT_NO_FATAL_FAILURE(write(1));
    const auto session = session_on(device.traits().id, 3);
    const std::string statement = statements()[0].text;
    const auto bytes_kept = [&] {
      const auto caches = session->caches();
      return std::accumulate(
          caches->begin(), caches->end(), std::uint64_t{0},
          [](std::uint64_t sum, DeviceCache* cache) { return sum + cache->counters().bytes; });
    };
    ASSERT_TRUE(session->sql(statement, read_by(PageDecoding::device)).ok());
    const std::uint64_t bytes_of_one = bytes_kept();
    ASSERT_NO_FATAL_FAILURE(write(3));
    TAKE(const QueryResult changed, session->sql(statement, read_by(PageDecoding::device)));
    expect_answer(changed.table, statement);
    EXPECT_EQ(changed.report.columns_from_cache, 0u);
    EXPECT_LT(bytes_kept(), 2 * bytes_of_one);  // the first file's rows are gone
  });
}

// A device of a session, by itself.
class OpenSession final : public SessionDevice {
 public:
  explicit OpenSession(std::shared_ptr<Device> device) : device_(std::move(device)) {
    cache_.set_limit(std::uint64_t{64} << 20);
  }
  Result<std::shared_ptr<Device>> device() override { return device_; }
  bool is_open() const override { return true; }
  std::string id() const override { return device_->traits().id; }

 private:
  std::shared_ptr<Device> device_;
};

// The first device then has two ranges of one size, each of which begins with its first row group.
TEST_F(ResidentShares, RowsThatADeviceTakesOverAreNotTakenForItsOwn) {
  ASSERT_NO_FATAL_FAILURE(write(1));
  on_each_device([&](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    const std::vector<std::shared_ptr<SessionDevice>> sessions = {
        std::make_shared<OpenSession>(opened),
        std::make_shared<OpenSession>(std::make_shared<FailingDevice>(opened, 0))};
    for (const PageDecoding decoding : {PageDecoding::device, PageDecoding::host}) {
      RunOptions options = read_by(decoding);
      options.on_device_failure = OnDeviceFailure::go_on;
      for (int round = 0; round < 2; round++) {
        Plan plan;
        TAKE(const StepId result, bind_sql(statements()[0].text, plan, open_table));
        TAKE(const auto outcomes, plan::run_on_devices(plan, {result}, options, sessions));
        expect_answer(outcomes[0].table, statements()[0].text);
        EXPECT_EQ(outcomes[0].report.shares.size(), 2u);
      }
    }
  });
}

TEST_F(ResidentShares, ADeviceThatIsListedTwiceKeepsNoMoreThanItsLimit) {
  on_each_device([&](Device& device) {
    const std::uint64_t limit = std::uint64_t{64} << 20;
    const auto session = session_on(device.traits().id, 4);
    TAKE(const std::vector<DeviceCache*> caches, session->caches());
    ASSERT_TRUE(session->device().ok());
    std::uint64_t sum = 0;
    for (const DeviceCache* const cache : caches) sum += cache->limit_bytes();
    EXPECT_EQ(sum, limit);
  });
}

TEST_F(ResidentShares, AListWithADeviceThatIsNotThereIsAnErrorThatNamesIt) {
  ASSERT_NO_FATAL_FAILURE(write(1));
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id + ",opencl:99"});
    const auto outcome = session->sql(statements()[0].text);
    ASSERT_FALSE(outcome.ok());
    EXPECT_NE(outcome.status().text().find("opencl:99"), std::string::npos)
        << outcome.status().text();
    RunOptions options;
    options.on_device_failure = OnDeviceFailure::go_on;
    TAKE(const QueryResult by_the_other, session->sql(statements()[0].text, options));
    expect_answer(by_the_other.table, statements()[0].text);
  });
}

TEST_F(ResidentShares, EveryShareOfARecordedRunHasAProfileOfItsOwn) {
  ASSERT_NO_FATAL_FAILURE(write(1));
  on_each_device([&](Device& device) {
    const auto session = session_on(device.traits().id, 2);
    RunOptions options = read_by(PageDecoding::host);
    options.profile = true;
    TAKE(const QueryResult outcome, session->sql(statements()[0].text, options));
    ASSERT_EQ(outcome.report.shares.size(), 2u);
    int kernel = 0;
    for (const DeviceShareReport& share : outcome.report.shares) {
      ASSERT_TRUE(share.profile);
      ASSERT_FALSE(share.profile->functions.empty());
      EXPECT_EQ(share.profile->functions[0].kernel, kernel++);
    }
    expect_answer(outcome.table, statements()[0].text);
  });
}

}  // namespace
}  // namespace penstock::test
