#include "codec/deflate/device/device_inflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"

namespace penstock::deflate {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t window_units = 32768, unit_bytes = 2, unit_alignment = 8;
constexpr std::uint64_t warp_bytes = 8448, list_bytes = 16384 * 4,
                        list_at = 256;  // MAX_TOKENS, LIST_AT
constexpr std::uint32_t groups_per_multiprocessor = 6;
// Each run of pieces is a group's, which takes them in order: so many for each of the device's
// units. One and four took as long or longer.
constexpr std::uint32_t runs_per_unit = 2;
// Of text, whose piece a group finds by halving, for which 16 KiB were too few: 2.5 ms of 780 MB in
// place of 1.56.
constexpr std::uint32_t stretch_bytes = 128 << 10;
// A team each; the host joins them.
constexpr std::uint32_t checksum_run_bytes = 256 << 10;
constexpr std::array warp_files = {"deflate/kernels/deflate_units"sv,
                                   "deflate/kernels/deflate_tables"sv,
                                   "lz/kernels/copies"sv,
                                   "lz/kernels/literals_of_window"sv,
                                   "lz/kernels/sequences"sv,
                                   "deflate/kernels/deflate_codes"sv,
                                   "deflate/kernels/deflate_walks"sv,
                                   "deflate/kernels/deflate_output"sv,
                                   "deflate/kernels/deflate_blocks"sv,
                                   "deflate/kernels/deflate_pieces"sv,
                                   "deflate/kernels/deflate_piece_warp"sv};
constexpr std::array thread_files = {
    "lz/kernels/single_thread"sv, "deflate/kernels/deflate_units"sv,
    "deflate/kernels/deflate_thread"sv, "deflate/kernels/deflate_pieces"sv,
    "deflate/kernels/deflate_piece_thread"sv};
constexpr std::array window_files = {"deflate/kernels/deflate_pieces"sv,
                                     "deflate/kernels/deflate_windows"sv};

constexpr std::uint64_t units_of(const DevicePiece& piece) {
  return (window_units + piece.output_bytes + unit_alignment - 1) / unit_alignment * unit_alignment;
}

// Pieces by the length of their text, halved and halved again, so that teams that are left with the
// last ones have short ones.
void put_longest_first(std::span<const DevicePiece> pieces, std::span<std::uint32_t> order) {
  std::array<std::uint32_t, 33> next = {};  // of those of so many bits; the longest first
  const auto place = [&](const DevicePiece& piece) {
    return static_cast<std::size_t>(std::countl_zero(piece.output_bytes));
  };
  for (const DevicePiece& piece : pieces) next[place(piece)]++;
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
  for (std::size_t i = 0; i < pieces.size(); i++)
    order[next[place(pieces[i])]++] = static_cast<std::uint32_t>(i);
}

// Groups share out windows evenly where their size is a power of two.
batch::GroupPolicy window_policy(const Traits& traits) {
  constexpr std::uint32_t max_threads = 1024;
  return {traits.is_cpu ? 1 : std::bit_floor(std::min(traits.max_group_size, max_threads)), 1, 1};
}

// Runs of pieces, and how many pieces each has but the last, which may have fewer.
struct Runs {
  std::uint32_t count = 0, pieces = 1;
};
Runs runs_of(const Traits& traits, std::uint32_t piece_count) {
  const std::uint32_t most = std::max(1u, traits.compute_units * runs_per_unit),
                      pieces = std::max(1u, (piece_count + most - 1) / most);
  return {(piece_count + pieces - 1) / pieces, pieces};
}

std::uint64_t suitable_bytes(const Traits& traits) {
  // Room for a gigabyte of libraries' pieces at once.
  constexpr std::uint64_t max_bytes = std::uint64_t{8} << 30, cpu_bytes = 64 << 20;
  return std::min({traits.is_cpu ? cpu_bytes : max_bytes, traits.max_allocation_bytes,
                   traits.global_bytes / 4});
}

}  // namespace

Result<std::unique_ptr<PieceOutputs>> PieceOutputs::build(std::shared_ptr<Device> device,
                                                          std::uint64_t batch_unit_bytes,
                                                          batch::Checksum checksum) {
  auto outputs = std::make_unique<PieceOutputs>();
  const Traits& traits = device->traits();
  outputs->unit_policy_ = piece_policy(traits, warp_bytes, groups_per_multiprocessor);
  outputs->window_policy_ = window_policy(traits);
  const auto units = traits.is_cpu ? std::span<const std::string_view>(thread_files)
                                   : std::span<const std::string_view>(warp_files);
  PENSTOCK_ASSIGN(outputs->units_program_,
                  batch::build_program(*device, outputs->unit_policy_, units));
  PENSTOCK_ASSIGN(outputs->windows_program_,
                  batch::build_program(*device, outputs->window_policy_, window_files));
  PENSTOCK_ASSIGN(auto checksums, batch::RunChecksums::build(device, checksum));
  outputs->checksum_ = checksum, outputs->checksums_ = std::move(checksums);
  outputs->batch_unit_bytes_ = batch_unit_bytes != 0 ? batch_unit_bytes : suitable_bytes(traits);
  outputs->device_ = std::move(device);
  return outputs;
}

