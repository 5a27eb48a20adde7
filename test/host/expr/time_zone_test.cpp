// Time zones: files that are damaged, rules, and times that clocks show twice or never.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "expr/time_zone.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t hour = 3'600'000'000;
// 2020-03-08 07:00 and 2020-11-01 06:00 in UTC: New York's changes of the clocks.
constexpr std::int64_t spring = 1'583'650'800'000'000, autumn = 1'604'210'400'000'000;

void append_number(std::string& bytes, std::uint64_t value, unsigned width) {
  for (unsigned i = width; i-- > 0;) bytes += static_cast<char>(value >> (8 * i));
}

std::string block(unsigned width, const std::vector<std::int64_t>& changes,
                  const std::vector<std::int32_t>& offsets) {
  std::string bytes = "TZif2" + std::string(15, '\0');
  for (const std::size_t count : {std::size_t{0}, std::size_t{0}, std::size_t{0}, changes.size(),
                                  offsets.size(), std::size_t{4}})
    append_number(bytes, count, 4);
  for (const std::int64_t change : changes)
    append_number(bytes, static_cast<std::uint64_t>(change), width);
  for (std::size_t i = 0; i < changes.size(); i++)
    bytes += static_cast<char>((i + 1) % offsets.size());
  for (const std::int32_t offset : offsets) {
    append_number(bytes, static_cast<std::uint32_t>(offset), 4);
    bytes.append(2, '\0');
  }
  return bytes + std::string("LMT\0", 4);
}

std::string file() {
  return block(4, {}, {0}) + block(8, {-2'717'650'800, 1'000'000'000}, {-17762, -18000}) +
         "\nEST5EDT,M3.2.0,M11.1.0\n";
}

TEST(TzFiles, ChangesAndTheRuleBehindThemAreRead) {
  const Result<ZoneRules> rules = read_tz_file(file());
  ASSERT_TRUE(rules.ok()) << rules.status().message();
  EXPECT_EQ(rules->offset_at(-3'000'000'000), -17762);
  EXPECT_EQ(rules->offset_at(-2'717'650'800), -18000);
  EXPECT_EQ(rules->offset_at(spring / 1'000'000 - 1), -18000);
  EXPECT_EQ(rules->offset_at(spring / 1'000'000), -14400);
  EXPECT_EQ(rules->offset_at(autumn / 1'000'000 - 1), -14400);
  EXPECT_EQ(rules->offset_at(autumn / 1'000'000), -18000);
}

TEST(TzFiles, EveryPrefixIsAnError) {
  const std::string whole = file();
  for (std::size_t length = 0; length < whole.size(); length++)
    EXPECT_FALSE(read_tz_file(std::string_view(whole).substr(0, length)).ok()) << length;
}

TEST(TzFiles, EveryChangedByteIsAnErrorOrAnotherZone) {
  const std::string whole = file();
  for (std::size_t i = 0; i < whole.size(); i++)
    for (const int change : {1, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ change);
      const Result<ZoneRules> rules = read_tz_file(changed);
      if (!rules.ok()) continue;
      for (const std::int64_t time :
           {INT64_MIN / 1'000'000, std::int64_t{0}, INT64_MAX / 1'000'000})
        EXPECT_LE(std::abs(rules->offset_at(time)), 26 * 3600);
    }
}

TEST(YearlyRules, OffsetsNamesAndDaysAreRead) {
  EXPECT_EQ(read_yearly_rule("<+0530>-5:30")->standard, 19800);
  EXPECT_FALSE(read_yearly_rule("<+0530>-5:30")->begin);
  const auto rule = read_yearly_rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->standard, 37800);
  EXPECT_EQ(rule->summer, 39600);
  EXPECT_EQ(rule->begin->month, 10);
  EXPECT_EQ(offset_by(*rule, 1'577'836'800), 39600);  // January: summer in the south
  EXPECT_EQ(offset_by(*rule, 1'593'561'600), 37800);
  EXPECT_EQ(read_yearly_rule("IST-2IDT,M3.4.4/26,M10.5.0")->begin->seconds, 26 * 3600);
  EXPECT_EQ(read_yearly_rule("AAA3BBB,J60/0,300/-1")->end->seconds, -3600);
}

TEST(YearlyRules, TextsThatAreNoRulesAreNone) {
  for (const char* const text :
       {"", "E5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST25", "<EST5", "EST5EDT,M13.1.0,M1.1.0",
        "EST5EDT,M3.6.0,M1.1.0", "EST5EDT,M3.2.7,M1.1.0", "EST5EDT,J0,J1", "EST5EDT,366,1",
        "EST5EDT,M3.2.0,M11.1.0x", "EST5:60", "EST5EDT,M3.2.0/168,J1"})
    EXPECT_FALSE(read_yearly_rule(text)) << text;
}

TEST(TimeZones, ATimeShownTwiceIsTheLaterInstant) {
  const TimeZone zone("New York", *read_tz_file(file()));
  const std::int64_t local = autumn - 5 * hour + hour / 2;  // 01:30
  EXPECT_EQ(zone.instant_of(local), autumn + hour / 2);
  EXPECT_EQ(zone.local_of(autumn - hour / 2), local);
  EXPECT_EQ(zone.local_of(autumn + hour / 2), local);
}

TEST(TimeZones, ATimeThatIsPassedOverHasTheOffsetBefore) {
  const TimeZone zone("New York", *read_tz_file(file()));
  const std::int64_t local = spring - 5 * hour + hour / 2;  // 02:30
  EXPECT_EQ(zone.instant_of(local), spring + hour / 2);
  EXPECT_EQ(zone.local_of(spring + hour / 2), local + hour);
}

TEST(TimeZones, InfiniteAndExtremeInstantsStayWithinTheirRange) {
  const TimeZone zone("New York", *read_tz_file(file()));
  for (const std::int64_t end : {INT64_MAX, -INT64_MAX}) {
    EXPECT_EQ(zone.local_of(end), end);
    EXPECT_EQ(zone.instant_of(end), end);
  }
  EXPECT_EQ(zone.instant_of(INT64_MAX - 1), INT64_MAX - 1);
  EXPECT_EQ(zone.local_of(-INT64_MAX + 1), -INT64_MAX + 1);
}

TEST(TimeZones, NamesAreFoundInAnyCaseAndNothingElseIs) {
  ASSERT_TRUE(time_zone("utc").ok());
  EXPECT_TRUE((*time_zone("UTC"))->is_utc());
  EXPECT_EQ((*time_zone("GMT+5"))->offset_at(0), 5 * 3600);
  EXPECT_EQ((*time_zone("UTC-03:30"))->offset_at(0), -12600);
  for (const char* const name : {"", "Nowhere/City", "../../etc/passwd", "/etc/localtime", "Europe",
                                 "Europe/", "Europe//Berlin", "a\nb", "GMT+25", "GMT+5x"})
    EXPECT_FALSE(time_zone(name).ok()) << name;
  if (!time_zone("Europe/Berlin").ok()) GTEST_SKIP() << "there is no tzdata";
  EXPECT_EQ((*time_zone("europe/BERLIN"))->name(), "Europe/Berlin");
  EXPECT_EQ((*time_zone("Europe/Berlin"))->offset_at(autumn), 3600);
}

TEST(TimeZones, OffsetsHaveTheirPartsAsTexts) {
  EXPECT_EQ(offset_text(0), "+00");
  EXPECT_EQ(offset_text(-14400), "-04");
  EXPECT_EQ(offset_text(19800), "+05:30");
  EXPECT_EQ(offset_text(-17762), "-04:56:02");
}

}  // namespace
}  // namespace penstock::expr
