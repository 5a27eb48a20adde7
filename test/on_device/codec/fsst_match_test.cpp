// Predicates on FSST codes on every device by every variant that fits, compared with the SQL
// interpreter's LIKE on the decoded strings. Hostile codes must be reported and must cause no
// access out of bounds.
#include <gtest/gtest.h>

#include <random>

#include "expr/string_functions.hpp"
#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/matcher.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

constexpr std::size_t canary_words = 64;

struct Found {
  std::vector<std::uint32_t> words;  // and canaries after them
  Status status;
  bool bit(std::uint64_t row) const { return (words[row / 32] >> row % 32 & 1) != 0; }
};

Result<Found> found(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                    const Predicate& predicate, std::string_view variant) {
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
  PENSTOCK_ASSIGN(const auto matcher, DeviceMatcher::build(device, strings, predicate, variant));
  EXPECT_EQ(matcher->variant(), variant);
  PENSTOCK_ASSIGN(const auto bits,
                  device->allocate(bitmap_bytes(strings.row_count) + 4 * canary_words));
  PENSTOCK_TRY(cover(*queue, *bits));
  PENSTOCK_TRY(matcher->enqueue(*queue, uploaded, *bits));
  Found found;
  found.status = matcher->check(*queue);
  PENSTOCK_ASSIGN(found.words, downloaded<std::uint32_t>(*queue, *bits));
  for (std::size_t i = bitmap_bytes(strings.row_count) / 4; i < found.words.size(); i++)
    EXPECT_EQ(found.words[i], 0x01010101u * canary) << "word " << i;
  return found;
}

bool holds(const Predicate& predicate, std::string_view text) {
  bool is_match = false;
  for (const std::string& constant : predicate.constants)
    is_match |= predicate.kind == Predicate::Kind::is_like
                    ? expr::matches_like(text, constant, predicate.escape)
                    : text == constant;
  return is_match != predicate.is_negated;
}

std::string message_of(const Predicate& predicate) {
  std::string message = predicate.is_negated ? "not" : "";
  for (const std::string& constant : predicate.constants)
    message += " '" + constant.substr(0, 60) + "'";
  return message;
}

void expect_matched(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                    const Column& texts, const Predicate& predicate) {
  SCOPED_TRACE(message_of(predicate));
  for (const std::string& variant : DeviceMatcher::variants(device->traits(), strings, predicate)) {
    const bool is_long = std::any_of(predicate.constants.begin(), predicate.constants.end(),
                                     [](const auto& c) { return c.size() > 200; });
    if (is_long && variant != "fsst_match_codes")
      continue;  // more states than an automaton has: MoreStatesThanAByteCountsAreRefused
    SCOPED_TRACE(variant);
    const auto result = found(device, strings, predicate, variant);
    ASSERT_TRUE(result.ok()) << result.status().text();
    ASSERT_TRUE(result->status.ok()) << result->status.text();
    for (std::uint64_t row = 0; row < texts.row_count; row++) {
      const std::string_view text = text_of(texts, row);
      ASSERT_EQ(result->bit(row), holds(predicate, text))
          << "row " << row << " '" << text.substr(0, 100) << "'";
    }
    for (std::uint64_t row = texts.row_count; row % 32 != 0; row++)
      ASSERT_FALSE(result->bit(row)) << "a bit behind the last row";
  }
}

std::vector<Predicate> predicates_on_urls() {
  return {Predicate::like("%google%"),    !Predicate::like("%google%"),
          Predicate::like("http://%"),    Predicate::like("%.html"),
          Predicate::like("http%html"),   Predicate::like("%a%e%i%"),
          Predicate::like("%/_/%"),       Predicate::like("http:__www.%"),
          Predicate::like("%"),           Predicate::like(""),
          Predicate::like("_%"),          Predicate::like("%e%"),
          Predicate::like("%#%20%", "#"), Predicate::like("%?q=%"),
          Predicate::equals("")};
}

