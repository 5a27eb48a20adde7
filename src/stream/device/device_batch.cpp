#include "stream/device/device_batch.hpp"

#include <algorithm>
#include <cstring>

#include "codec/zstd/device/device_frame.hpp"
#include "stream/device/device_frames.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t alignment = chunk_alignment;
constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Texts of linked units have no gaps between them; nor have those of small ones, so that they come
// to the host at once where they fill their rooms: kernels have a little more to do with them, and
// thousands of downloads cost more.
constexpr std::uint64_t min_aligned_bytes = 4096;
bool has_aligned_capacity(const Unit& unit) {
  return !unit.is_linked && unit.output_bytes >= min_aligned_bytes;
}
std::uint64_t capacity_at(const Unit& unit, std::uint64_t at) {
  return has_aligned_capacity(unit) ? aligned(at) : at;
}

template <class T>
Status upload_all(Device& device, Queue& queue, const std::vector<T>& values,
                  std::shared_ptr<Buffer>& buffer) {
  PENSTOCK_TRY(reserve(device, values.size() * sizeof(T), buffer));
  return queue.upload(*buffer, values.data(), values.size() * sizeof(T));
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
    std::memcpy(staging_[turn]->data(), bytes.data() + at, part);
    PENSTOCK_TRY(queue.upload(to, staging_[turn]->data(), part, at));
    PENSTOCK_ASSIGN(sent[turn], queue.record());
  }
  return queue.finish();
}

DeviceRun::DeviceRun(std::shared_ptr<Device> device) : device_(std::move(device)) {
  report_.id = device_->traits().id, report_.name = device_->traits().name;
}

Result<batch::Decoder*> DeviceRun::decoder(batch::Format format, batch::Requirements needs) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> variants =
      batch::Decoder::variants(format, device_->traits(), needs);
  const std::string variant =
      variants.empty() ? std::string() : variants.front();  // build() says that none fits
  std::unique_ptr<batch::Decoder>& known = decoders_[variant];
  if (known == nullptr) {
    PENSTOCK_ASSIGN(known, batch::Decoder::build(device_, format, variant, needs));
    report_.kernels.emplace_back(known->variant());
  }
  return known.get();
}

Result<batch::Encoder*> DeviceRun::encoder(batch::Format format) {
  const std::lock_guard lock(mutex_);
  if (encoder_ == nullptr) {
    PENSTOCK_ASSIGN(encoder_, batch::Encoder::build(device_, format));
    report_.kernels.emplace_back(encoder_->variant());
  }
  return encoder_.get();
}

Result<DeviceFile*> DeviceRun::file(Input& input) {
  if (file_ == nullptr) { PENSTOCK_ASSIGN(file_, DeviceFile::upload(*this, input)); }
  return file_.get();
}

Result<zstd::DeviceFrame*> DeviceRun::zstd_frame() {
  if (zstd_frame_ == nullptr) {
    PENSTOCK_ASSIGN(zstd_frame_, zstd::DeviceFrame::build(device_));
    add_kernels("zstd_frame");
  }
  return zstd_frame_.get();
}

void DeviceRun::add(const DeviceReport& batch) {
  const std::lock_guard lock(mutex_);
  report_.bytes_in += batch.bytes_in, report_.bytes_out += batch.bytes_out;
  report_.upload_seconds += batch.upload_seconds;
  report_.kernel_seconds += batch.kernel_seconds;
  report_.download_seconds += batch.download_seconds;
}

void DeviceRun::add_kernels(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (std::find(report_.kernels.begin(), report_.kernels.end(), name) == report_.kernels.end())
    report_.kernels.emplace_back(name);
}

std::optional<DeviceReport> DeviceRun::report() const {
  const std::lock_guard lock(mutex_);
  return report_.kernels.empty() ? std::nullopt : std::optional(report_);
}

void UnitTables::clear() {
  for (auto* const values : {&input_offsets_, &input_sizes_, &output_offsets_, &capacities_})
    values->clear();
  streams_.clear();
  max_output_bytes_ = stream_bytes_ = max_stream_bytes_ = stream_count_ = 0;
  has_links_ = false;
}

void UnitTables::add(std::uint64_t input_offset, std::uint64_t input_bytes,
                     std::uint64_t output_offset, std::uint64_t capacity) {
  input_offsets_.push_back(input_offset), input_sizes_.push_back(input_bytes);
  output_offsets_.push_back(output_offset), capacities_.push_back(capacity);
  streams_.push_back(stream_count_++);
  stream_bytes_ = capacity;
  max_output_bytes_ = std::max(max_output_bytes_, capacity),
  max_stream_bytes_ = std::max(max_stream_bytes_, capacity);
}

