// A session keeps the ranges of group keys: a repeated statement looks at no row to find them, and
// takes none that other rows, another device or other options gave.
#include <atomic>
#include <filesystem>

#include "exec/kernel/kept_programs.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/several_devices.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t count_of_rows = 60000, rows_of_chunk = 16384;

class CountsLaunches final : public ForwardingQueue {
 public:
  CountsLaunches(std::unique_ptr<Queue> queue, std::atomic<int>& of_ranges)
      : ForwardingQueue(std::move(queue)), of_ranges_(of_ranges) {}
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    of_ranges_ += kernel == "pipeline_ranges";
    return ForwardingQueue::launch(program, kernel, groups, arguments);
  }

 private:
  std::atomic<int>& of_ranges_;
};

// Claims to be a GPU, which computes slots of keys, and counts how often it looked for their
// ranges.
class CountingGpu final : public ForwardingDevice {
 public:
  explicit CountingGpu(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.is_cpu = traits_.unified_memory = false;
  }
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<CountsLaunches>(std::move(queue), of_ranges_));
  }
  int take_count() { return of_ranges_.exchange(0); }

 private:
  std::atomic<int> of_ranges_ = 0;
};

// Rows that a name tells from others.
class NamedRows final : public TableSource {
 public:
  NamedRows(Table table, std::string name) : rows_(table_source(std::move(table))), name_(name) {}
  const Schema& schema() const override { return rows_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return rows_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return rows_->scan(columns, options);
  }
  std::string describe() const override { return "rows"; }
  std::string identity() const override { return name_; }

 private:
  std::shared_ptr<TableSource> rows_;
  std::string name_;
};

// Keys k of so many values; g, of which later rows have others; floats r and strings s.
Table rows_of(std::int32_t keys, std::int32_t first_key = 0) {
  std::vector<std::int32_t> k, g;
  std::vector<std::int64_t> x;
  std::vector<double> r;
  std::vector<std::string> s;
  for (std::uint64_t row = 0; row < count_of_rows; row++) {
    const auto number = static_cast<std::int32_t>(row);
    k.push_back(first_key + number * 7 % keys);
    g.push_back(number / 500 * 1000 + number % 3);
    x.push_back(number % 1000 - 300);
    r.push_back(static_cast<double>(number % 977) / 7 * (number > 40000 ? 1e9 : 1));
    s.push_back("key " + std::to_string(number % 5));
  }
  return Table::of({{"k", Column::from(k)},
                    {"g", Column::from(g)},
                    {"x", Column::from(x)},
                    {"r", Column::from(r)},
                    {"s", Column::from_strings(s)}});
}

// A statement that is run again and again: it keeps the results of its runs.
struct Repeated {
  explicit Repeated(const std::string& statement, const Table& table = rows_of(1000)) {
    const auto open = [&](const TableReference&) -> Result<std::shared_ptr<TableSource>> {
      return std::shared_ptr<TableSource>(std::make_shared<NamedRows>(table, "rows"));
    };
    const auto bound = bind_sql(statement, plan, open);
    EXPECT_TRUE(bound.ok()) << bound.status().text();
    if (bound.ok()) result = *bound;
    options.kept_programs = std::make_shared<plan::KeptPrograms>();
    options.batch_rows = rows_of_chunk;
  }
  // The answer of devices, each with a share of the rows.
  Result<QueryResult> run(const std::vector<std::shared_ptr<CountingGpu>>& gpus) const {
    std::vector<plan::ListedDevice> devices;
    for (const auto& gpu : gpus)
      devices.push_back({gpu->traits().id, std::shared_ptr<Device>(gpu)});
    PENSTOCK_ASSIGN(auto outcomes, plan::run_on_devices(plan, {result}, options, devices));
    return std::move(outcomes[0]);
  }

  Plan plan;
  StepId result = 0;
  RunOptions options;
};

std::shared_ptr<CountingGpu> gpu_of(Device& device) {
  return std::make_shared<CountingGpu>(*open_device(device.traits().id));
}

std::uint64_t launches_of_groups(const RunReport& report) {
  std::uint64_t launches = 0;
  for (const KernelReport& kernel : report.kernels)
    if (kernel.name.starts_with("group_")) launches += kernel.launches;
  return launches;
}

const std::string few_keys = "SELECT k, sum(x) AS x, count(*) AS c FROM 'rows' GROUP BY k";
const std::string later_keys = "SELECT g, sum(x) AS x FROM 'rows' GROUP BY g";
const std::string later_floats = "SELECT k, sum(r) AS r FROM 'rows' GROUP BY k";