TEST(FsstMatching, AddressesOfSeveralRowGroups) {
  on_each_shared([](const auto& device) {
    for (const std::uint64_t rows_per_group : {100'000u, 1000u, 37u}) {
      const Column urls = codec::generate_urls(rows_per_group == 37u ? 1500 : 20'000);
      const EncodedStrings strings = encoded(urls, {.row_group_rows = rows_per_group});
      for (const Predicate& predicate : predicates_on_urls())
        expect_matched(device, strings, urls, predicate);
      const std::string first(urls.string(0)), last(urls.string(urls.row_count - 1));
      for (const Predicate& predicate :
           {Predicate::equals(first), !Predicate::equals(last), Predicate::any_of({})})
        expect_matched(device, strings, urls, predicate);
      expect_matched(device, strings, urls,
                     Predicate::any_of(
                         {first, last, "", "nothing of this kind", std::string(3000, 'x'), first}));
    }
  });
}

std::vector<Predicate> predicates_on_letters() {
  return {Predicate::like("%abcabc%"),
          Predicate::like("%aaaaaa%"),
          !Predicate::like("%cab%"),
          Predicate::like("%b%"),
          Predicate::like("%abacabaabacaba%"),
          Predicate::like("%abcabcaabbccabcabcaabbccabcaab%"),
          Predicate::like("ab%"),
          Predicate::like("%ca"),
          Predicate::like("a%c"),
          Predicate::like("%ab%bc%ca%"),
          Predicate::like("abc%cba%abc"),
          Predicate::equals("abc"),
          Predicate::any_of({"a", "b", "ab", "abc", "", "cccc"}),
          !Predicate::equals(""),
          Predicate::like("%\xff%"),
          Predicate::like("%aa\xff%")};
}

TEST(FsstMatching, RandomCodesOfSeveralRowGroups) {
  on_each_shared([](const auto& device) {
    for (const unsigned escapes : {0u, 3u, 60u, 100u}) {
      SCOPED_TRACE(testing::Message() << escapes << " % escapes");
      const RandomColumn generated = random_codes(escapes + 1, {.escapes_of_100 = escapes});
      for (const Predicate& predicate : predicates_on_letters())
        expect_matched(device, generated.strings, generated.texts, predicate);
    }
  });
}

TEST(FsstMatching, WideOffsetsThatDoNotBeginAtZero) {
  const Column urls = codec::generate_urls(4000);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 1300});
  const RandomColumn generated = random_codes(51, {.rows = 1500, .escapes_of_100 = 10});
  on_each_shared([&](const auto& device) {
    for (const std::size_t bytes : {1u, 13u, 16u, 37u}) {
      for (const char* pattern : {"%google%", "http://%", "%.html"})
        expect_matched(device, moved(strings, bytes), urls, Predicate::like(pattern));
      expect_matched(device, moved(strings, bytes), urls,
                     Predicate::equals(std::string(urls.string(0))));
      expect_matched(device, moved(generated.strings, bytes), generated.texts,
                     Predicate::like("%abcabc%"));
    }
  });
}

TEST(FsstMatching, RowsOfHundredsOfKilobytesBesideShortOnes) {
  on_each_shared([](const auto& device) {
    const RandomColumn generated = random_codes(7, {.rows = 1100,
                                                    .max_codes = 3,
                                                    .long_row_codes = 70'000,
                                                    .escapes_of_100 = 1,
                                                    .letters = "abcdefgh"});
    for (const char* pattern : {"%abcdabcd%", "%hgfedc%", "a%", "%h", "a%abcde%h"})
      expect_matched(device, generated.strings, generated.texts, Predicate::like(pattern));
  });
}

// The filter takes an escaped byte for a code: at a block's end and at its beginning.
TEST(FsstMatching, WordsThatEndWithOrBehindAnEscapeAtEveryPlace) {
  std::vector<std::string> symbols = {"a", "goo", "le", "googl"}, rows, texts;
  symbols.resize(255, "x");
  for (std::size_t before = 0; before < 40; before++) {
    const auto add = [&](const std::string& codes, const std::string& text) {
      rows.push_back(std::string(before, '\0') + codes);
      texts.push_back(std::string(before, 'a') + text);
    };
    add("\x01\xffg\x02", "google");
    add("\x03\xff"
        "e",
        "google");
    add("\x03\xff"
        "f",
        "googlf");
  }
  const EncodedStrings strings = strings_of(table_of(symbols), rows);
  on_each_shared([&](const auto& device) {
    expect_matched(device, strings, Column::from_strings(texts), Predicate::like("%google%"));
  });
}

// Whether a byte after so many 255s is escaped cannot be told from the few before it.
TEST(FsstMatching, WordsBehindLongRunsOfEscapes) {
  std::vector<std::string> rows, texts;
  for (std::size_t literals = 0; literals < 120; literals++) {
    rows.push_back(std::string(1 + literals % 3, '\0') + std::string(2 * literals, '\xff') +
                   "\xffz" + std::string(20, '\0'));
    texts.push_back(std::string(1 + literals % 3, 'a') + std::string(literals, '\xff') + "z" +
                    std::string(20, 'a'));
  }
  const EncodedStrings strings = strings_of(table_of({"a"}), rows);
  on_each_shared([&](const auto& device) {
    for (const char* pattern : {"%z%", "%\xffz%", "%a\xff%"})
      expect_matched(device, strings, Column::from_strings(texts), Predicate::like(pattern));
  });
}

