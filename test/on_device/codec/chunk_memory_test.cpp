// Batches on their way to a device: when memory is given back, and which claims of a column are
// believed.
#include "exec/scan/chunk_stream.hpp"
#include "fuse/program/stages.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Batches of one column x, made by `make`, declared as never NULL.
class MadeSource : public TableSource {
 public:
  explicit MadeSource(std::function<Column()> make) : make_(std::move(make)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return "made"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return std::unique_ptr<BatchStream>(std::make_unique<Batches>(make_));
  }

 private:
  struct Batches : BatchStream {
    explicit Batches(std::function<Column()> with) : make(std::move(with)) {}
    Result<std::optional<Table>> next() override {
      if (left-- == 0) return std::optional<Table>();
      return std::optional(Table::of({{"x", make()}}));
    }
    std::function<Column()> make;
    int left = 2;
  };
  Schema schema_{{"x", {Kind::int64}, false}};
  std::function<Column()> make_;
};

TEST(ChunkMemory, ABatchOutlivesTheBuffersThatWrapIt) {
  on_each_device([](Device& device) {
    bool was_freed_while_wrapped = false;
    plan::ChunkMemory* watched = nullptr;
    const auto source = std::make_shared<MadeSource>([&] {
      auto values = std::make_shared<std::vector<std::int64_t>>(1024, 1);
      Column column = Column::from(std::vector<std::int64_t>());
      column.row_count = 1024;
      column.values = {std::shared_ptr<const void>(values.get(),
                                                   [&, values](const void*) {
                                                     was_freed_while_wrapped |=
                                                         watched != nullptr &&
                                                         !watched->input.buffers.empty();
                                                   }),
                       reinterpret_cast<const std::byte*>(values->data()), 8192};
      return column;
    });
    Plan plan;
    const StepId rows = plan.source(source);
    Builder b(plan.step(rows).schema);
    TAKE(const StepId total,
         plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
    TAKE(const plan::TileProgram program, plan::fuse(plan, rows, total));
    TAKE(const auto opened, open_device(device.traits().id));
    plan::StringPool pool;
    const plan::ProgramStrings strings{pool};
    plan::ChunkMemory memory;
    TAKE(const auto queue, device.queue());
    TAKE(const auto stream, plan::ChunkStream::open(opened, program, *source, 1024, strings));
    TAKE(const bool first, stream->next(memory, *queue));
    watched = &memory;
    TAKE(const bool second, stream->next(memory, *queue));
    watched = nullptr;
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(was_freed_while_wrapped);
  });
}

TEST(ChunkMemory, NullsThatAColumnOnTheDeviceHasAgainstItsDeclarationAreRefused) {
  on_each_device([](Device& device) {
    const Table here = Table::of(
        {{"x", Column::from(std::vector<std::optional<std::int64_t>>{1, std::nullopt, 3})}});
    TAKE(const Table there, to_device(here, device));
    const auto source = std::make_shared<MadeSource>([&] { return there.columns[0]; });
    Plan plan;
    const StepId rows = plan.source(source);
    Builder b(plan.step(rows).schema);
    TAKE(const StepId total,
         plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
    EXPECT_EQ(run(plan, total, {.device = device.traits().id}).status().code(), Code::corrupt);
  });
}

}  // namespace
}  // namespace penstock::test
