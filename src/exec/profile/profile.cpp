// Reports of a profile: sums by track, and a Chrome trace.
#include "penstock/profile.hpp"

#include <algorithm>
#include <map>

#include "base/json.hpp"

namespace penstock {
namespace {

constexpr std::size_t wait_track = static_cast<std::size_t>(Track::wait),
                      read_track = static_cast<std::size_t>(Track::read),
                      host_track = static_cast<std::size_t>(Track::host);

// By time: how many spans of each track begin, minus how many end.
using Changes = std::map<double, std::array<int, track_count>>;

Changes changes_of(const Profile& profile) {
  Changes changes;
  changes[0];
  changes[profile.total_seconds];
  for (const Span& span : profile.spans) {
    const double begin = std::clamp(span.begin_seconds, 0.0, profile.total_seconds);
    changes[begin][static_cast<std::size_t>(span.track)]++;
    changes[std::clamp(span.end_seconds, begin, profile.total_seconds)]
           [static_cast<std::size_t>(span.track)]--;
  }
  return changes;
}

// The calling thread works unless it waits or reads. Waiting hides nothing.
void add_moment(std::array<TrackSummary, track_count>& summary,
                const std::array<int, track_count>& open, double seconds) {
  std::array<bool, track_count> active{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < track_count; i++) {
    active[i] = i == host_track ? open[wait_track] == 0 && open[read_track] == 0 : open[i] > 0;
    count += active[i] && i != wait_track;
  }
  for (std::size_t i = 0; i < track_count; i++) {
    if (!active[i]) continue;
    summary[i].seconds += seconds;
    if (count == (i == wait_track ? 0 : 1)) summary[i].alone_seconds += seconds;
  }
}

// The lines of one track. A span is put in the first line in which it follows the earlier spans, or
// lies within one.
class Lanes {
 public:
  // Times of events are rounded: spans that overlap by less than this follow one another.
  static constexpr double rounding_seconds = 2e-6;

  std::size_t place(double begin, double end, double& shown_begin) {
    for (std::size_t lane = 0; lane < open_.size(); lane++)
      if (fits(open_[lane], begin, end, shown_begin)) return lane;
    open_.push_back({end});
    shown_begin = begin;
    return open_.size() - 1;
  }

 private:
  static bool fits(std::vector<double>& ends, double begin, double end, double& shown_begin) {
    double last = 0;
    while (!ends.empty() && ends.back() <= begin + rounding_seconds && ends.back() < end) {
      last = std::max(last, ends.back());
      ends.pop_back();
    }
    if (!ends.empty() && end > ends.back()) {
      if (last > 0) ends.push_back(last);
      return false;
    }
    ends.push_back(end);
    shown_begin = std::clamp(last, begin, end);
    return true;
  }
  std::vector<std::vector<double>>
      open_;  // by lane, the ends of the spans that one moment lies in, the innermost last
};

std::string microseconds(double seconds) { return json_number(seconds * 1e6); }

std::string metadata(const char* what, std::size_t thread, const std::string& arguments) {
  return std::string("{\"ph\": \"M\", \"pid\": 1, \"tid\": ") + std::to_string(thread) +
         ", \"name\": \"" + what + "\", \"args\": {" + arguments + "}}";
}

std::string event_text(const Span& span, double begin, std::size_t thread) {
  std::string text = "{\"ph\": \"X\", \"pid\": 1, \"tid\": " + std::to_string(thread) +
                     ", \"name\": " + json_string(span.name) + ", \"cat\": \"" +
                     std::string(name_of(span.track)) + "\", \"ts\": " + microseconds(begin) +
                     ", \"dur\": " + microseconds(std::max(span.end_seconds - begin, 0.0)) +
                     ", \"args\": {";
  if (span.bytes > 0) text += "\"bytes\": " + std::to_string(span.bytes);
  if (span.kernel >= 0)
    text +=
        (span.bytes > 0 ? ", " : "") + std::string("\"kernel\": ") + std::to_string(span.kernel);
  return text + "}}";
}

constexpr std::size_t max_lanes = 100;  // of a track: threads are numbered by track, then lane

}  // namespace

std::string_view name_of(Track track) {
  constexpr std::array<std::string_view, track_count> names = {
      "host", "wait", "read", "open", "compile", "upload", "compute", "download"};
  return names[static_cast<std::size_t>(track)];
}

std::array<TrackSummary, track_count> summarize(const Profile& profile) {
  std::array<TrackSummary, track_count> summary{};
  for (const Span& span : profile.spans) {
    TrackSummary& track = summary[static_cast<std::size_t>(span.track)];
    track.spans++;
    track.bytes += span.bytes;
  }
  std::array<int, track_count> open{};
  double last = 0;
  for (const auto& [time, change] : changes_of(profile)) {
    add_moment(summary, open, time - last);
    for (std::size_t i = 0; i < track_count; i++) open[i] += change[i];
    last = time;
  }
  return summary;
}

std::string chrome_trace(const Profile& profile) {
  std::string text =
      "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"device\": " + json_string(profile.device) +
      ", \"clock_error_us\": " + microseconds(profile.clock_error_seconds) +
      "}, \"traceEvents\": [\n" +
      metadata("process_name", 0, "\"name\": " + json_string(profile.device));
  std::array<Lanes, track_count> lanes;
  std::map<std::size_t, std::string> threads;
  for (const Span& span : profile.spans) {
    const auto track = static_cast<std::size_t>(span.track);
    double begin = span.begin_seconds;
    const std::size_t lane =
        std::min(lanes[track].place(span.begin_seconds, span.end_seconds, begin), max_lanes - 1);
    const std::size_t thread = 1 + track * max_lanes + lane;
    threads[thread] =
        std::string(name_of(span.track)) + (lane == 0 ? "" : " " + std::to_string(lane + 1));
    text += ",\n" + event_text(span, begin, thread);
  }
  for (const auto& [thread, name] : threads) {
    text += ",\n" + metadata("thread_name", thread, "\"name\": " + json_string(name));
    text +=
        ",\n" + metadata("thread_sort_index", thread, "\"sort_index\": " + std::to_string(thread));
  }
  return text + "\n]}\n";
}

}  // namespace penstock
