// The profile of a run, with times: RunOptions::profile asks for it, RunReport::profile holds it.
//
//     PENSTOCK_ASSIGN(QueryResult result, run(plan, total, {.profile = true}));
//     for (const Span& span : result.report.profile->spans) ...
//     // opens in chrome://tracing and in Perfetto
//     write(chrome_trace(*result.report.profile));
//
// A recorded run measures every command of every queue, which costs a few microseconds a command; a
// run that is not asked for a profile pays nothing.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock {

enum class Track : unsigned char {
  host,     // what the calling thread computes: merging partial results, gathering, sorting, steps
            // that finish on the host
  wait,     // the calling thread waits for the device or the compiler
  read,     // the calling thread waits for the source
  open,     // opening the device, in a thread
  compile,  // a program, in a thread; several at once if a plan has several kernels
  upload,
  compute,
  download,
};
constexpr std::size_t track_count = 8;
std::string_view name_of(Track track);

struct Span {
  Track track = Track::host;
  std::string name;                           // a kernel's name, "upload", "merge results"
  double begin_seconds = 0, end_seconds = 0;  // since the run began
  std::uint64_t bytes = 0;                    // of a transfer
  int kernel = -1;                            // index into RunReport::kernels; -1: of none
};

// A function of a program, as the device runs it.
struct KernelFunction {
  std::string name;
  int kernel = -1;  // index into RunReport::kernels
  std::uint64_t launches = 0;
  double device_seconds = 0;
  KernelResources resources;
};

struct Profile {
  std::string device;                     // its id and name
  std::vector<Span> spans;                // in the order of their beginnings
  std::vector<KernelFunction> functions;  // in the order of their first launches
  double total_seconds = 0;
  // How far the spans of upload, compute and download may be off on the host's clock. Their lengths
  // are the device's own.
  double clock_error_seconds = 0;
  std::optional<StallSamples> stalls;  // if RunOptions::stalls asked for them
};

struct TrackSummary {
  double seconds = 0;        // in which the track has a span, each moment once
  double alone_seconds = 0;  // of these, in which no other track has: what no overlap hides
  std::uint64_t spans = 0, bytes = 0;
};
// Summarises by track. Each moment counts for what the calling thread does: it waits, it reads, or
// it works (host). Waiting hides nothing: `alone_seconds` of the other tracks counts moments in
// which the host waited; that of `wait` counts those in which it waited for nothing that was
// recorded.
std::array<TrackSummary, track_count> summarize(const Profile& profile);

// Returns trace events in JSON: one 'X' event per span, one line per track, and more lines if
// spans of one track overlap.
std::string chrome_trace(const Profile& profile);

}  // namespace penstock
