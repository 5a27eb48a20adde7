// decompress(): runs the methods over a file and delivers their output to the sink.
#include <algorithm>

#include "base/cancellation.hpp"
#include "base/exception_boundary.hpp"
#include "stream/device/device_frames.hpp"
#include "stream/device/device_session.hpp"
#include "stream/device/device_stages.hpp"
#include "stream/gzip/gzip_device.hpp"
#include "stream/select_method.hpp"

namespace penstock::stream {
namespace {

class Decompression {
 public:
  Decompression(Input& input, const Sink& sink, const DecompressOptions& options)
      : sink_(sink), context_{input, options, thread_count(options.threads)} {
    if (options.device != nullptr)
      context_.session = std::make_shared<DeviceSession>(options.device);
    for (const std::shared_ptr<Device>& device : options.further_devices)
      context_.further_sessions.push_back(std::make_shared<DeviceSession>(device));
    context_.on_progress = [this](std::uint64_t bytes_in) { return report_progress(bytes_in); };
  }

  Result<Report> run() {
    const CancellationScope scope(goes_on());
    context_.report.threads = context_.threads;
    PENSTOCK_TRY(
        for_each_member(context_, [this](const Method& method) { return decode(method); }));
    if (context_.session != nullptr) context_.report.device = context_.session->report();
    for (const auto& session : context_.further_sessions)
      if (auto report = session->report())
        context_.report.further_devices.push_back(std::move(*report));
    return std::move(context_.report);
  }

 private:
  Result<bool> decode(const Method& method) {
    PENSTOCK_ASSIGN(const auto decoder, make_decoder(method));
    for (;;) {
      PENSTOCK_ASSIGN(const auto bytes, decoder->next());
      if (bytes.empty()) return !decoder->rejects_member();
      PENSTOCK_TRY(deliver(bytes, context_.input.offset() + decoder->bytes_decoded_ahead() -
                                      decoder->bytes_pending()));
    }
  }

  Result<std::unique_ptr<Decoder>> make_decoder(const Method& method) {
    if (const auto* host = std::get_if<HostDecoder>(&method.decoder)) return host->make(context_);
    if (const auto* chunks = std::get_if<DeviceChunks>(&method.decoder))
      return make_chunk_decoder(chunks->make(context_, job_bytes()), context_);
    if (const auto* frames = std::get_if<DeviceFrames>(&method.decoder))
      return make_frame_decoder(frames->decode, context_);
    return make_stream_decoder(context_);
  }

  // Any device may take a batch.
  std::uint64_t job_bytes() const {
    std::uint64_t bytes = device_job_bytes(*context_.session->device());
    for (const auto& session : context_.further_sessions)
      bytes = std::min(bytes, device_job_bytes(*session->device()));
    return bytes;
  }

  Status deliver(std::span<const std::byte> bytes, std::uint64_t bytes_in) {
    if (bytes.size() > context_.remaining_output_bytes()) return context_.output_limit_error();
    PENSTOCK_TRY(sink_(bytes));
    context_.report.bytes_out += bytes.size();
    return report_progress(bytes_in);
  }

  // Between the output of jobs, the caller hears of the last one again.
  std::function<bool()> goes_on() const {
    if (!context_.options.progress) return {};
    return [this] { return report_progress(bytes_in_).ok(); };
  }

  Status report_progress(std::uint64_t bytes_in) const {
    bytes_in_ = bytes_in;
    const Progress progress{bytes_in, context_.report.bytes_out, context_.input.size()};
    if (context_.options.progress && !context_.options.progress(progress))
      return {Code::cancelled, "cancelled"};
    return {};
  }

  const Sink& sink_;
  Context context_;
  mutable std::uint64_t bytes_in_ = 0;  // that were reported last
};

}  // namespace

Result<Report> decompress(const Source& source, const Sink& sink,
                          const DecompressOptions& options) {
  return catch_exceptions([&]() -> Result<Report> {
    if (options.device == nullptr && !options.further_devices.empty())
      return Status(Code::invalid, "further devices without a first one");
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return Decompression(*input, sink, options).run();
  });
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> compressed,
                                          const DecompressOptions& options) {
  return catch_exceptions([&]() -> Result<std::vector<std::byte>> {
    std::vector<std::byte> all;
    const auto append = [&](std::span<const std::byte> bytes) {
      all.insert(all.end(), bytes.begin(), bytes.end());
      return Status();
    };
    PENSTOCK_TRY(decompress(Source::memory(compressed), append, options).status());
    return all;
  });
}

}  // namespace penstock::stream