TEST(FsstMatching, CharactersOfSeveralBytesAreOneForAnUnderscore) {
  std::mt19937 random(4);
  const std::vector<std::string> characters = {"a", "b", "\xc3\xa9", "\xe2\x82\xac",
                                               "\xf0\x9f\x98\x80"};
  std::vector<std::string> texts;
  for (int row = 0; row < 3000; row++) {
    texts.emplace_back();
    for (std::size_t i = random() % 9; i > 0; i--)
      texts.back() += characters[random() % characters.size()];
  }
  const Column column = Column::from_strings(texts);
  const EncodedStrings strings = encoded(column, {.row_group_rows = 700});
  on_each_shared([&](const auto& device) {
    for (const char* pattern :
         {"_", "__", "_%_", "%_\xc3\xa9_%", "\xe2\x82\xac_%a", "%_a", "a_b%", "%a__b%", "___%",
          "%_", "_\xf0\x9f\x98\x80%", "%\xc3\xa9%", "%_%_%a_"})
      expect_matched(device, strings, column, Predicate::like(pattern));
  });
}

// Random patterns on random strings, for errors in sets of positions.
TEST(FsstMatching, RandomPatterns) {
  const RandomColumn generated = random_codes(11, {.rows = 900, .max_codes = 6, .row_groups = 2});
  on_each_shared([&](const auto& device) {
    std::mt19937 random(12);
    for (int attempt = 0; attempt < 80; attempt++) {
      std::string pattern;
      for (std::size_t i = random() % 9; i > 0; i--) pattern += "abc%%__"[random() % 7];
      // Escaped 255s are not UTF-8; SQL's _ takes one such byte at a time, as _ does here.
      expect_matched(device, generated.strings, generated.texts, Predicate::like(pattern));
    }
  });
}

TEST(FsstMatching, TextsOfAllKindsOfMissingRows) {
  std::vector<std::optional<std::string>> rows;
  for (int i = 0; i < 1000; i++)
    rows.push_back(i % 3 == 0 ? std::nullopt
                              : std::optional(i % 5 == 0 ? "" : "row " + std::to_string(i)));
  const Column column = Column::from_strings(rows);
  const EncodedStrings strings = encoded(column, {.row_group_rows = 90});
  on_each_shared([&](const auto& device) {
    for (const Predicate& predicate : {Predicate::equals(""), Predicate::equals("row 7"),
                                       !Predicate::any_of({"row 1", "row 11"}),
                                       Predicate::like("%1%"), Predicate::like("%w 99%")})
      expect_matched(device, strings, column, predicate);
  });
}

TEST(FsstMatching, ManyConstantsOfEqualAndOtherLengths) {
  const Column urls = codec::generate_urls(4000);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 1500});
  std::vector<std::string> constants{"", "a", std::string(1000, 'b')};
  for (std::uint64_t row = 0; row < urls.row_count; row += 5)
    constants.emplace_back(urls.string(row));
  for (int i = 0; i < 100; i++)
    constants.push_back("http://of-equal-length/" + std::to_string(i + 100));
  on_each_shared([&](const auto& device) {
    expect_matched(device, strings, urls, Predicate::any_of(constants));
  });
}

TEST(FsstMatching, ColumnsThatMayHoldOtherCodesAreNotComparedByTheirs) {
  const RandomColumn generated = random_codes(21, {.rows = 50});
  const Traits traits = list_devices().front();
  EXPECT_EQ(DeviceMatcher::variants(traits, generated.strings, Predicate::equals("abc")).front(),
            "fsst_match_rows");
  const EncodedStrings canonical = encoded(generated.texts);
  EXPECT_EQ(DeviceMatcher::variants(traits, canonical, Predicate::equals("abc")).front(),
            "fsst_match_codes");
}

TEST(FsstMatching, WordsThatMayEndInMostBlocksAreSoughtRowByRow) {
  const EncodedStrings strings = encoded(codec::generate_urls(5000));
  const Traits traits = list_devices().front();
  const auto first = [&](const char* pattern) {
    return DeviceMatcher::variants(traits, strings, Predicate::like(pattern)).front();
  };
  EXPECT_EQ(first("%google%"), "fsst_match_candidates");
  EXPECT_EQ(first("%e%"), "fsst_match_rows");
  EXPECT_EQ(first("%google"), "fsst_match_rows");
  EXPECT_EQ(first("%goo_le%"), "fsst_match_rows");
}