void UnitTables::add(const Unit& unit, std::uint64_t input_offset, std::uint64_t output_offset) {
  const bool goes_on = unit.is_linked && !unit.begins_stream && stream_count_ > 0;
  const std::uint64_t before = goes_on ? stream_bytes_ : 0;
  add(input_offset, unit.whole().size(), output_offset, unit.output_bytes);
  has_links_ |= unit.is_linked;
  if (goes_on) streams_.back() = --stream_count_ - 1;
  if (unit.is_stored) streams_.back() |= batch::BlockDependencies::is_stored;
  stream_bytes_ += before, max_stream_bytes_ = std::max(max_stream_bytes_, stream_bytes_);
}

Status UnitTables::upload(Device& device, Queue& queue, batch::Batch& batch) {
  batch.chunk_count = count(), batch.max_output_bytes = max_output_bytes_;
  PENSTOCK_TRY(upload_all(device, queue, input_offsets_, batch.input_offsets));
  PENSTOCK_TRY(upload_all(device, queue, input_sizes_, batch.input_sizes));
  PENSTOCK_TRY(upload_all(device, queue, output_offsets_, batch.output_offsets));
  PENSTOCK_TRY(upload_all(device, queue, capacities_, batch.output_capacities));
  PENSTOCK_TRY(reserve(device, std::uint64_t{count()} * 8, batch.output_sizes));
  if (!has_links_) batch.dependencies = {};
  if (has_links_) PENSTOCK_TRY(upload_all(device, queue, streams_, batch.dependencies.streams));
  batch.dependencies.stream_count = stream_count_,
  batch.dependencies.max_stream_bytes = max_stream_bytes_;
  return reserve(device, std::uint64_t{count()} * sizeof(batch::ChunkStatus), batch.statuses);
}

Status UnitTables::download(Queue& queue, const batch::Batch& batch) {
  sizes_.resize(count()), statuses_.resize(count());
  PENSTOCK_TRY(queue.download(sizes_.data(), *batch.output_sizes, sizes_.size() * 8));
  return queue.download(statuses_.data(), *batch.statuses,
                        statuses_.size() * sizeof(batch::ChunkStatus));
}

Status DeviceBatch::decode(const UnitStages& stages, Piece& piece,
                           std::span<const std::byte> window) {
  if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, run_->device()->queue()); }
  decoded_.clear(), marks_.clear();
  if (piece.units.front().begins_stream) window = {};
  gather(piece, window.size());
  PENSTOCK_TRY(reserve(*run_->device(), input_bytes_, input_));
  PENSTOCK_TRY(reserve(*run_->device(), output_bytes_, output_));
  if (tables_.count() > 0) PENSTOCK_TRY(enqueue(stages, piece, window));
  const Status inputs = check_inputs(stages, piece);  // beside the device
  PENSTOCK_TRY(queue_->finish());
  const Status valid = find_valid(stages, piece);
  PENSTOCK_TRY(fetch_outputs(piece));
  if (tables_.count() > 0) PENSTOCK_TRY(note_times());
  PENSTOCK_TRY(check_outputs(stages, piece));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < decoded_.size(); i++)
    bytes += piece.units[i].output_bytes = decoded_[i].bytes;
  piece.lent = {output_->data(), bytes};
  const Status& found =
      valid.ok() ? inputs : valid;  // of units before the first whose input is wrong
  return found.ok() ? Status() : piece.end_before(decoded_.size(), found);
}

// Units' texts have room one behind the other, behind the window; those that stay on the host have
// none.
void DeviceBatch::gather(const Piece& piece, std::uint64_t window_bytes) {
  tables_.clear();
  output_at_ = aligned(window_bytes);
  std::uint64_t input = 0, output = output_at_, text = 0;
  for (const Unit& unit : piece.units) {
    text += unit.is_stored ? unit.bytes.size() : unit.output_bytes;
    if (!unit.is_for_devices()) continue;
    output = capacity_at(unit, output);
    tables_.add(unit, input, output);
    input += aligned(unit.whole().size()), output += unit.output_bytes;
  }
  input_bytes_ = input + alignment, output_bytes_ = std::max(text, output) + alignment;
}

