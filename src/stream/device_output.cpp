// Text that stays on a device: all units of a file are found first, its bytes are uploaded as they
// lie in it, and one batch decodes them.
//
// Texts' places are the sums of their rooms, so that they lie behind one another where each but the
// last fills its room, as blocks of one frame do. Where they do not (frames behind one another),
// they are put together by way of the host, which seldom happens.
#include <algorithm>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "stream/device/device_frames.hpp"
#include "stream/gzip/device_members.hpp"
#include "stream/select_method.hpp"

namespace penstock::stream {
namespace {

// Of text that comes to the host at once for its checksums.
constexpr std::uint64_t piece_bytes = 64 << 20;

struct Found {
  std::unique_ptr<UnitStages> stages;
  std::vector<Piece> pieces;
};  // by one way
struct Placed {
  const UnitStages* stages;
  const Unit* unit;
  std::uint64_t capacity_at, at, bytes;
  batch::ChunkStatus chunk_status;
};

// All frames of a file, where the first stands at the input's position, to one text on the device.
Result<DeviceOutput> frames_to_device(Context& context, Format format) {
  Report report{.format = format};
  std::vector<FrameOnDevice> frames;
  for (bool goes_on = true; goes_on;) {
    PENSTOCK_ASSIGN(const Method* const method, choose_method(context, format));
    if (std::find(report.variants.begin(), report.variants.end(), method->name) ==
        report.variants.end())
      report.variants.push_back(method->name);
    context.remaining_output_bytes = context.options.max_output_bytes - report.bytes_out;
    PENSTOCK_ASSIGN(auto frame, method->frame(context));
    PENSTOCK_TRY(check_output(*context.device, frame));
    report.bytes_out += frame.bytes;
    context.input.skip(frame.input_bytes);
    frames.push_back(std::move(frame));
    PENSTOCK_ASSIGN(goes_on, another_follows(context, format));
  }
  std::shared_ptr<Buffer> text = frames.front().output;
  if (frames.size() > 1) {
    PENSTOCK_ASSIGN(text, joined_output(*context.device, frames, report.bytes_out));
  }
  report.bytes_in = context.input.offset(), report.threads = 1;
  report.member_count = context.member_count,
  report.unchecked_member_count = context.unchecked_member_count;
  report.first_name = context.first_name, report.held_bytes = context.held_bytes;
  report.device = context.device->report();
  return DeviceOutput{text, report.bytes_out, report};
}

class DeviceOutputRun {
 public:
  DeviceOutputRun(Input& input, const DecompressOptions& options)
      : context_{input, options, thread_count(options.threads)}, device_(options.device) {
    context_.device = std::make_shared<DeviceRun>(device_);
    context_.stays_on_device = true;
  }

  Result<DeviceOutput> run() {
    PENSTOCK_ASSIGN(const bool is_held, hold_pipe(context_));
    if (!is_held)
      return Status(
          Code::unsupported,
          "a pipe that has more than is held is not decoded into a device's memory; files are");
    PENSTOCK_ASSIGN(report_.format, format_of(context_));
    PENSTOCK_ASSIGN(const Method* const first_method, choose_method(context_, report_.format));
    if (first_method->is_whole_streams) return run_streams(*first_method);
    if (first_method->frame != nullptr) return frames_to_device(context_, report_.format);
    PENSTOCK_ASSIGN(const auto file, context_.input.peek(1));
    const Status found =
        find_units();  // what stands before an error is decoded, and has the first word
    PENSTOCK_ASSIGN(queue_, device_->queue());
    const Status inputs = place_units(file.data());
    if (tables_.count() > 0) PENSTOCK_TRY(decode(file));
    const Status valid = find_valid();
    PENSTOCK_TRY(make_output());
    PENSTOCK_TRY(check_outputs(valid.ok() ? inputs : valid));
    PENSTOCK_TRY(valid);
    PENSTOCK_TRY(inputs);
    PENSTOCK_TRY(found);
    if (tables_.count() > 0) context_.device->add(times_);
    return report();
  }

 private:
  // Members that are streams by themselves, and nothing else behind them.
  Result<DeviceOutput> run_streams(const Method& method) {
    report_.variants.push_back(method.name);
    PENSTOCK_ASSIGN(const auto members, DeviceMembers::open(context_, report_.format));
    const Status found = measure_streams(*members);
    if (members->output_bytes() > context_.options.max_output_bytes) return too_much();
    PENSTOCK_TRY(reserve(*device_, members->output_bytes() + chunk_alignment, output_));
    while (!members->is_done()) {
      const std::uint64_t bytes = members->batch_bytes();
      PENSTOCK_TRY(members->decode(output_, output_bytes_));
      output_bytes_ += bytes;
    }
    PENSTOCK_TRY(found);
    times_.bytes_out = output_bytes_;
    context_.device->add(times_);
    return report();
  }
  Status measure_streams(DeviceMembers& members) {
    for (bool has_member = true; has_member;) { PENSTOCK_ASSIGN(has_member, members.measure()); }
    PENSTOCK_ASSIGN(const bool goes_on, another_follows(context_, report_.format));
    return goes_on ? mixed() : Status();
  }

