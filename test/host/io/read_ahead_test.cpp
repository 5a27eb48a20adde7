// Tables read by several threads: their order, their failures, and an end before the last.
#include "io/common/read_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace penstock::io {
namespace {

using namespace std::chrono_literals;

Table table_of(std::uint64_t index) {
  return Table::of(
      {{"n", Column::from(std::vector<std::int64_t>{static_cast<std::int64_t>(index)})}});
}
std::int64_t number_of(const Table& table) { return table.columns[0].values.as<std::int64_t>()[0]; }

std::vector<ReadTable> readers(std::size_t count, const ReadTable& read) {
  return std::vector<ReadTable>(count, read);
}

TEST(ReadAhead, ALaterTableThatIsReadFirstWaitsForItsTurn) {
  const auto ahead =
      ReadAhead::start(readers(4,
                               [](std::uint64_t index) -> Result<std::optional<Table>> {
                                 if (index == 40) return std::optional<Table>();
                                 std::this_thread::sleep_for(index % 4 == 0 ? 3ms : 0ms);
                                 return std::optional<Table>(table_of(index));
                               }),
                       8, 8);
  for (std::int64_t index = 0; index < 40; index++) {
    const auto table = ahead->next();
    ASSERT_TRUE(table.ok() && table.value()) << index;
    EXPECT_EQ(number_of(*table.value()), index);
  }
  for (int again = 0; again < 2; again++) {
    const auto table = ahead->next();
    ASSERT_TRUE(table.ok());
    EXPECT_FALSE(table.value());
  }
}

TEST(ReadAhead, AFailureIsReportedBehindTheTablesBeforeIt) {
  const auto ahead =
      ReadAhead::start(readers(4,
                               [](std::uint64_t index) -> Result<std::optional<Table>> {
                                 if (index >= 5)
                                   return Status(Code::corrupt, "table " + std::to_string(index));
                                 std::this_thread::sleep_for(3ms);
                                 return std::optional<Table>(table_of(index));
                               }),
                       8, 8);
  for (std::int64_t index = 0; index < 5; index++) {
    const auto table = ahead->next();
    ASSERT_TRUE(table.ok() && table.value()) << index;
    EXPECT_EQ(number_of(*table.value()), index);
  }
  for (int again = 0; again < 2; again++) {
    const auto failed = ahead->next();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.status().message(), "table 5");
  }
}

TEST(ReadAhead, NoMoreThanTheWindowIsHeld) {
  std::atomic<std::uint64_t> begun = 0;
  const auto ahead =
      ReadAhead::start(readers(4,
                               [&](std::uint64_t index) -> Result<std::optional<Table>> {
                                 begun++;
                                 return std::optional<Table>(table_of(index));
                               }),
                       6, 2);
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(begun, 2u);
  ASSERT_TRUE(ahead->next().ok());
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(begun, 7u);
}

TEST(ReadAhead, GivingUpEarlyEndsTheReaders) {
  std::atomic<int> running = 0, begun = 0;
  {
    const auto ahead =
        ReadAhead::start(readers(4,
                                 [&](std::uint64_t index) -> Result<std::optional<Table>> {
                                   running++, begun++;
                                   std::this_thread::sleep_for(1ms);
                                   running--;
                                   return std::optional<Table>(table_of(index));
                                 }),
                         8, 8);
    ASSERT_TRUE(ahead->next().ok());
  }
  EXPECT_EQ(running, 0);
  const int begun_before = begun;
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(begun, begun_before);
}

}  // namespace
}  // namespace penstock::io