OutputBatch PieceOutputs::next_batch(const MeasuredStream& stream, std::size_t first) const {
  OutputBatch batch;
  std::uint64_t units = 0;
  for (std::size_t i = first; i < stream.pieces.size(); i++) {
    units += units_of(stream.pieces[i]);
    if (i > first && units * unit_bytes > batch_unit_bytes_) break;
    batch.piece_count++, batch.output_bytes += stream.pieces[i].output_bytes;
  }
  return batch;
}

// In memory that reserve_batch() has taken.
void PieceOutputs::make_tables(std::span<const DevicePiece> pieces) {
  std::uint64_t units = 0;
  host_spans_.clear(), host_places_.clear();
  for (const DevicePiece& piece : pieces) {
    host_spans_.push_back({piece.header_bit, piece.begin_bit, piece.end_bit, piece.end_bit});
    host_places_.push_back(units), host_places_.push_back(piece.output_at);
    units += units_of(piece);
  }
  host_places_.push_back(units),
      host_places_.push_back(pieces.back().output_at + pieces.back().output_bytes);
  put_longest_first(pieces, host_order_);
}

Status PieceOutputs::reserve_batch(const MeasuredStream& stream, std::size_t first) {
  const auto count = static_cast<std::uint32_t>(next_batch(stream, first).piece_count);
  std::uint64_t units = 0;
  for (const DevicePiece& piece : std::span(stream.pieces).subspan(first, count))
    units += units_of(piece);
  const std::uint64_t warps =
      std::uint64_t{batch::groups_of(unit_policy_, device_->traits(), count)} *
      unit_policy_.chunks_per_group;
  PENSTOCK_TRY(reserve(*device_, list_at + warps * list_bytes, scratch_));
  PENSTOCK_TRY(host_spans_.resize(*device_, count));
  PENSTOCK_TRY(host_places_.resize(*device_, 2 * (count + std::uint64_t{1})));
  PENSTOCK_TRY(host_order_.resize(*device_, count));
  PENSTOCK_TRY(piece_results_.resize(*device_, count));
  PENSTOCK_TRY(reserve(*device_, host_spans_.bytes(), spans_));
  PENSTOCK_TRY(reserve(*device_, host_places_.bytes(), places_));
  PENSTOCK_TRY(reserve(*device_, host_order_.bytes(), order_));
  PENSTOCK_TRY(reserve(*device_, piece_results_.bytes(), results_));
  PENSTOCK_TRY(reserve(*device_, units * unit_bytes, units_));
  PENSTOCK_TRY(reserve(*device_, window_units * unit_bytes, carried_));
  const std::uint64_t windows = runs_of(device_->traits(), count).count + std::uint64_t{1};
  PENSTOCK_TRY(reserve(*device_, windows * window_units * unit_bytes, windows_));
  return reserve(*device_, windows * window_units * unit_bytes, other_windows_);
}

Status PieceOutputs::upload_tables(Queue& queue) {
  PENSTOCK_TRY(queue.upload(*spans_, host_spans_.data(), host_spans_.bytes()));
  PENSTOCK_TRY(queue.upload(*order_, host_order_.data(), host_order_.bytes()));
  return queue.upload(*places_, host_places_.data(), host_places_.bytes());
}

Status PieceOutputs::enqueue_units(Queue& queue, const StreamPieces& pieces,
                                   std::uint32_t piece_count) {
  PENSTOCK_TRY(queue.fill(*scratch_, 0, 4));  // the next piece
  return queue.launch(
      *units_program_, "deflate_mark_pieces",
      batch::groups_of(unit_policy_, device_->traits(), piece_count),
      {{Argument::of(pieces.input()), Argument::of(*spans_), Argument::of(*places_),
        Argument::of(*units_), Argument::of(*results_), Argument::of(*scratch_),
        Argument::value(piece_count), Argument::value(pieces.input_bytes()),
        Argument::of(*scratch_), Argument::of(pieces.walks()), Argument::of(*order_)}});
}

Status PieceOutputs::enqueue_windows(Queue& queue, std::uint32_t piece_count) {
  const Runs runs = runs_of(device_->traits(), piece_count);
  PENSTOCK_TRY(queue.launch(
      *windows_program_, "deflate_join_windows", runs.count,
      {{Argument::of(*units_), Argument::of(*places_), Argument::of(*carried_),
        Argument::of(*windows_), Argument::value(piece_count), Argument::value(runs.pieces)}}));
  for (std::uint32_t distance = 1; distance <= runs.count; distance *= 2) {
    PENSTOCK_TRY(queue.launch(
        *windows_program_, "deflate_scan_windows", runs.count + 1,
        {{Argument::of(*windows_), Argument::of(*other_windows_), Argument::value(distance)}}));
    windows_.swap(other_windows_);
  }
  return {};
}