  Status mixed() const {
    return {Code::unsupported, std::string(name_of(report_.format)) + ", byte " +
                                   std::to_string(context_.input.offset()) +
                                   ": members that name their size beside some that do not are not "
                                   "decoded into a device's memory"};
  }
  Status too_much() const {
    return {Code::capacity, "it becomes more than the limit of " +
                                std::to_string(context_.options.max_output_bytes) + " bytes"};
  }

  Status find_units() {
    for (bool goes_on = true; goes_on;) {
      const std::uint64_t begin = context_.input.offset();
      PENSTOCK_ASSIGN(const Method* const method, choose_method(context_, report_.format));
      if (method->units == nullptr) return method->is_whole_streams ? mixed() : unfit(context_);
      if (report_.variants.empty()) report_.variants.push_back(method->name);
      Found& found = found_.emplace_back(Found{method->units(context_, piece_bytes), {}});
      for (bool has_piece = true; has_piece;) {
        Piece piece;
        PENSTOCK_ASSIGN(has_piece, found.stages->take(piece));
        if (has_piece) found.pieces.push_back(std::move(piece));
      }
      if (context_.input.offset() == begin) return unfit(context_);
      PENSTOCK_ASSIGN(goes_on, another_follows(context_, report_.format));
    }
    return {};
  }

  // Up to the first unit whose bytes are not what the file says.
  Status place_units(const std::byte* file) {
    for (const Found& found : found_)
      for (const Piece& piece : found.pieces)
        for (const Unit& unit : piece.units) {
          PENSTOCK_TRY(found.stages->check_input(unit));
          const std::uint64_t room = unit.is_for_devices() ? unit.output_bytes : unit.bytes.size();
          placed_.push_back(
              {found.stages.get(), &unit, capacity_bytes_, capacity_bytes_, room, {}});
          if (unit.is_for_devices())
            tables_.add(unit, static_cast<std::uint64_t>(unit.whole().data() - file),
                        capacity_bytes_);
          capacity_bytes_ += room;
        }
    return {};
  }

  Status mark() {
    PENSTOCK_ASSIGN(auto event, queue_->record());
    marks_.push_back(std::move(event));
    return {};
  }
  Result<double> between(std::size_t first) {
    return marks_[first + 1]->seconds_since(*marks_[first]);
  }

  Status decode(std::span<const std::byte> file) {
    PENSTOCK_TRY(reserve(*device_, file.size() + 16, batch_.input));
    PENSTOCK_TRY(reserve(*device_, capacity_bytes_ + 16, batch_.output));
    PENSTOCK_ASSIGN(
        batch::Decoder* const decoder,
        context_.device->decoder(found_.front().stages->chunk_format(), tables_.needs()));
    std::shared_ptr<Buffer> scratch;
    PENSTOCK_TRY(reserve(*device_,
                         decoder->scratch_bytes(tables_.count(), tables_.needs().max_output_bytes),
                         scratch));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(upload_.send(*device_, *queue_, file, *batch_.input));
    PENSTOCK_TRY(tables_.upload(*device_, *queue_, batch_));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(decoder->enqueue(*queue_, batch_, *scratch));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(tables_.download(*queue_, batch_));
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(times_.upload_seconds, between(0));
    PENSTOCK_ASSIGN(times_.kernel_seconds, between(1));
    times_.bytes_in = file.size();
    return {};
  }

  // Where the texts are, and where they belong.
  Status find_valid() {
    std::size_t row = 0;
    for (std::size_t i = 0; i < placed_.size(); i++) {
      Placed& placed = placed_[i];
      placed.at = output_bytes_;
      if (placed.unit->is_linked && !placed.unit->begins_stream)
        placed.capacity_at = placed_[i - 1].capacity_at + placed_[i - 1].bytes;
      if (placed.unit->is_for_devices()) {
        placed.chunk_status = tables_.chunk_status(row), placed.bytes = tables_.size(row++);
        if (placed.chunk_status.error != batch::ErrorCode::none) {
          const Status refused = placed.stages->refuse(*placed.unit, placed.chunk_status);
          placed_.resize(i);
          return refused;
        }
        times_.bytes_out += placed.bytes;
      }
      output_bytes_ += placed.bytes;
    }
    return {};
  }

