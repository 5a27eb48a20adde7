// Texts and arithmetic of intervals and times: values by hand, ends of ranges, texts that are none.
#include <gtest/gtest.h>

#include "expr/intervals.hpp"
#include "expr/logical_text.hpp"
#include "expr/temporal_text.hpp"

namespace penstock::expr {
namespace {

std::string interval(std::string_view text) {
  const std::optional<Scalar> value = parse_temporal(interval_type, text);
  return value ? text_of(*value) : "none";
}

std::string time(std::string_view text) {
  const std::optional<Scalar> value = parse_temporal(time_type, text);
  return value ? text_of(*value) : "none";
}

PackedInterval parts(std::string_view text) {
  return interval_in(*parse_temporal(interval_type, text));
}

std::string text(const std::optional<PackedInterval>& made) {
  return made ? text_of(interval_scalar(*made)) : "none";
}

TEST(IntervalText, PartsAreAdded) {
  EXPECT_EQ(interval("1 year 2 mons 3 days 04:05:06.7"), "1 year 2 months 3 days 04:05:06.7");
  EXPECT_EQ(interval("@ 1 century 2 decs"), "120 years");
  EXPECT_EQ(interval("1 day 2 hours ago"), "-1 day -02:00:00");
  EXPECT_EQ(interval("-1 month 1 month"), "00:00:00");
  EXPECT_EQ(interval("1.5"), "00:00:01.5");
  EXPECT_EQ(interval("04:05+02:30 1 day"), "1 day 04:05:00");
}

TEST(IntervalText, FractionsBecomeSmallerParts) {
  EXPECT_EQ(interval("1.5 years"), "1 year 6 months");
  EXPECT_EQ(interval("1.5 quarters"), "4 months 15 days");
  EXPECT_EQ(interval("-0.3 months"), "-9 days");
  EXPECT_EQ(interval("1.5 weeks"), "10 days 12:00:00");
  EXPECT_EQ(interval("1.23456789 days"), "1 day 05:37:46.665696");
}

TEST(IntervalText, TextsThatAreNoIntervalsAreNone) {
  for (const char* const text : {"",
                                 " ",
                                 "x",
                                 "1 x",
                                 "1 day 1",
                                 "1 12:00:00",
                                 "12:60:00",
                                 "+1 day",
                                 "- 1 day",
                                 ".5 days",
                                 "1e3 days",
                                 "infinity",
                                 "ago",
                                 "1 day ago 2 hours",
                                 "2147483648 days",
                                 "2147483648 months",
                                 "9223372036854775808 us",
                                 "178956971 years",
                                 "999999999999999999 centuries",
                                 "@"})
    EXPECT_EQ(interval(text), "none") << text;
  EXPECT_EQ(interval("9223372036854775807 us"), "2562047788:00:54.775807");
}

TEST(TimeText, ATimeStandsAloneOrBehindADate) {
  EXPECT_EQ(time("1:2:3.5"), "01:02:03.5");
  EXPECT_EQ(time("24:00:00"), "24:00:00");
  EXPECT_EQ(time("01:02:03.123456789+05:30"), "01:02:03.123456");
  EXPECT_EQ(time("2020-01-01T01:02:03"), "01:02:03");
  for (const char* const text : {"", "12", "24:00:01", "25:00", "23:59:60", "1:02 AM", "01:02:03+2",
                                 "01:02:03 UTC", "infinity", "-1:00"})
    EXPECT_EQ(time(text), "none") << text;
}

TEST(InstantText, AnOffsetOrANameStandsBehindTheTime) {
  const auto count = [](std::string_view text) {
    const std::optional<Scalar> value = parse_temporal(instant_type, text);
    return value ? static_cast<std::int64_t>(value->integer) : -1;
  };
  constexpr std::int64_t hour = 3'600'000'000;
  EXPECT_EQ(count("1970-01-01 02:00:00+02"), 0);
  EXPECT_EQ(count("1970-01-01 02:00-0230"), 4 * hour + hour / 2);
  EXPECT_EQ(count("1970-01-01T02:00Z"), 2 * hour);
  EXPECT_EQ(count("1970-01-01 02:00 utc"), 2 * hour);
  EXPECT_EQ(count("infinity"), INT64_MAX);
  for (const char* const text :
       {"", "x", "1970-01-01 02:00+2", "1970-01-01 02:00 +02", "1970-01-01 02:00UTC",
        "1970-01-01 02:00:00  UTC", "1970-01-01 02:00 Nowhere", "1970-01-01+02",
        "1970-01-01 02:00+02:3", "294247-01-10 04:00:54.775808+00", "1970-01-01 02:00 "})
    EXPECT_EQ(count(text), -1) << text;
}

TEST(Intervals, LastDaysOfMonthsAreKept) {
  const std::int64_t day = 86'400'000'000, january_30 = 18'657 * day;  // 2021
  EXPECT_EQ(moved(january_30, {1, 1, 0}, 1), (january_30 + 30 * day));
  EXPECT_EQ(moved(INT64_MAX, {1, 1, 1}, -1), INT64_MAX);
  EXPECT_FALSE(moved(INT64_MAX - 1, {0, 0, 1}, 1));
  EXPECT_FALSE(moved(0, {INT32_MAX, 0, 0}, 1));
}

TEST(Intervals, AgesBorrowDaysOfTheEarlierMonth) {
  const std::int64_t day = 86'400'000'000, may_31 = 18'413 * day, february_29 = 18'321 * day;
  EXPECT_EQ(text(age_of(february_29, may_31)), "3 months 2 days");
  EXPECT_EQ(text(age_of(may_31, february_29)), "-3 months -2 days");
  EXPECT_EQ(text(between_timestamps(february_29, may_31 + 1)), "92 days 00:00:00.000001");
}

TEST(Intervals, FactorsCarryWhatIsLeft) {
  EXPECT_EQ(text(scaled(parts("1 month 1 day"), 2.5, false)), "2 months 17 days 12:00:00");
  EXPECT_EQ(text(scaled(parts("5 months"), 3, true)), "1 month 20 days");
  EXPECT_EQ(text(scaled(parts("1 day"), 1e30, false)), "none");
  EXPECT_EQ(text(scaled(parts("1 day"), 0, true)), "none");
  EXPECT_EQ(text(multiplied(parts("1 month 1 hour"), -3)), "-3 months -03:00:00");
  EXPECT_EQ(text(multiplied(parts("1 hour"), INT64_MAX)), "none");
  EXPECT_EQ(text(sum_of_intervals({INT32_MAX, 0, 0}, {1, 0, 0}, 1)), "none");
}

TEST(Intervals, EqualOnesHaveOneNormalForm) {
  EXPECT_EQ(text(normalized(parts("40 days 30:00:00"))), "1 month 11 days 06:00:00");
  EXPECT_EQ(text(normalized(parts("1 month -31 days"))), "-1 month 29 days");
  EXPECT_EQ(text(normalized({INT32_MAX, INT32_MAX, INT64_MAX})),
            text(normalized({INT32_MAX, INT32_MAX, INT64_MAX})));
}

TEST(Intervals, PartsAndStartsAreDuckDBs) {
  const PackedInterval value = parts("15 months 40 days 30:12:13.5");
  EXPECT_EQ(part_of_interval(value, "year"), 1);
  EXPECT_EQ(part_of_interval(value, "quarter"), 2);
  EXPECT_EQ(part_of_interval(value, "hour"), 30);
  EXPECT_EQ(part_of_interval(value, "millisecond"), 13500);
  EXPECT_FALSE(part_of_interval(value, "week"));
  EXPECT_FALSE(part_of_interval(value, "era"));
  EXPECT_EQ(text(truncated_interval(value, "week")), "1 year 3 months 35 days");
  EXPECT_EQ(text(truncated_interval(value, "minute")), "1 year 3 months 40 days 30:12:00");
  EXPECT_FALSE(truncated_interval(value, "era"));
}

}  // namespace
}  // namespace penstock::expr
