// The state that all methods of one decompression share.
#pragma once
#include <functional>
#include <memory>

#include "stream/input/input.hpp"
#include "stream/pipeline/pipeline.hpp"

namespace penstock::stream {

class DeviceSession;  // device_session.hpp

// Outlives the decoders of the run.
struct Context {
  Input& input;
  const DecompressOptions& options;
  std::uint32_t threads;
  std::shared_ptr<DeviceSession> session = {};  // of options.device
  std::vector<std::shared_ptr<DeviceSession>> further_sessions = {};
  bool keeps_output_on_device = false;  // decompress_to_device()
  // Reports up to which byte the input is decoded, also while no output comes. Returns
  // Code::cancelled if the caller ends the run. Called on the caller's thread; may be null.
  std::function<Status(std::uint64_t bytes_in)> on_progress = {};
  // Methods count members in it and name the first; the rest is the driver's (for_each_member()).
  Report report = {};

  std::uint64_t next_member() const { return report.member_count + 1; }
  std::uint64_t remaining_output_bytes() const {
    return options.max_output_bytes - report.bytes_out;
  }
  Status output_limit_error() const {
    return {Code::capacity, "the output exceeds the limit of " +
                                std::to_string(options.max_output_bytes) + " bytes"};
  }
  Status report_progress(std::uint64_t bytes_in) const {
    return on_progress ? on_progress(bytes_in) : Status();
  }
};

// Inputs so short are decoded before a thread has started.
constexpr std::uint64_t max_threadless_bytes = 64 << 10;

// Decodes by the stages: on the context's threads, or on one beside the caller's where all work is
// done in take().
template <class S>
Result<std::unique_ptr<Decoder>> in_pipeline(Context& context, std::unique_ptr<S> stages,
                                             bool is_sequential = false) {
  const bool is_short = context.input.size() && *context.input.size() <= max_threadless_bytes;
  const std::uint32_t threads = is_short ? 0 : is_sequential ? 1 : context.threads;
  return std::unique_ptr<Decoder>(new Pipeline<DecodeJob>(std::move(stages), threads, [&context] {
    return context.report_progress(context.input.offset());
  }));
}

}  // namespace penstock::stream
