// decompress_to_device(): decodes a whole file into a device's memory.
#include "base/exception_boundary.hpp"
#include "stream/device/chunk_collector.hpp"
#include "stream/device/device_frames.hpp"
#include "stream/gzip/gzip_device.hpp"
#include "stream/select_method.hpp"

namespace penstock::stream {
namespace {

// Measures the Deflate streams of all members first, so that their output has one buffer.
class StreamCollector final : public DeviceCollector {
 public:
  explicit StreamCollector(Context& context) : context_(context) {}

  Status collect(const Method&) override {
    PENSTOCK_ASSIGN(members_, DeviceMembers::open(context_, context_.report.format));
    for (bool has_member = true; has_member;) {
      PENSTOCK_TRY(context_.report_progress(context_.input.offset() - members_->bytes_pending()));
      PENSTOCK_ASSIGN(has_member, members_->measure());
    }
    return {};
  }

  Result<DeviceBytes> finish(const Status& discovery_error) override {
    if (members_ == nullptr) return discovery_error;
    if (members_->output_bytes() > context_.options.max_output_bytes)
      return context_.output_limit_error();
    DeviceBytes output;
    PENSTOCK_TRY(reserve(*context_.session->device(), members_->output_bytes() + chunk_alignment,
                         output.buffer));
    while (!members_->is_done()) {
      const std::uint64_t bytes = members_->batch_bytes();
      PENSTOCK_TRY(members_->decode(output.buffer, output.bytes));
      output.bytes += bytes;
      PENSTOCK_TRY(context_.report_progress(context_.input.offset() - members_->bytes_pending()));
    }
    PENSTOCK_TRY(discovery_error);
    context_.session->add({.bytes_out = output.bytes});
    return output;
  }

 private:
  Context& context_;
  std::unique_ptr<DeviceMembers> members_;
};

// Decodes frame by frame, each into a buffer of its own.
class FrameCollector final : public DeviceCollector {
 public:
  explicit FrameCollector(Context& context) : context_(context) {}

  Status collect(const Method& method) override {
    PENSTOCK_ASSIGN(auto frame, std::get<DeviceFrames>(method.decoder).decode(context_));
    PENSTOCK_TRY(check_output(*context_.session, frame));
    context_.report.bytes_out += frame.bytes;
    context_.input.skip(frame.input_bytes);
    frames_.push_back(std::move(frame));
    return context_.report_progress(context_.input.offset());
  }

  Result<DeviceBytes> finish(const Status& discovery_error) override {
    PENSTOCK_TRY(discovery_error);
    DeviceBytes output{frames_.front().output, context_.report.bytes_out};
    if (frames_.size() > 1) {
      PENSTOCK_ASSIGN(output.buffer, joined_output(*context_.session, frames_, output.bytes));
    }
    return output;
  }

 private:
  Context& context_;
  std::vector<DecodedFrame> frames_;
};

class DeviceDecompression {
 public:
  DeviceDecompression(Input& input, const DecompressOptions& options)
      : context_{input, options, 1} {
    context_.session = std::make_shared<DeviceSession>(options.device);
    context_.keeps_output_on_device = true;
    context_.on_progress = [this](std::uint64_t bytes_in) { return report_progress(bytes_in); };
  }

  Result<DeviceOutput> run() {
    PENSTOCK_ASSIGN(const bool is_buffered, buffer_input(context_));
    if (!is_buffered)
      return Status(Code::unsupported,
                    "the input is too long to be decoded into a device's memory: it must be in "
                    "host memory first");
    const Status discovery_error =
        for_each_member(context_, [this](const Method& method) -> Result<bool> {
          PENSTOCK_TRY(collect(method));
          return true;
        });
    PENSTOCK_ASSIGN(DeviceBytes output, finish(discovery_error));
    Report& report = context_.report;
    report.bytes_out = output.bytes;
    report.threads = 1;
    report.device = context_.session->report();
    if (output.buffer == nullptr)
      PENSTOCK_TRY(reserve(*context_.session->device(), chunk_alignment, output.buffer));
    return DeviceOutput{output.buffer, output.bytes, std::move(report)};
  }

 private:
  Status collect(const Method& method) {
    if (collector_ == nullptr) {
      first_method_ = &method;
      collector_ = make_collector(method);
    }
    if (method.decoder.index() != first_method_->decoder.index())
      return ErrorLocation{context_.report.format, context_.next_member(), context_.input.offset()}
          .error(Code::unsupported,
                 "members that name their size, mixed with others that do not, are not decoded "
                 "into a device's memory");
    return collector_->collect(method);
  }

  std::unique_ptr<DeviceCollector> make_collector(const Method& method) {
    if (std::holds_alternative<DeviceStreams>(method.decoder))
      return std::make_unique<StreamCollector>(context_);
    if (std::holds_alternative<DeviceFrames>(method.decoder))
      return std::make_unique<FrameCollector>(context_);
    return make_chunk_collector(context_);
  }

  // The input before an error is decoded, and its own errors are reported first.
  Result<DeviceBytes> finish(const Status& discovery_error) {
    if (discovery_error.code() == Code::cancelled) return discovery_error;
    if (collector_ != nullptr) return collector_->finish(discovery_error);
    PENSTOCK_TRY(discovery_error);
    return DeviceBytes();
  }

  Status report_progress(std::uint64_t bytes_in) const {
    const Progress progress{bytes_in, context_.report.bytes_out, context_.input.size()};
    if (context_.options.progress && !context_.options.progress(progress))
      return {Code::cancelled, "cancelled"};
    return {};
  }

  Context context_;
  const Method* first_method_ = nullptr;
  std::unique_ptr<DeviceCollector> collector_;
};

}  // namespace

Result<DeviceOutput> decompress_to_device(const Source& source, const DecompressOptions& options) {
  return catch_exceptions([&]() -> Result<DeviceOutput> {
    if (options.device == nullptr)
      return Status(Code::invalid, "decompress_to_device() needs a device");
    if (!options.further_devices.empty())
      return Status(Code::unsupported, "output in a device's memory is decoded by one device");
    DecompressOptions on_device = options;
    on_device.fallback = false;
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return DeviceDecompression(*input, on_device).run();
  });
}

}  // namespace penstock::stream
