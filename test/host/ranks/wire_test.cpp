// Tables and errors between ranks: what is sent arrives, and cut messages are errors.
#include <gtest/gtest.h>

#include "rank_threads.hpp"
#include "ranks/run/exchange.hpp"
#include "ranks/wire/share_bytes.hpp"
#include "ranks/wire/table_bytes.hpp"

namespace penstock::test {
namespace {

Column huge_column() {
  Column column;
  column.type = {Kind::int128};
  column.row_count = 3;
  const auto most = static_cast<__int128>(~static_cast<unsigned __int128>(0) >> 1);
  column.values = Bytes::own(std::vector<__int128>{most, -most, 7});
  return column;
}

Table table_of_all_layouts() {
  using Text = std::optional<std::string>;
  Column coded;
  coded.type = {Kind::string};
  coded.row_count = 3;
  coded.values = Bytes::own(std::vector<std::int32_t>{1, 0, 1});
  coded.dictionary =
      std::make_shared<const Column>(Column::from_strings(std::vector<std::string>{"x", "yy"}));
  return Table::of(
      {{"huge", huge_column()},
       {"text", Column::from_strings(std::vector<Text>{"a", std::nullopt, "long text"})},
       {"coded", coded},
       {"flag", Column::from_booleans({true, false, true})},
       {"number", Column::from(std::vector<std::optional<double>>{1.5, std::nullopt, -0.0})},
       {"slice", Column::from_strings(std::vector<std::string>{"p", "q", "r", "s"}).slice(1, 3)}});
}

MessageBytes bytes_of(const Table& table) {
  ranks::WireWriter to;
  EXPECT_TRUE(ranks::put_table(to, table).ok());
  return to.take();
}

void expect_equal(const Column& got, const Column& sent) {
  ASSERT_EQ(got.row_count, sent.row_count);
  ASSERT_EQ(got.type, sent.type);
  for (std::uint64_t row = 0; row < sent.row_count; row++) {
    ASSERT_EQ(got.is_valid(row), sent.is_valid(row));
    if (!sent.is_valid(row)) continue;
    if (sent.type.kind == Kind::string)
      EXPECT_EQ(got.string(row), sent.string(row));
    else if (sent.type.kind == Kind::boolean)
      EXPECT_EQ(got.boolean(row), sent.boolean(row));
    else
      EXPECT_EQ(
          std::memcmp(got.values.data + row * width_bytes(sent.type),
                      sent.values.data + row * width_bytes(sent.type), width_bytes(sent.type)),
          0);
  }
}

TEST(Wire, EveryLayoutOfAColumnArrives) {
  const Table sent = table_of_all_layouts();
  const MessageBytes bytes = bytes_of(sent);
  ranks::WireReader from(bytes);
  const auto got = ranks::get_table(from);
  ASSERT_TRUE(got.ok()) << got.status().text();
  ASSERT_EQ(got->names, sent.names);
  for (std::size_t i = 0; i < sent.columns.size(); i++)
    expect_equal(got->columns[i], sent.columns[i]);
  EXPECT_EQ(from.rest_bytes(), 0);
}

TEST(Wire, ATableWithoutRowsArrives) {
  Table sent = table_of_all_layouts();
  for (Column& column : sent.columns) column = column.slice(0, 0);
  sent.row_count = 0;
  const MessageBytes bytes = bytes_of(sent);
  ranks::WireReader from(bytes);
  const auto got = ranks::get_table(from);
  ASSERT_TRUE(got.ok()) << got.status().text();
  ASSERT_EQ(got->names, sent.names);
  for (std::size_t i = 0; i < sent.columns.size(); i++) {
    EXPECT_EQ(got->columns[i].type, sent.columns[i].type);
    EXPECT_EQ(got->columns[i].row_count, 0);
  }
}

TEST(Wire, EveryPrefixOfATableIsAnError) {
  const MessageBytes bytes = bytes_of(table_of_all_layouts());
  for (std::size_t size = 0; size < bytes.size(); size++) {
    ranks::WireReader from(std::span<const std::byte>(bytes).first(size));
    ASSERT_FALSE(ranks::get_table(from).ok()) << size;
  }
}

void expect_refused(const Table& table) {
  const MessageBytes bytes = bytes_of(table);
  ranks::WireReader from(bytes);
  EXPECT_FALSE(ranks::get_table(from).ok());
}

TEST(Wire, AColumnOfFewerRowsThanItsTableIsNotReadBeyondItsEnd) {
  for (const std::uint64_t rows : {2u, 4u}) {
    Table table = Table::of({{"x", Column::from(std::vector<std::int64_t>{1, 2, 3})}});
    table.row_count = rows;
    expect_refused(table);
  }
}

TEST(Wire, RowCountsWhoseBytesHaveNo64BitsAreRefused) {
  for (const std::uint64_t rows : {~std::uint64_t{0}, std::uint64_t{1} << 61}) {
    const MessageBytes bytes =
        bytes_of(Table::of({{"x", Column::from(std::vector<std::int64_t>{1, 2, 3})}}));
    ranks::WireWriter to;
    to.put(rows);
    to.put_bytes(bytes.data() + 8, 8 + 8 + 1 + 3);  // columns, their name, their type
    to.put(rows);
    to.put_bytes(bytes.data() + 36, bytes.size() - 36);
    const MessageBytes hostile = to.take();
    ASSERT_EQ(hostile.size(), bytes.size());
    ranks::WireReader from(hostile);
    EXPECT_FALSE(ranks::get_table(from).ok()) << rows;
  }
}

TEST(Wire, OffsetsThatFallAreNotFollowed) {
  for (const std::vector<std::int32_t>& offsets :
       std::vector<std::vector<std::int32_t>>{{0, 9, 3}, {-4, 1, 3}}) {
    Column text = Column::from_strings(std::vector<std::string>{"a", "bc"});
    text.offset_bytes = 4;
    text.offsets = Bytes::own(offsets);
    text.values = Bytes::own(std::vector<char>(16, 'x'));
    expect_refused(Table::of({{"text", text}}));
  }
}

TEST(Wire, CodesOutsideOfTheirDictionaryAreNotFollowed) {
  for (const std::int32_t code : {-1, 2}) {
    Table table = table_of_all_layouts();
    table.columns[2].values = Bytes::own(std::vector<std::int32_t>{1, code, 0});
    expect_refused(table);
  }
}

TEST(Wire, ADictionaryOfNumbersIsRefused) {
  Table table = table_of_all_layouts();
  table.columns[2].dictionary =
      std::make_shared<const Column>(Column::from(std::vector<std::int64_t>{1, 2}));
  expect_refused(table);
}

// Whatever byte is another one, the table is refused, or every value of it can be read.
TEST(Wire, ATableWithOneOtherByteIsAnErrorOrCanBeRead) {
  const MessageBytes bytes = bytes_of(table_of_all_layouts());
  for (std::size_t at = 0; at < bytes.size(); at++)
    for (const unsigned other : {0x01u, 0x80u, 0xffu}) {
      MessageBytes hostile = bytes;
      hostile[at] ^= static_cast<std::byte>(other);
      ranks::WireReader from(hostile);
      const auto got = ranks::get_table(from);
      if (!got.ok()) continue;
      for (const Column& column : got->columns) {
        ASSERT_EQ(column.row_count, got->row_count) << at;
        for (std::uint64_t row = 0; row < column.row_count; row++)
          if (column.is_valid(row)) static_cast<void>(text_of(scalar_at(column, row)));
      }
    }
}

TEST(Wire, AnErrorOfNoKnownCodeHasAName) {
  ranks::WireWriter to;
  to.put(std::uint8_t{200});
  to.put_text("why");
  to.put<std::uint64_t>(0);
  const MessageBytes bytes = to.take();
  ranks::WireReader from(bytes);
  EXPECT_EQ(ranks::get_status(from).text(), "internal: why");
}

TEST(Wire, AnErrorKeepsItsCodeAndContext) {
  const Status sent = Status(Code::overflow, "too large").with("inside").with("outside");
  const auto message = ranks::bytes_of_share(sent);
  ASSERT_TRUE(message.ok());
  const auto got = ranks::share_of_bytes(*message);
  EXPECT_EQ(got.status().code(), Code::overflow);
  EXPECT_EQ(got.status().text(), sent.text());
}

Result<MessageBytes> text_bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return MessageBytes(first, first + text.size());
}

TEST(Exchange, EveryRankGetsWhatEachGave) {
  const auto all = on_ranks(4, [](Communicator& communicator) {
    return ranks::exchange_bytes(communicator, text_bytes(std::to_string(communicator.rank())));
  });
  for (const auto& got : all) {
    ASSERT_TRUE(got.ok());
    for (std::uint32_t rank = 0; rank < 4; rank++)
      EXPECT_EQ((*got)[rank].bytes, *text_bytes(std::to_string(rank)));
  }
}

TEST(Exchange, AnErrorOfOneRankIsToldToAllWithItsName) {
  const auto all = on_ranks(3, [](Communicator& communicator) {
    return ranks::exchange_bytes(
        communicator, communicator.rank() == 2 ? Status(Code::io, "gone") : text_bytes("here"));
  });
  for (const auto& got : all) {
    EXPECT_EQ(got.status().message(), "gone");
    EXPECT_NE(got.status().text().find("on rank 2 of 3, host "), std::string::npos);
  }
}

TEST(Exchange, AnErrorOfEveryRankNamesNone) {
  const auto all = on_ranks(3, [](Communicator& communicator) {
    return ranks::exchange_bytes(communicator, Status(Code::invalid, "no such column"));
  });
  for (const auto& got : all) EXPECT_EQ(got.status().text(), "invalid: no such column");
}

}  // namespace
}  // namespace penstock::test