  // The texts behind one another in the device's memory: where they are already, but for stored
  // ones, or by way of the host.
  Status make_output() {
    if (output_bytes_ > context_.options.max_output_bytes) return too_much();
    const bool is_whole = std::all_of(placed_.begin(), placed_.end(), [](const Placed& unit) {
      return unit.at == unit.capacity_at;
    });
    if (is_whole) output_ = batch_.output;
    if (output_ == nullptr) PENSTOCK_TRY(reserve(*device_, output_bytes_ + 16, output_));
    for (const Placed& unit : placed_) {
      if (!unit.unit->is_for_devices()) {
        PENSTOCK_TRY(queue_->upload(*output_, unit.unit->bytes.data(), unit.bytes, unit.at));
      } else if (!is_whole) {
        PENSTOCK_TRY(reserve(*device_, unit.bytes, staging_));
        PENSTOCK_TRY(
            queue_->download(staging_->data(), *batch_.output, unit.bytes, unit.capacity_at));
        PENSTOCK_TRY(queue_->upload(*output_, staging_->data(), unit.bytes, unit.at));
        PENSTOCK_TRY(queue_->finish());  // the staging memory is used again
      }
    }
    return queue_->finish();
  }

  // `fault`: of the first unit that is not right.
  Status check_outputs(const Status& error) {
    std::size_t first = 0;
    for (Found& found : found_)
      for (Piece& piece : found.pieces) {
        const bool is_valid = first + piece.units.size() <= placed_.size();
        const std::size_t end = std::min(first + piece.units.size(), placed_.size());
        PENSTOCK_TRY(fetch(*found.stages, first, end));
        for (std::size_t i = first; i < end; i++)
          PENSTOCK_TRY(found.stages->check_output(
              *placed_[i].unit, fetched(*found.stages, first, i, i + 1), placed_[i].chunk_status));
        for (std::size_t i = first; i < end; i++)
          piece.units[i - first].output_bytes = placed_[i].bytes;
        piece.lent = fetched(*found.stages, first, first, end);
        if (!is_valid) {
          PENSTOCK_TRY(piece.end_before(end - first, error));
          return found.stages->join(piece);
        }
        PENSTOCK_TRY(found.stages->join(piece));
        first = end;
      }
    return {};
  }

  std::uint64_t bytes_of(std::size_t begin, std::size_t end) const {
    return begin == end ? 0 : placed_[end - 1].at + placed_[end - 1].bytes - placed_[begin].at;
  }
  // Of what fetch() brought, from unit `first` on.
  std::span<const std::byte> fetched(const UnitStages& stages, std::size_t first, std::size_t begin,
                                     std::size_t end) const {
    if (!stages.reads_outputs() || begin == end) return {};
    return {staging_->data() + (placed_[begin].at - placed_[first].at), bytes_of(begin, end)};
  }
  Status fetch(const UnitStages& stages, std::size_t first, std::size_t end) {
    if (!stages.reads_outputs() || first == end) return {};
    const std::uint64_t bytes = bytes_of(first, end);
    PENSTOCK_TRY(reserve(*device_, bytes, staging_));
    marks_.clear();
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(queue_->download(staging_->data(), *output_, bytes, placed_[first].at));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(queue_->finish());
    PENSTOCK_ASSIGN(const double seconds, between(0));
    times_.download_seconds += seconds;
    return {};
  }

  Result<DeviceOutput> report() {
    report_.bytes_in = context_.input.offset(), report_.bytes_out = output_bytes_;
    report_.member_count = context_.member_count;
    report_.unchecked_member_count = context_.unchecked_member_count;
    report_.first_name = context_.first_name, report_.held_bytes = context_.held_bytes;
    report_.threads = 1;
    report_.device = context_.device->report();
    if (output_ == nullptr) PENSTOCK_TRY(reserve(*device_, 16, output_));
    return DeviceOutput{output_, output_bytes_, report_};
  }

  Context context_;
  std::shared_ptr<Device> device_;
  std::vector<Found> found_;
  std::vector<Placed> placed_;  // of all units before the first that is not right
  UnitTables tables_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> output_;
  std::shared_ptr<HostBuffer> staging_;
  StagedUpload upload_;
  std::vector<std::shared_ptr<Event>> marks_;
  DeviceReport times_;
  Report report_;
  std::uint64_t capacity_bytes_ = 0, output_bytes_ = 0;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

}  // namespace

Result<DeviceOutput> decompress_to_device(const Source& source, const DecompressOptions& options) {
  return guard([&]() -> Result<DeviceOutput> {
    if (options.device == nullptr)
      return Status(Code::invalid, "text for a device's memory, without a device");
    DecompressOptions there = options;
    there.may_leave_device = false;
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return DeviceOutputRun(*input, there).run();
  });
}

}  // namespace penstock::stream