Status PieceOutputs::enqueue_output(Queue& queue, std::uint32_t piece_count, const Buffer& output,
                                    std::uint64_t output_at, std::uint64_t output_bytes) {
  const Runs runs = runs_of(device_->traits(), piece_count);
  const auto stretches = static_cast<std::uint32_t>(
      std::max<std::uint64_t>((output_bytes + stretch_bytes - 1) / stretch_bytes, 1));
  return queue.launch(*windows_program_, "deflate_output_of_units", stretches,
                      {{Argument::of(*units_), Argument::of(*places_), Argument::of(*windows_),
                        Argument::of(output), Argument::value(output_at), Argument::of(*carried_),
                        Argument::value(piece_count), Argument::value(runs.pieces),
                        Argument::value(stretch_bytes)}});
}

Result<std::uint32_t> PieceOutputs::checksum(Queue& queue, const std::shared_ptr<Buffer>& output,
                                             std::uint64_t output_at, std::uint64_t output_bytes) {
  const std::uint64_t run_count = (output_bytes + checksum_run_bytes - 1) / checksum_run_bytes,
                      bytes = run_count * sizeof(std::uint64_t);
  for (auto* const array : {&run_offsets_, &run_sizes_, &run_checksums_})
    PENSTOCK_TRY(array->resize(*device_, run_count));
  for (std::uint64_t i = 0; i < run_count; i++) {
    const std::uint64_t at = i * checksum_run_bytes;
    run_offsets_[i] = output_at + at,
    run_sizes_[i] = std::min<std::uint64_t>(checksum_run_bytes, output_bytes - at);
  }
  for (auto* const buffer : {&runs_.offsets, &runs_.sizes, &runs_.checksums})
    PENSTOCK_TRY(reserve(*device_, bytes, *buffer));
  PENSTOCK_TRY(queue.upload(*runs_.offsets, run_offsets_.data(), bytes));
  PENSTOCK_TRY(queue.upload(*runs_.sizes, run_sizes_.data(), bytes));
  runs_.bytes = output, runs_.run_count = static_cast<std::uint32_t>(run_count);
  PENSTOCK_TRY(checksums_->enqueue(queue, runs_));
  PENSTOCK_TRY(queue.download(run_checksums_.data(), *runs_.checksums, bytes));
  PENSTOCK_TRY(queue.finish());
  const bool is_adler = checksum_ == batch::Checksum::adler32;
  if (run_count == 0) return is_adler ? 1 : 0;
  const std::vector<std::uint32_t> words(run_checksums_.begin(), run_checksums_.end());
  return (is_adler ? checksum::adler32_joined : checksum::crc32_joined)(words, checksum_run_bytes,
                                                                        run_sizes_.back());
}

// The first fault, in order; what was sound when it was measured can be wrong by its distances
// alone.
Result<StreamError> PieceOutputs::chunk_status(std::span<const DevicePiece> pieces) const {
  const HostArray<PieceResult>& results = piece_results_;
  for (std::size_t i = 0; i < pieces.size(); i++) {
    if (results[i].error() != batch::ErrorCode::none)
      return StreamError{results[i].error(), results[i].bit / 8};
    if (results[i].bit != pieces[i].end_bit || results[i].output_bytes() != pieces[i].output_bytes)
      return Status(Code::internal, "a piece of a Deflate stream, from bit " +
                                        std::to_string(pieces[i].begin_bit) +
                                        " on, was decoded otherwise than it was measured");
  }
  return StreamError();
}

Result<OutputBatch> PieceOutputs::decode(Queue& queue, const StreamPieces& pieces,
                                         const MeasuredStream& stream, std::size_t first,
                                         const std::shared_ptr<Buffer>& output,
                                         std::uint64_t output_at) {
  OutputBatch batch = next_batch(stream, first);
  const auto count = static_cast<std::uint32_t>(batch.piece_count);
  if (count == 0) return batch;
  if (output->bytes() < output_at + batch.output_bytes)
    return Status(Code::invalid, "no room for a batch's text");
  const auto taken = std::span(stream.pieces).subspan(first, count);
  PENSTOCK_TRY(reserve_batch(stream, first));
  make_tables(taken);
  PENSTOCK_TRY(upload_tables(queue));
  PENSTOCK_TRY(enqueue_units(queue, pieces, count));
  // A stream's first piece has no window, and behind an only one nobody wants any: so it is with
  // small members, which may be many.
  if (stream.pieces.size() != 1) PENSTOCK_TRY(enqueue_windows(queue, count));
  PENSTOCK_TRY(enqueue_output(queue, count, *output, output_at, batch.output_bytes));
  PENSTOCK_TRY(queue.download(piece_results_.data(), *results_, piece_results_.bytes()));
  PENSTOCK_ASSIGN(batch.checksum,
                  checksum(queue, output, output_at, batch.output_bytes));  // which waits for all
  PENSTOCK_ASSIGN(batch.error, chunk_status(taken));
  return batch;
}

}  // namespace penstock::deflate
