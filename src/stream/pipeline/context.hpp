// The state that all decoders of one run share.
#pragma once
#include <functional>
#include <memory>

#include "stream/input/input.hpp"
#include "stream/pipeline/pipeline.hpp"

namespace penstock::stream {

class DeviceRun;  // device_batch.hpp

// What a way works with; lives longer than the way's decoder.
struct Context {
  Input& input;
  const DecompressOptions& options;
  std::uint32_t threads;
  std::uint64_t member_count = 0;  // that were begun: the last one's number, counted from 1
  std::uint64_t unchecked_member_count = 0;
  std::string first_name = {};
  std::uint64_t remaining_output_bytes = UINT64_MAX;  // that may still come, when the way is made
  std::uint64_t unfit_offset = UINT64_MAX;  // where a way found, while it ran, that it does not fit
  std::shared_ptr<DeviceRun> device = {};   // of options.device
  bool stays_on_device = false;             // the text (device_output.cpp)
  // Tells up to which byte the input is decoded while no text comes yet; may be null.
  // Code::cancelled where the caller wants no more.
  std::function<Status(std::uint64_t bytes_in)> on_decoded = {};
  std::uint64_t held_bytes = 0;  // of a pipe, all that it had, which a device's way wanted at once
  bool is_too_long_to_hold = false;  // the pipe, which was read so far
};

// What is so short is decoded before a thread has begun.
constexpr std::uint64_t max_threadless_bytes = 64 << 10;

template <class S>
Result<std::unique_ptr<Decoder>> in_pipeline(Context& context, std::unique_ptr<S> stages,
                                             bool is_serial = false) {
  const bool is_short = context.input.is_mapped() && *context.input.size() <= max_threadless_bytes;
  return std::unique_ptr<Decoder>(new Pipeline(std::move(stages), is_short    ? 0
                                                                  : is_serial ? 1
                                                                              : context.threads));
}

}  // namespace penstock::stream