TEST(KeptGroups, ARepeatedStatementLooksForNoRanges) {
  on_each_device([&](Device& device) {
    for (const std::string& statement :
         {few_keys, later_keys, later_floats,
          std::string("SELECT s, k % 4 AS q, max(r) AS r FROM 'rows' GROUP BY s, q")}) {
      SCOPED_TRACE(statement);
      const Repeated repeated(statement);
      const auto gpu = gpu_of(device);
      TAKE(const QueryResult first, repeated.run({gpu}));
      EXPECT_GT(gpu->take_count(), 0);
      for (int round = 0; round < 3; round++) {
        TAKE(const QueryResult again, repeated.run({gpu}));
        expect_equal_rows(again.table, first.table);
      }
      if (statement != later_floats) { EXPECT_EQ(gpu->take_count(), 0); }
    }
  });
}

TEST(KeptGroups, RowsThatAStatementFoundOutsideAreNotTriedAgain) {
  on_each_device([&](Device& device) {
    const Repeated repeated(later_keys);
    const auto gpu = gpu_of(device);
    TAKE(const QueryResult first, repeated.run({gpu}));
    TAKE(const QueryResult again, repeated.run({gpu}));
    const std::uint64_t chunks = (count_of_rows + rows_of_chunk - 1) / rows_of_chunk;
    EXPECT_GT(launches_of_groups(first.report), chunks);
    EXPECT_EQ(launches_of_groups(again.report), chunks);
  });
}

// Sums of floats depend on the layout by which each chunk was added up.
TEST(KeptGroups, SumsOfFloatsThatGrowHaveTheSameBitsEachTime) {
  on_each_device([&](Device& device) {
    const Repeated repeated(later_floats);
    const auto gpu = gpu_of(device);
    TAKE(const QueryResult first, repeated.run({gpu}));
    for (int round = 0; round < 3; round++) {
      TAKE(const QueryResult again, repeated.run({gpu}));
      EXPECT_EQ(launches_of_groups(again.report), launches_of_groups(first.report));
      ASSERT_EQ(again.table.columns[1].values.size, first.table.columns[1].values.size);
      EXPECT_EQ(std::memcmp(again.table.columns[1].values.data, first.table.columns[1].values.data,
                            first.table.columns[1].values.size),
                0);
    }
  });
}

// The codes of strings may be others in a later run.
TEST(KeptGroups, SumsOfFloatsByStringsAreFittedEachTime) {
  on_each_device([&](Device& device) {
    const Repeated repeated("SELECT s, sum(r) AS r FROM 'rows' GROUP BY s");
    const auto gpu = gpu_of(device);
    for (int round = 0; round < 2; round++) {
      TAKE(const QueryResult outcome, repeated.run({gpu}));
      EXPECT_GT(gpu->take_count(), 0);
    }
  });
}

TEST(KeptGroups, OtherRowsHaveTheirOwnRanges) {
  on_each_device([&](Device& device) {
    Repeated repeated(few_keys);
    const auto gpu = gpu_of(device);
    ASSERT_TRUE(repeated.run({gpu}).ok());
    const StepId source = 0;
    ASSERT_TRUE(repeated.plan.step(source).source);
    for (const std::int32_t first_key : {-500, 1 << 30}) {
      const Table rows = rows_of(300, first_key);
      repeated.plan.replace_source(
          source, std::make_shared<NamedRows>(rows, "rows " + std::to_string(first_key)));
      gpu->take_count();
      TAKE(const QueryResult outcome, repeated.run({gpu}));
      EXPECT_GT(gpu->take_count(), 0);
      const Repeated alone(few_keys, rows);
      TAKE(const QueryResult wanted, alone.run({gpu_of(device)}));
      expect_equal_rows(outcome.table, wanted.table);
    }
  });
}

// As where rows have an identity that says too little.
TEST(KeptGroups, RowsBesideKeptRangesAreAnsweredRight) {
  on_each_device([&](Device& device) {
    Repeated repeated(few_keys);
    const auto gpu = gpu_of(device);
    ASSERT_TRUE(repeated.run({gpu}).ok());
    const Table rows = rows_of(3000, -77777);
    repeated.plan.replace_source(0, std::make_shared<NamedRows>(rows, "rows"));
    const Repeated alone(few_keys, rows);
    TAKE(const QueryResult wanted, alone.run({gpu_of(device)}));
    for (int round = 0; round < 2; round++) {
      TAKE(const QueryResult outcome, repeated.run({gpu}));
      expect_equal_rows(outcome.table, wanted.table);
    }
  });
}

