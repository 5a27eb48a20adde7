// Queries over pages that a device reads itself: here by a stand-in for GPUDirect Storage, which
// every device has. GPUs with cuFile read by it too.
#include "on_device/io/direct_source.hpp"

namespace penstock::test {
namespace {

// Reads on the host and uploads, but for a byte of the file that cannot be read.
class StandIn final : public device::DirectFile {
 public:
  StandIn(std::string bytes, std::uint64_t failing_byte)
      : bytes_(std::move(bytes)), failing_byte_(failing_byte) {}
  bool bypasses_host() const override { return true; }
  Status read(Queue& queue, const Buffer& to,
              std::span<const device::FileRange> ranges) const override {
    for (const device::FileRange& range : ranges) {
      if (range.file_offset <= failing_byte_ && failing_byte_ < range.file_offset + range.bytes)
        return {Code::io, "byte " + std::to_string(failing_byte_) + " cannot be read"};
      PENSTOCK_TRY(
          queue.upload(to, bytes_.data() + range.file_offset, range.bytes, range.to_offset));
    }
    return queue.finish();
  }

 private:
  const std::string bytes_;
  const std::uint64_t failing_byte_;
};

TEST(DirectReads, AnswersAreThoseOfPagesThatTheHostReads) {
  const Folder folder;
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY}) {
    const std::string path = write_words(folder / "t.parquet", codec);
    const auto source = *open_table(path);
    const auto direct = std::make_shared<DirectSource>(
        source, std::make_shared<StandIn>(read_file(path), ~std::uint64_t{0}));
    on_each_device([&](Device& device) {
      for (const char* statement : direct_statements) {
        RunReport report;
        const RunOptions options{.device = device.traits().id};
        const auto expected = answer_of(statement, source, options);
        const auto answer = answer_of(statement, direct, options, &report);
        ASSERT_TRUE(expected.ok() && answer.ok()) << answer.status().text();
        EXPECT_EQ(*answer, *expected) << statement;
        EXPECT_GT(report.bytes_read_directly, 1000u) << statement;
      }
    });
  }
}

TEST(DirectReads, AByteThatCannotBeReadIsAnErrorOfTheQuery) {
  const Folder folder;
  const std::string path = write_words(folder / "t.parquet", parquet::Compression::SNAPPY);
  const auto source = *open_table(path);
  const std::uint64_t failing = source->pages()->place_of(0, 3)->offset + 50;
  const auto direct =
      std::make_shared<DirectSource>(source, std::make_shared<StandIn>(read_file(path), failing));
  on_each_device([&](Device& device) {
    const Status status =
        answer_of(direct_statements[0], direct, {.device = device.traits().id}).status();
    EXPECT_EQ(status.code(), Code::io);
    EXPECT_NE(status.text().find("byte " + std::to_string(failing) + " cannot be read"),
              std::string::npos)
        << status.text();
  });
}

// In the compatibility mode where the machine has no more.
TEST(DirectReads, ADeviceReadsByCuFileOrSaysWhyNot) {
  const Folder folder;
  const std::string path = write_words(folder / "t.parquet", parquet::Compression::SNAPPY);
  const auto source = *open_table(path);
  on_each_device([&](Device& device) {
    const Status why_not = device::open_direct_file(device, path).status();
    for (const char* statement : direct_statements) {
      RunReport report;
      const RunOptions options{.device = device.traits().id, .direct_reads = DirectReads::on};
      const auto answer = answer_of(statement, source, options, &report);
      if (!why_not.ok()) {
        EXPECT_EQ(answer.status().code(), Code::unsupported);
        EXPECT_NE(answer.status().text().find("GPUDirect Storage"), std::string::npos)
            << answer.status().text();
        continue;
      }
      ASSERT_TRUE(answer.ok()) << answer.status().text();
      EXPECT_EQ(*answer, *answer_of(statement, source, {.device = device.traits().id}));
      EXPECT_GT(report.bytes_read_directly, 1000u);
    }
  });
}

}  // namespace
}  // namespace penstock::test