Status DeviceBatch::enqueue(const UnitStages& stages, const Piece& piece,
                            std::span<const std::byte> window) {
  Device& device = *run_->device();
  PENSTOCK_ASSIGN(batch::Decoder* const decoder,
                  run_->decoder(stages.chunk_format(), tables_.needs()));
  std::uint64_t at = 0;
  times_ = {};
  for (const Unit& unit : piece.units) {
    if (!unit.is_for_devices()) continue;
    const auto bytes = unit.whole();
    std::memcpy(input_->data() + at, bytes.data(), bytes.size());
    at += aligned(bytes.size());
    times_.bytes_in += bytes.size();
  }
  PENSTOCK_TRY(reserve(device, input_bytes_, batch_.input));
  PENSTOCK_TRY(reserve(device, output_bytes_, batch_.output));
  PENSTOCK_TRY(reserve(
      device, decoder->scratch_bytes(tables_.count(), tables_.needs().max_output_bytes), scratch_));
  PENSTOCK_TRY(mark());
  PENSTOCK_TRY(queue_->upload(*batch_.input, input_->data(), at));
  PENSTOCK_TRY(tables_.upload(device, *queue_, batch_));
  batch_.dependencies.window_bytes = static_cast<std::uint32_t>(window.size());
  if (!window.empty())
    PENSTOCK_TRY(
        queue_->upload(*batch_.output, window.data(), window.size(), output_at_ - window.size()));
  PENSTOCK_TRY(mark());
  PENSTOCK_TRY(decoder->enqueue(*queue_, batch_, *scratch_));
  PENSTOCK_TRY(mark());
  PENSTOCK_TRY(tables_.download(*queue_, batch_));
  return queue_->flush();
}

// Up to the first whose bytes are not what the file says; find_valid() ends there, too.
Status DeviceBatch::check_inputs(const UnitStages& stages, const Piece& piece) {
  for (const Unit& unit : piece.units) {
    PENSTOCK_TRY(stages.check_input(unit));
    decoded_.emplace_back();
  }
  return {};
}

Status DeviceBatch::find_valid(const UnitStages& stages, const Piece& piece) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    const Unit& unit = piece.units[i];
    if (!unit.is_for_devices()) {
      decoded_[i] = {unit.bytes.size(), {.offset = static_cast<std::uint32_t>(unit.bytes.size())}};
      continue;
    }
    const batch::ChunkStatus chunk_status = tables_.chunk_status(row);
    if (chunk_status.error != batch::ErrorCode::none) {
      decoded_.resize(i);
      return stages.refuse(unit, chunk_status);
    }
    decoded_[i] = {tables_.size(row++), chunk_status};
  }
  return {};
}

// To their places in the piece's text. Texts that fill their rooms lie behind one another on the
// device, too, and come as one.
Status DeviceBatch::fetch_outputs(const Piece& piece) {
  std::uint64_t to = 0, from = output_at_, run_to = 0, run_from = 0, run_bytes = 0;
  const auto fetch = [&] {
    return queue_->download(output_->data() + run_to, *batch_.output, run_bytes, run_from);
  };
  if (tables_.count() > 0) PENSTOCK_TRY(mark());
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    const Unit& unit = piece.units[i];
    const std::uint64_t bytes = decoded_[i].bytes;
    if (!unit.is_for_devices()) {
      if (bytes > 0) std::memcpy(output_->data() + to, unit.bytes.data(), bytes);
    } else {
      from = capacity_at(unit, from);
      const bool goes_on =
          run_bytes > 0 && run_to + run_bytes == to && run_from + run_bytes == from;
      if (!goes_on && run_bytes > 0) PENSTOCK_TRY(fetch());
      if (!goes_on) run_to = to, run_from = from, run_bytes = 0;
      run_bytes += bytes;
      times_.bytes_out += bytes;
      from += unit.is_linked ? bytes : unit.output_bytes;
    }
    to += bytes;
  }
  if (run_bytes > 0) PENSTOCK_TRY(fetch());
  if (tables_.count() > 0) PENSTOCK_TRY(mark());
  return queue_->finish();
}

Status DeviceBatch::check_outputs(const UnitStages& stages, const Piece& piece) {
  const std::byte* text = output_->data();
  for (std::size_t i = 0; i < decoded_.size(); i++) {
    PENSTOCK_TRY(
        stages.check_output(piece.units[i], {text, decoded_[i].bytes}, decoded_[i].chunk_status));
    text += decoded_[i].bytes;
  }
  return {};
}

Status DeviceBatch::mark() {
  PENSTOCK_ASSIGN(auto event, queue_->record());
  marks_.push_back(std::move(event));
  return {};
}

Status DeviceBatch::note_times() {
  PENSTOCK_ASSIGN(times_.upload_seconds, marks_[1]->seconds_since(*marks_[0]));
  PENSTOCK_ASSIGN(times_.kernel_seconds, marks_[2]->seconds_since(*marks_[1]));
  PENSTOCK_ASSIGN(times_.download_seconds, marks_[4]->seconds_since(*marks_[3]));
  run_->add(times_);
  return {};
}

}  // namespace penstock::stream