TEST(KeptGroups, AnotherDeviceOrOtherOptionsHaveTheirOwn) {
  on_each_device([&](Device& device) {
    Repeated repeated(few_keys);
    const auto gpu = gpu_of(device), other = gpu_of(device);
    TAKE(const QueryResult first, repeated.run({gpu}));
    gpu->take_count();
    TAKE(const QueryResult there, repeated.run({other}));
    EXPECT_GT(other->take_count(), 0);
    expect_equal_rows(there.table, first.table);
    const RunOptions plain = repeated.options;
    repeated.options.batch_rows = rows_of_chunk / 2;
    TAKE(const QueryResult in_other_chunks, repeated.run({gpu}));
    EXPECT_GT(gpu->take_count(), 0);
    expect_equal_rows(in_other_chunks.table, first.table);
    repeated.options = plain;
    repeated.options.memory_limit_bytes = 8 << 20;
    TAKE(const QueryResult in_less_memory, repeated.run({gpu}));
    EXPECT_GT(gpu->take_count(), 0);
    expect_equal_rows(in_less_memory.table, first.table);
    repeated.options = plain;
    ASSERT_TRUE(repeated.run({gpu}).ok());
    EXPECT_EQ(gpu->take_count(), 0);
  });
}

// The shares of one device that is listed twice have other rows each.
TEST(KeptGroups, EachShareHasTheRangesOfItsOwnRows) {
  on_each_device([&](Device& device) {
    for (const std::string& statement : {few_keys, later_keys}) {
      const Repeated repeated(statement);
      const auto gpu = gpu_of(device);
      TAKE(const QueryResult one, repeated.run({gpu}));
      gpu->take_count();
      TAKE(const QueryResult two, repeated.run({gpu, gpu}));
      EXPECT_GE(gpu->take_count(), 2);
      TAKE(const QueryResult again, repeated.run({gpu, gpu}));
      EXPECT_EQ(gpu->take_count(), 0);
      expect_equal_rows(two.table, one.table);
      expect_equal_rows(again.table, one.table);
    }
  });
}

TEST(KeptGroups, SharesOfAFirstRunKeepTheirRanges) {
  on_each_device([&](Device& device) {
    int looked = 0;
    for (int round = 0; round < 20; round++) {
      const Repeated repeated(few_keys);
      const auto gpu = gpu_of(device);
      ASSERT_TRUE(repeated.run({gpu, gpu, gpu, gpu, gpu, gpu}).ok());
      gpu->take_count();
      ASSERT_TRUE(repeated.run({gpu, gpu, gpu, gpu, gpu, gpu}).ok());
      looked += gpu->take_count();
    }
    EXPECT_EQ(looked, 0);
  });
}

TEST(KeptGroups, ProgramsOfOneStatementHaveTheirOwn) {
  on_each_device([&](Device& device) {
    const Repeated repeated(
        "SELECT k % 50 AS q, count(DISTINCT x) AS d, sum(x) AS x FROM 'rows' GROUP BY q");
    const auto gpu = gpu_of(device);
    TAKE(const QueryResult first, repeated.run({gpu}));
    EXPECT_GE(gpu->take_count(), 2);
    TAKE(const QueryResult again, repeated.run({gpu}));
    EXPECT_EQ(gpu->take_count(), 0);
    expect_equal_rows(again.table, first.table);
  });
}

TEST(KeptGroups, KeysOfAFileThatChangedAreAnswered) {
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-groups-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/rows.parquet";
  const std::string statement =
      "SELECT k, sum(x) AS x, count(*) AS c FROM '" + path + "' GROUP BY k";
  on_each_device_of_groups([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    RunOptions options;
    options.variant = "group_dense_partitioned";
    for (const std::int32_t first_key : {0, -40000, 123456789}) {
      const Table rows = rows_of(700, first_key);
      ASSERT_TRUE(write_table(rows, path, FileFormat::parquet).ok());
      const Repeated alone(few_keys, rows);
      TAKE(const QueryResult wanted, alone.run({gpu_of(device)}));
      for (int round = 0; round < 3; round++) {
        TAKE(const QueryResult outcome, session->sql(statement, options));
        expect_equal_rows(outcome.table, wanted.table);
      }
    }
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace penstock::test
