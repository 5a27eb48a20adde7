// CSV files that are cut or damaged end in rows or in an error, and blocks change no answer.
#include <random>

#include "host/io/csv_files.hpp"

namespace penstock {
namespace {

using namespace test;

constexpr std::string_view seeds[] = {
    "a,b,c\n1,\"x \"\"y\"\"\",2024-01-01\n2,,01/05/2024\n",
    "# note\na;b\n1,5;'it''s'\n# more\n2,5;\"q\"\n",
    "a\tb\r\n\"1\n2\"\ttrue\r\n\r\n3\tno\r\n",
    "\xef\xbb\xbfid|t\r1|2024-01-01 10:00:00\r2|13/02/2024 01:02:03 PM\r",
    "a,b\n1,\"x \\\"y\\\" z\"\n12345678901234567890,1e400\n",
};

TEST(CsvHostile, EveryPrefixIsRowsOrAnError) {
  for (const std::string_view seed : seeds)
    for (std::size_t size = 0; size <= seed.size(); size++)
      EXPECT_FALSE(csv_answer(seed.substr(0, size)).empty());
}

TEST(CsvHostile, EveryChangedByteIsRowsOrAnError) {
  std::mt19937 random(1);
  constexpr std::string_view bytes = "\",;'\\#\n\r\0 1xé-:/";
  for (int round = 0; round < 500; round++) {
    std::string text(seeds[random() % std::size(seeds)]);
    for (std::uint32_t changes = 1 + random() % 4; changes > 0; changes--)
      text[random() % text.size()] = bytes[random() % bytes.size()];
    const Options options = round % 3 == 0   ? Options{{"ignore_errors", true}}
                            : round % 3 == 1 ? Options{{"null_padding", true}}
                                             : Options{};
    EXPECT_FALSE(csv_answer(text, options).empty());
  }
}

// More rows than there are line ends of the kind that the first line has.
TEST(CsvHostile, RowsThatEndInTheOtherWayHaveRoom) {
  std::string feeds = "a,b\r1,\r", comments = "a,b\n1,\n";
  std::string answer = "a BIGINT, b VARCHAR\n1 NULL\n";
  for (int row = 0; row < 3000; row++) {
    feeds += "2,\n";
    comments += "2,#\r";
    answer += "2 NULL\n";
  }
  EXPECT_EQ(csv_answer(feeds), answer);
  EXPECT_EQ(csv_answer(comments, {{"comment", std::string("#")}}), answer);
}

// Rows with line ends in quotes, so that blocks are cut between quotes.
TEST(CsvHostile, BlocksOfALargeFileAreOneTableInOrder) {
  const Folder folder;
  for (const std::string line_end : {"\n", "\r\n", "\r"}) {
    std::string text = "id,text" + line_end;
    std::vector<std::string> numbers, texts;
    std::mt19937 random(7);
    while (text.size() < 7'000'000) {
      const std::string number = std::to_string(numbers.size());
      const std::string value(random() % 300, "ab\n,"[random() % 4]);
      text += number + ",\"" + value + "\"" + line_end;
      numbers.push_back(number);
      texts.push_back(value.empty() ? "NULL" : '"' + value + '"');
    }
    write_file(folder / "t", text);
    const auto source = io::open_csv(folder / "t", {});
    ASSERT_TRUE(source.ok()) << source.status().text();
    for (const std::uint64_t batch_rows : {1000u, 1u << 20}) {
      const auto cells = read_cells(**source, all_columns(**source), {batch_rows, 3});
      ASSERT_TRUE(cells.ok()) << cells.status().text();
      EXPECT_EQ(cells.value()[0], numbers);
      EXPECT_EQ(cells.value()[1], texts);
    }
  }
}

}  // namespace
}  // namespace penstock