TEST(FsstMatching, MoreStatesThanAByteCountsAreRefused) {
  const RandomColumn generated = random_codes(22, {.rows = 50});
  on_each_shared([&](const auto& device) {
    const auto long_text =
        DeviceMatcher::build(device, generated.strings, Predicate::equals(std::string(300, 'a')));
    EXPECT_EQ(long_text.status().code(), Code::unsupported);
    EXPECT_OK(
        DeviceMatcher::build(device, generated.strings, Predicate::equals(std::string(250, 'a'))));
    const auto many_sets =
        DeviceMatcher::build(device, generated.strings, Predicate::like("%a__________b%"));
    EXPECT_EQ(many_sets.status().code(), Code::unsupported);
    EXPECT_NE(many_sets.status().text().find("253 states"), std::string::npos)
        << many_sets.status().text();
  });
}

// A file of some hundred KB may claim so, and would take many GiB.
TEST(FsstMatching, AutomatonsOfAsManyRowGroupsAsRowsAreRefusedWhereTheyAreLarge) {
  EncodedStrings strings =
      strings_of(table_of({"a"}), std::vector<std::string>(9000, std::string(1, '\0')));
  const RowGroup first = strings.row_groups[0];
  strings.row_groups.clear();
  for (std::uint64_t row = 0; row < strings.row_count; row++)
    strings.row_groups.push_back({row, row, first.table});
  on_each_shared([&](const auto& device) {
    EXPECT_EQ(DeviceMatcher::build(device, strings, Predicate::like(std::string(250, 'a')))
                  .status()
                  .code(),
              Code::unsupported);
    const auto few_states = found(device, strings, Predicate::like("a"), "fsst_match_rows");
    ASSERT_TRUE(few_states.ok()) << few_states.status().text();
    EXPECT_TRUE(few_states->status.ok()) << few_states->status.text();
    for (std::uint64_t word = 0; word < strings.row_count / 32; word++)
      ASSERT_EQ(few_states->words[word], 0xffffffff) << "word " << word;
  });
}

// Names the row of the first code that decoding refuses, by every variant that reads all codes.
TEST(FsstMatching, InvalidCodesAreRefusedByRow) {
  const std::vector<EncodedStrings> columns = corrupt_columns();
  on_each_shared([&](const auto& device) {
    for (std::size_t c = 0; c < columns.size(); c++)
      for (const Predicate& predicate :
           {Predicate::like("%zzz%"), Predicate::like("%cb"), !Predicate::like("%de%")})
        for (const std::string& variant :
             DeviceMatcher::variants(device->traits(), columns[c], predicate)) {
          SCOPED_TRACE(testing::Message()
                       << "column " << c << ", " << variant << message_of(predicate));
          TAKE(const Found result, found(device, columns[c], predicate, variant));
          EXPECT_EQ(result.status.code(), Code::corrupt);
          EXPECT_NE(result.status.text().find("row 1"), std::string::npos) << result.status.text();
        }
  });
}

TEST(FsstMatching, RandomBytesAsCodesStayInside) {
  std::mt19937 random(31);
  const SymbolTable table = table_of({"a", "ab", "google", "goo", "gle"});
  std::vector<std::string> rows;
  for (int row = 0; row < 3000; row++) {
    rows.emplace_back();
    for (std::size_t i = random() % 40; i > 0; i--)
      rows.back() += static_cast<char>(random() % 3 == 0 ? random() : random() % 5);
  }
  on_each_shared([&](const auto& device) {
    for (const Predicate& predicate :
         {Predicate::like("%google%"), Predicate::like("a%"), Predicate::equals("agoogle")})
      for (const std::string& variant :
           DeviceMatcher::variants(device->traits(), strings_of(table, rows), predicate)) {
        const auto result = found(device, strings_of(table, rows), predicate, variant);
        ASSERT_TRUE(result.ok()) << result.status().text();
        EXPECT_EQ(result->status.code(), Code::corrupt);
      }
  });
}

void expect_lengths(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                    const Column& texts) {
  for (const auto unit : {DeviceLengths::Unit::bytes, DeviceLengths::Unit::characters}) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
    TAKE(const auto lengths, DeviceLengths::build(device, strings, unit));
    TAKE(const auto buffer, device->allocate(strings.row_count * 8));
    ASSERT_OK(lengths->enqueue(*queue, uploaded, *buffer));
    ASSERT_OK(lengths->check(*queue));
    TAKE(const auto values, downloaded<std::uint64_t>(*queue, *buffer));
    for (std::uint64_t row = 0; row < texts.row_count; row++) {
      const std::string_view text = texts.string(row);
      const auto characters =
          std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
      ASSERT_EQ(values[row], unit == DeviceLengths::Unit::bytes
                                 ? text.size()
                                 : static_cast<std::uint64_t>(characters))
          << "row " << row;
    }
  }
}

