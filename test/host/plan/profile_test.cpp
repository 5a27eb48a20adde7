// The report of a profile, with spans made by hand.
#include <gtest/gtest.h>

#include "penstock/profile.hpp"

namespace penstock {
namespace {

Profile profile_of(std::vector<Span> spans, double total) {
  Profile profile;
  profile.spans = std::move(spans);
  profile.total_seconds = total;
  return profile;
}

const TrackSummary& of(const std::array<TrackSummary, track_count>& summary, Track track) {
  return summary[static_cast<std::size_t>(track)];
}

TEST(ProfileSummary, AloneIsWhatNothingOverlaps) {
  const auto summary = summarize(profile_of(
      {{Track::wait, "wait", 0, 10}, {Track::upload, "a", 0, 4}, {Track::compute, "b", 3, 8}}, 12));
  EXPECT_DOUBLE_EQ(of(summary, Track::upload).alone_seconds, 3);
  EXPECT_DOUBLE_EQ(of(summary, Track::compute).alone_seconds, 4);
  EXPECT_DOUBLE_EQ(of(summary, Track::wait).alone_seconds,
                   2);  // from 8 to 10, for nothing that was seen
  EXPECT_DOUBLE_EQ(of(summary, Track::host).seconds, 2);
  EXPECT_DOUBLE_EQ(of(summary, Track::host).alone_seconds, 2);
}

TEST(ProfileSummary, OverlappingSpansOfATrackCountOnce) {
  const auto summary = summarize(
      profile_of({{Track::compile, "a", 0, 4, 0, 0}, {Track::compile, "b", 1, 3, 0, 1}}, 4));
  EXPECT_DOUBLE_EQ(of(summary, Track::compile).seconds, 4);
  EXPECT_EQ(of(summary, Track::compile).spans, 2u);
}

TEST(ProfileSummary, AloneTimesAddUpToTheRunWhereNothingOverlaps) {
  const auto summary = summarize(profile_of(
      {{Track::read, "r", 0, 1}, {Track::wait, "w", 1, 3}, {Track::compute, "k", 1, 3}}, 5));
  double alone = 0;
  for (const TrackSummary& track : summary) alone += track.alone_seconds;
  EXPECT_DOUBLE_EQ(alone, 5);
}

// A viewer draws spans of one line as a stack: spans that cross would be drawn wrong.
TEST(ChromeTrace, CrossingSpansStandOnLinesOfTheirOwn) {
  const std::string crossing =
      chrome_trace(profile_of({{Track::compile, "a", 0, 2}, {Track::compile, "b", 1, 3}}, 3));
  EXPECT_NE(crossing.find("\"compile 2\""), std::string::npos) << crossing;
  const std::vector<Span> spans = {
      {Track::compile, "a", 0, 3}, {Track::compile, "b", 1, 2}, {Track::compile, "c", 3, 4}};
  const std::string nested = chrome_trace(profile_of(spans, 4));
  EXPECT_EQ(nested.find("\"compile 2\""), std::string::npos) << nested;
}

TEST(ChromeTrace, NamesAreEscaped) {
  const std::string text = chrome_trace(profile_of({{Track::host, "a\"b\n", 0, 1e-6}}, 1));
  EXPECT_NE(text.find(R"("name": "a\"b\n", "cat": "host", "ts": 0, "dur": 1,)"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace penstock
