// An exception of a caller's own code while a plan runs ends as a Status, and the device goes on
// working.
#include <new>
#include <stdexcept>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Gives `good_batches` batches, then throws.
template <class Exception> class ThrowingSource : public TableSource {
 public:
  explicit ThrowingSource(int good_batches) : good_batches_(good_batches) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return "throwing"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    if (good_batches_ < 0) throw Exception();
    return std::unique_ptr<BatchStream>(std::make_unique<Batches>(good_batches_));
  }

 private:
  struct Batches : BatchStream {
    explicit Batches(int good) : left(good) {}
    Result<std::optional<Table>> next() override {
      if (left-- == 0) throw Exception();
      return std::optional(Table::of({{"x", Column::from(std::vector<std::int64_t>(1000, 7))}}));
    }
    int left;
  };
  Schema schema_{{"x", {Kind::int64}, false}};
  int good_batches_;
};

struct Refusal : std::runtime_error {
  Refusal() : std::runtime_error("not today") {}
};

Status run_sum(const Device& device, std::shared_ptr<TableSource> source, RunOptions options = {}) {
  Plan plan;
  const StepId rows = plan.source(std::move(source));
  Builder b(plan.step(rows).schema);
  PENSTOCK_ASSIGN(const StepId total,
                  plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  options.device = device.traits().id;
  return run(plan, total, options).status();
}

std::shared_ptr<TableSource> good_source() {
  return table_source(Table::of({{"x", Column::from(std::vector<std::int64_t>(5000, 1))}}));
}

TEST(Exceptions, ASourceThatRunsOutOfMemoryIsNamedSo) {
  on_each_device([](Device& device) {
    for (const int good_batches : {-1, 0, 5})
      EXPECT_EQ(
          run_sum(device, std::make_shared<ThrowingSource<std::bad_alloc>>(good_batches)).code(),
          Code::no_memory);
    EXPECT_TRUE(run_sum(device, good_source()).ok());
  });
}

TEST(Exceptions, WordsOfASourceReachTheCaller) {
  on_each_device([](Device& device) {
    const Status status = run_sum(device, std::make_shared<ThrowingSource<Refusal>>(2));
    EXPECT_EQ(status.code(), Code::internal);
    EXPECT_NE(status.text().find("not today"), std::string::npos) << status.text();
  });
}

TEST(Exceptions, ACallbackThatThrowsEndsTheRunAlone) {
  on_each_device([](Device& device) {
    RunOptions progress, source_text;
    progress.progress = [](const Progress&) -> bool { throw 7; };
    source_text.on_source = [](std::string_view) { throw Refusal(); };
    EXPECT_EQ(run_sum(device, good_source(), progress).code(), Code::internal);
    EXPECT_EQ(run_sum(device, good_source(), source_text).code(), Code::internal);
    EXPECT_TRUE(run_sum(device, good_source()).ok());
  });
}

}  // namespace
}  // namespace penstock::test