TEST(FsstLengths, OfBytesAndOfCharacters) {
  const RandomColumn generated = random_codes(
      41, {.long_row_codes = 20'000, .escapes_of_100 = 20, .letters = "a\xc3\xa9\xe2\x82\xac"});
  const Column urls = codec::generate_urls(5000);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 999});
  on_each_shared([&](const auto& device) {
    expect_lengths(device, generated.strings, generated.texts);
    expect_lengths(device, strings, urls);
  });
}

TEST(FsstLengths, InvalidCodesAreRefusedByRow) {
  const SymbolTable table = table_of({"a", "bc"});
  on_each_shared([&](const auto& device) {
    for (const std::string& bad : {std::string("\x01\x02", 2), std::string("\x01\xff", 2)}) {
      const EncodedStrings strings = strings_of(table, {"\x01", bad}, 4);
      TAKE(const auto queue, device->queue());
      TAKE(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
      TAKE(const auto lengths, DeviceLengths::build(device, strings, DeviceLengths::Unit::bytes));
      TAKE(const auto buffer, device->allocate(16));
      ASSERT_OK(lengths->enqueue(*queue, uploaded, *buffer));
      const Status status = lengths->check(*queue);
      EXPECT_EQ(status.code(), Code::corrupt);
      EXPECT_NE(status.text().find("row 1"), std::string::npos) << status.text();
    }
  });
}

// Their tables and bounds belong to one column.
TEST(FsstLengths, AndMatchersTakeNoOtherColumnThanTheirs) {
  const SymbolTable table = table_of({"a", "bc"});
  const EncodedStrings strings = strings_of(table, {"\x01", "\x01"}, 4);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const auto lengths, DeviceLengths::build(device, strings, DeviceLengths::Unit::bytes));
    TAKE(const auto matcher, DeviceMatcher::build(device, strings, Predicate::like("b%")));
    TAKE(const auto results, device->allocate(64));
    for (const std::vector<std::string>& rows :
         {std::vector<std::string>{"\x01"}, {"\x01", "\x01\x01"}}) {
      TAKE(const DeviceStrings other,
           DeviceStrings::upload(*device, *queue, strings_of(table, rows, 2 * rows.size())));
      EXPECT_EQ(lengths->enqueue(*queue, other, *results).code(), Code::invalid);
      EXPECT_EQ(matcher->enqueue(*queue, other, *results).code(), Code::invalid);
    }
  });
}

// Races, divergent barriers and accesses out of bounds, in the kernels for GPUs and for CPUs. No
// GPU is needed to run the candidate kernels.
class FsstMatchingOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstMatchingOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 128, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(FsstMatchingOnTheHost, UrlsWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  const Column urls = codec::generate_urls(2500);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 900});
  for (const char* pattern : {"%google%", "%e%", "http://%", "%.html", "%/_/%"})
    expect_matched(device, strings, urls, Predicate::like(pattern));
  expect_matched(
      device, strings, urls,
      Predicate::any_of({std::string(urls.string(5)), std::string(urls.string(2000)), ""}));
  expect_lengths(device, strings, urls);
}

TEST_P(FsstMatchingOnTheHost, RandomCodesWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  for (const unsigned escapes : {3u, 100u}) {
    const RandomColumn generated = random_codes(
        escapes,
        {.rows = 1300, .max_codes = 20, .long_row_codes = 3000, .escapes_of_100 = escapes});
    for (const Predicate& predicate :
         {Predicate::like("%abcabc%"), Predicate::like("%b%"), !Predicate::like("%abacabaab%"),
          Predicate::like("%aa\xff%"), Predicate::like("%abcabcaabbccabcabcaabbccabcaab%")})
      expect_matched(device, generated.strings, generated.texts, predicate);
  }
}

TEST_P(FsstMatchingOnTheHost, InvalidCodesAreReported) {
  const auto device = kernel::make_host_device(GetParam());
  for (const EncodedStrings& strings : corrupt_columns())
    for (const std::string& variant :
         DeviceMatcher::variants(device->traits(), strings, Predicate::like("%zz%"))) {
      TAKE(const Found result, found(device, strings, Predicate::like("%zz%"), variant));
      EXPECT_NE(result.status.text().find("row 1, byte "), std::string::npos)
          << variant << ": " << result.status.text();
    }
}

}  // namespace
}  // namespace penstock::fsst
