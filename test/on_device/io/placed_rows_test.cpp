// Rows that stay on a device are stored where they stay: chunks of any length, of pages and of
// batches, and rows that do not fit.
#include <filesystem>

#include "exec/physical/run_results.hpp"
#include "on_device/device/failing_device.hpp"
#include "on_device/io/array_files.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/io.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

constexpr std::int64_t rows_of_group = 1003;
constexpr auto row_total =
    static_cast<std::int64_t>(plan::min_device_sort_rows) / rows_of_group * rows_of_group +
    3 * rows_of_group + 17;

// Counts launches that store a chunk's rows where they stay, behind others, and that copy them.
class CountsOfRows final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<Counted>(std::move(queue), *this));
  }
  std::atomic<std::uint64_t> placed = 0, copies = 0;

 private:
  class Counted final : public ForwardingQueue {
   public:
    Counted(std::unique_ptr<Queue> queue, CountsOfRows& counts)
        : ForwardingQueue(std::move(queue)), counts_(counts) {}
    Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                  std::span<const Argument> arguments) override {
      if (kernel.starts_with("join_append")) counts_.copies++;
      if (kernel == "pipeline_store_all") {
        std::uint64_t rows_and_place = 0;
        std::memcpy(&rows_and_place, arguments.back().bytes.data(), sizeof rows_and_place);
        if (rows_and_place >> 32 > 0) counts_.placed++;
      }
      return ForwardingQueue::launch(program, kernel, groups, arguments);
    }

   private:
    CountsOfRows& counts_;
  };
};

std::shared_ptr<arrow::Table> table_of_rows() {
  arrow::Int64Builder place, number;
  arrow::DoubleBuilder real;
  arrow::Int16Builder small;
  arrow::BooleanBuilder flag;
  for (std::int64_t row = 0; row < row_total; row++) {
    const auto mixed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(row + 1) * 0x9E3779B97F4A7C15u >> 30);
    EXPECT_TRUE(place.Append(mixed).ok());
    EXPECT_TRUE((row % 7 == 3 ? number.AppendNull() : number.Append(row)).ok());
    EXPECT_TRUE(real.Append(static_cast<double>(row % 1000) / 8).ok());
    EXPECT_TRUE(small.Append(static_cast<std::int16_t>(row % 999)).ok());
    EXPECT_TRUE((row % 11 == 5 ? flag.AppendNull() : flag.Append(row % 3 == 0)).ok());
  }
  return arrow::Table::Make(
      arrow::schema(
          {arrow::field("place", arrow::int64(), false), arrow::field("number", arrow::int64()),
           arrow::field("real", arrow::float64(), false),
           arrow::field("small", arrow::int16(), false), arrow::field("flag", arrow::boolean())}),
      {place.Finish().ValueOrDie(), number.Finish().ValueOrDie(), real.Finish().ValueOrDie(),
       small.Finish().ValueOrDie(), flag.Finish().ValueOrDie()});
}

class PlacedRows : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = own_path("placed_rows.parquet");
    const auto file = arrow::io::FileOutputStream::Open(path_).ValueOrDie();
    ASSERT_TRUE(parquet::arrow::WriteTable(*table_of_rows(), arrow::default_memory_pool(), file,
                                           rows_of_group)
                    .ok());
    ASSERT_TRUE(file->Close().ok());
    TAKE(source_, open_table(path_));
    source_step_ = plan_.source(source_);
    TAKE(ordered_, plan_.order_by(source_step_, {{0, false, false}}));
    RunOptions host;
    host.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult wanted, run(plan_, ordered_, host));
    wanted_ = cells_of(wanted.table);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  struct Counts {
    std::uint64_t placed = 0, copies = 0;
  };
  Counts counts_of(const Device& device, RunOptions options) {
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::device;
    const auto opened = open_device(options.device);
    EXPECT_TRUE(opened.ok());
    const auto counting = std::make_shared<CountsOfRows>(*opened);
    const auto results = plan::run_results(plan_, {ordered_}, options, {.device = counting});
    EXPECT_TRUE(results.ok()) << results.status().text();
    if (results.ok()) { EXPECT_EQ(cells_of((*results)[0].table), wanted_); }
    return {counting->placed, counting->copies};
  }
  static RunOptions in_chunks(PageDecoding decoding, std::uint64_t rows) {
    RunOptions options;
    options.page_decoding = decoding;
    options.batch_rows = rows;
    return options;
  }

  std::string path_;
  std::shared_ptr<TableSource> source_;
  Plan plan_;
  StepId source_step_ = 0, ordered_ = 0;
  std::vector<std::vector<std::string>> wanted_;
};

TEST_F(PlacedRows, ChunksOfFourRowGroupsAreCopiedNowhere) {
  on_each_device([&](Device& device) {
    const Counts counts = counts_of(device, in_chunks(PageDecoding::device, 4 * rows_of_group));
    EXPECT_GT(counts.placed, 50u);
    EXPECT_EQ(counts.copies, 0u);
  });
}

// Every fourth row group begins at a multiple of four rows.
TEST_F(PlacedRows, ChunksThatBeginAtAnOddRowAreCopied) {
  on_each_device([&](Device& device) {
    const Counts counts = counts_of(device, in_chunks(PageDecoding::device, rows_of_group));
    EXPECT_GT(counts.placed, 50u);
    EXPECT_GT(counts.copies, 3 * counts.placed);
  });
}

TEST_F(PlacedRows, BatchesOfTheHostAreCopiedNowhere) {
  on_each_device([&](Device& device) {
    const Counts counts = counts_of(device, in_chunks(PageDecoding::host, 4096));
    EXPECT_GT(counts.placed, 50u);
    EXPECT_EQ(counts.copies, 0u);
  });
}

// None of the rows fit, or some do; then the host has them all.
TEST_F(PlacedRows, RowsThatDoNotFitAreTheHosts) {
  on_each_device([&](Device& device) {
    for (const std::uint64_t limit : {1u << 18, 1u << 20, 3u << 20, 12u << 20}) {
      SCOPED_TRACE(limit);
      RunOptions options = in_chunks(PageDecoding::host, 4096);
      options.memory_limit_bytes = limit;
      const Counts counts = counts_of(device, options);
      EXPECT_EQ(counts.placed > 0, limit > 1u << 18);
    }
  });
}

}  // namespace
}  // namespace penstock::test
