#include "stream/device/device_session.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "codec/batch/chunk_decoder.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "stream/device/device_frames.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t min_copied_bytes = 1 << 20;  // by one thread

// The variant's name, and whether PENSTOCK_VARIANT chose it.
Result<std::string> reported_name(const std::string& family, const std::string& variant) {
  PENSTOCK_ASSIGN(const std::string forced, kernel::forced_row(family));
  return forced == variant ? variant + " (forced by PENSTOCK_VARIANT)" : variant;
}

}  // namespace

Status StagedUpload::send(Device& device, Queue& queue, std::span<const std::byte> bytes,
                          const Buffer& to) {
  constexpr std::uint64_t part_bytes = 32 << 20;
  std::shared_ptr<Event> sent[2];
  for (std::uint64_t at = 0, turn = 0; at < bytes.size(); at += part_bytes, turn ^= 1) {
    const std::uint64_t part = std::min<std::uint64_t>(part_bytes, bytes.size() - at);
    if (sent[turn] != nullptr) PENSTOCK_TRY(sent[turn]->wait());
    PENSTOCK_TRY(reserve(device, part, staging_[turn]));
    // One thread copies more slowly than the link takes it.
    in_parallel(part, min_copied_bytes, [&](std::uint64_t first, std::uint64_t last) {
      std::memcpy(staging_[turn]->data() + first, bytes.data() + at + first, last - first);
    });
    PENSTOCK_TRY(queue.upload(to, staging_[turn]->data(), part, at));
    PENSTOCK_ASSIGN(sent[turn], queue.record());
  }
  return queue.finish();
}

DeviceSession::DeviceSession(std::shared_ptr<Device> device) : device_(std::move(device)) {
  report_.id = device_->traits().id, report_.name = device_->traits().name;
}

Result<batch::Decoder*> DeviceSession::decoder(batch::Format format, batch::Requirements needs) {
  const std::lock_guard lock(mutex_);
  PENSTOCK_ASSIGN(const batch::Variant* const row,
                  batch::choose_decoder(format, device_->traits(), needs, {}));
  const std::string variant(row->name);
  std::unique_ptr<batch::Decoder>& known = decoders_[variant];
  if (known == nullptr) {
    PENSTOCK_ASSIGN(known, batch::Decoder::build(device_, format, variant, needs));
    PENSTOCK_ASSIGN(std::string name, reported_name(batch::decoding_family(format), variant));
    report_.kernels.push_back(std::move(name));
  }
  return known.get();
}

Result<batch::Encoder*> DeviceSession::encoder(batch::Format format) {
  const std::lock_guard lock(mutex_);
  if (encoder_ == nullptr) {
    PENSTOCK_ASSIGN(encoder_, batch::Encoder::build(device_, format));
    PENSTOCK_ASSIGN(std::string name, reported_name(batch::encoding_family(format),
                                                    std::string(encoder_->variant())));
    report_.kernels.push_back(std::move(name));
  }
  return encoder_.get();
}

Result<UploadedInput*> DeviceSession::input(Input& input) {
  if (input_ == nullptr) { PENSTOCK_ASSIGN(input_, UploadedInput::upload(*this, input)); }
  return input_.get();
}

Result<zstd::DeviceFrame*> DeviceSession::zstd_frame() {
  if (zstd_frame_ == nullptr) {
    PENSTOCK_ASSIGN(zstd_frame_, zstd::DeviceFrame::build(device_));
    add_kernels("zstd_frame");
  }
  return zstd_frame_.get();
}

void DeviceSession::add(const DeviceReport& batch) {
  const std::lock_guard lock(mutex_);
  report_.bytes_in += batch.bytes_in, report_.bytes_out += batch.bytes_out;
  report_.upload_seconds += batch.upload_seconds;
  report_.kernel_seconds += batch.kernel_seconds;
  report_.download_seconds += batch.download_seconds;
}

void DeviceSession::add_kernels(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (std::find(report_.kernels.begin(), report_.kernels.end(), name) == report_.kernels.end())
    report_.kernels.emplace_back(name);
}

void DeviceSession::fail(const Status& status) {
  const std::lock_guard lock(mutex_);
  report_.failure = status.text();
}

bool DeviceSession::has_failed() const {
  const std::lock_guard lock(mutex_);
  return !report_.failure.empty();
}

std::optional<DeviceReport> DeviceSession::report() const {
  const std::lock_guard lock(mutex_);
  return report_.kernels.empty() && report_.failure.empty() ? std::nullopt : std::optional(report_);
}

}  // namespace penstock::stream
