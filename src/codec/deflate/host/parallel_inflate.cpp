#include "codec/deflate/host/parallel_inflate.hpp"

#include <algorithm>
#include <exception>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "codec/deflate/host/parallel_state.hpp"

namespace penstock::deflate {
namespace {

// The caller writes a slice from the second-level cache.
constexpr std::size_t slice_bytes = std::size_t{1} << 20;
// With more threads the one that copies matches is always busy (docs/lab/one-file-cpu.md has
// the speeds).
constexpr unsigned max_token_threads = 6;

SegmentResources resources_of(const InflateOptions& options, bool uses_tokens) {
  const SegmentSizes sizes{options.segment_bytes, std::min(options.segment_bytes, slice_bytes),
                           options.step_bytes};
  const std::size_t slice_buffer = SequentialDecoder::slice_buffer_bytes(sizes);
  return {
      sizes, options.checksum, StepReads{options.window.get(), options.step_bytes},
      BufferPool(uses_tokens ? TokenSegment::buffer_bytes(sizes)
                             : MarkerSegment::buffer_bytes(sizes)),
      BufferPool(uses_tokens ? slice_buffer
                             : std::max(slice_buffer, MarkerSegment::byte_buffer_bytes(sizes)))};
}

}  // namespace

ParallelInflate::State::State(std::span<const std::byte> bytes, const InflateOptions& given_options)
    : input(bytes),
      options(given_options),
      thread_count(given_options.threads > 0 ? given_options.threads : host_core_count()),
      uses_tokens(given_options.speculation == SpeculationMode::tokens ||
                  (given_options.speculation == SpeculationMode::threads &&
                   thread_count <= max_token_threads)),
      resources(resources_of(given_options, uses_tokens)),
      sequential(bytes, resources),
      checksum(given_options.checksum) {}

// Runs on the caller's thread: returns output that is ready, else runs the sequential decoder.
Result<std::span<const std::byte>> ParallelInflate::State::next() {
  delivered.reset();
  Lock lock(mutex);
  for (;;) {
    if (!output.empty() && output.front()->state == OutputSlice::State::ready) return deliver();
    if (resolve_one(lock, 1)) continue;
    if (output.empty() && is_finished) {
      PENSTOCK_TRY(status);
      return std::span<const std::byte>();
    }
    if (may_advance()) {
      advance(lock);
      begin_threads();
    } else {
      changed.wait(lock);
    }
  }
}

std::span<const std::byte> ParallelInflate::State::deliver() {
  delivered = std::move(output.front());
  output.pop_front();
  checksum.join(delivered->checksum, delivered->count);
  changed.notify_all();
  return delivered->bytes();
}

// Resolves the markers of one of the first `slices` slices.
bool ParallelInflate::State::resolve_one(Lock& lock, std::size_t slices) {
  for (std::size_t i = 0; i < std::min(slices, output.size()); i++) {
    if (output[i]->state != OutputSlice::State::symbols) continue;
    const OutputSlicePointer slice = output[i];
    slice->state = OutputSlice::State::being_resolved;
    lock.unlock();
    slice->resolve();
    lock.lock();
    slice->state = OutputSlice::State::ready;
    changed.notify_all();
    return true;
  }
  return false;
}

// Runs the sequential decoder for a slice of output, and adopts a segment that follows it.
void ParallelInflate::State::advance(Lock& lock) {
  sequential_is_taken = true;
  const std::uint64_t bit_before = sequential_bit, bytes_before = sequential.produced_bytes();
  Status thrown;
  try {
    decode_slice(lock);
  } catch (...) {
    thrown = status_of_exception();
    if (!lock.owns_lock()) lock.lock();
  }
  if (!thrown.ok()) status = thrown, is_finished = true;
  if (const std::uint64_t result = sequential.produced_bytes() - bytes_before;
      result > resources.sizes.step)
    bits_per_byte = (bits_per_byte + static_cast<double>(sequential_bit - bit_before) /
                                         static_cast<double>(result)) /
                    2;
  sequential_is_taken = false;
  if (is_finished)
    for (const SpeculativeSegmentPointer& one : speculative) one->should_stop = true;
  changed.notify_all();
}

void ParallelInflate::State::decode_slice(Lock& lock) {
  SpeculativeSegmentPointer reached;
  lock.unlock();
  const OutputSlicePointer slice = sequential.begin_slice();
  lock.lock();
  while (!sequential.is_full(*slice) && !is_finished && !reached) {
    const Target target = sequential_target();
    lock.unlock();
    const Status read = resources.reads.require(sequential.bit_position());
    const Decoder::Stop stop = read.ok()
                                   ? sequential.step(*slice, target.boundary_bit, target.symbol_bit)
                                   : Decoder::Stop::error;
    lock.lock();
    sequential_bit = sequential.bit_position();
    keep_block();
    reached = pass(stop == Decoder::Stop::boundary);
    if (stop == Decoder::Stop::error) status = read.ok() ? sequential.error() : read;
    is_finished = stop == Decoder::Stop::error || stop == Decoder::Stop::end_of_stream;
  }
  sequential.end_slice(*slice);
  if (slice->count > 0) output.push_back(slice);
  changed.notify_all();
  if (reached) adopt(lock, reached);  // at the end of a slice, so that the window is known
}

// Returns the end of the segment before `next`, which is where the sequential decoder stops: at a
// block, or at a symbol if `next` begins inside a block.
ParallelInflate::State::Target ParallelInflate::State::target_of(const SpeculativeSegment* next,
                                                                 std::uint64_t otherwise) {
  if (next == nullptr || !next->start_bit) return {otherwise, UINT64_MAX};
  return {*next->start_bit, next->block_bit ? *next->start_bit : UINT64_MAX};
}

ParallelInflate::State::Target ParallelInflate::State::sequential_target() const {
  for (const SpeculativeSegmentPointer& one : speculative)
    if (one->start_bit) return target_of(one.get(), UINT64_MAX);
  return {UINT64_MAX, UINT64_MAX};
}

// Keeps a copy of the decoder inside a long block: no other block begins there, so speculating
// threads need its codes.
void ParallelInflate::State::keep_block() {
  const auto block_bit = sequential.decoder().block_bit();
  if (long_block && long_block->block_bit() == block_bit) return;
  long_block.reset();
  const bool is_long = block_bit && sequential_bit - *block_bit > segment_input_bits();
  if (is_long && !helpers.empty())
    long_block = std::make_shared<const Decoder>(sequential.decoder());
}

// Returns the segment that begins where the sequential decoder is, at a block or at a symbol of the
// same block. Segments that it has passed are discarded, and searches in the passed input stop.
SpeculativeSegmentPointer ParallelInflate::State::pass(bool is_at_block) {
  for (;;) {
    const auto found = std::find_if(
        speculative.begin(), speculative.end(),
        [](const SpeculativeSegmentPointer& one) { return one->start_bit.has_value(); });
    if (found == speculative.end() || *(*found)->start_bit > sequential_bit) return nullptr;
    const SpeculativeSegmentPointer one = *found;
    const bool is_here = *one->start_bit == sequential_bit;
    if (is_here && (one->block_bit ? sequential.is_executing() : !is_at_block)) return nullptr;
    for (auto passed = speculative.begin(); passed != found + 1; passed++)
      (*passed)->should_stop = true;
    speculative.erase(speculative.begin(), found + 1);
    const bool is_valid = !one->block_bit || sequential.decoder().block_bit() == one->block_bit;
    if (is_here && is_valid && sequential.has_whole_window()) return one;
    segments.discarded++;
  }
}

// Waits for the segment, which ends after one step at most, and continues after it.
void ParallelInflate::State::adopt(Lock& lock, const SpeculativeSegmentPointer& reached) {
  if (!reached->is_done)
    sequential_share =
        std::min(2.0, sequential_share * 1.03 + 0.003);  // the sequential decoder was early
  changed.wait(lock, [&] { return reached->is_done; });
  if (!reached->segment) return;  // its thread had no memory
  if (uses_tokens)
    sequential.adopt(
        std::unique_ptr<TokenSegment>(static_cast<TokenSegment*>(reached->segment.release())));
  else
    sequential.adopt(static_cast<MarkerSegment&>(*reached->segment), output);
  sequential_bit = sequential.bit_position();
  reached->segment.reset();
  segments.used++;
  changed.notify_all();
}

// Starts the threads, unless the stream ends in its first slice or is nearly at its end.
void ParallelInflate::State::begin_threads() {
  if (!helpers.empty() || thread_count == 1 || is_finished ||
      sequential_bit + 2 * segment_input_bits() > input.size() * 8)
    return;
  try {
    while (helpers.size() + 1 < thread_count)
      helpers.push_back(ThreadPool::shared().start([this] { work(); }));
  } catch (const std::exception&) {  // fewer threads are enough
    may_speculate = !helpers.empty();
  }
}

void ParallelInflate::State::close() {
  {
    const std::lock_guard lock(mutex);
    is_closing = true;
    for (const SpeculativeSegmentPointer& one : speculative) one->should_stop = true;
  }
  changed.notify_all();
  helpers.clear();  // waits for them
}

ParallelInflate::ParallelInflate(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParallelInflate::~ParallelInflate() = default;

Result<std::unique_ptr<ParallelInflate>> ParallelInflate::begin(std::span<const std::byte> input,
                                                                const InflateOptions& options) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<ParallelInflate>> {
    constexpr std::uint64_t first_bytes = 8;  // which the decoder reads when it is made
    if (options.window) PENSTOCK_TRY(options.window->require(0, first_bytes));
    return std::unique_ptr<ParallelInflate>(
        new ParallelInflate(std::make_unique<State>(input, options)));
  });
}

Result<std::span<const std::byte>> ParallelInflate::next() {
  return catch_exceptions([&] {
    if (const auto& window = state_->options.window) window->release(position());
    return state_->next();
  });
}
std::uint64_t ParallelInflate::position() const { return state_->sequential_bit / 8; }
std::uint64_t ParallelInflate::consumed_bytes() const { return state_->sequential.bytes_used(); }
std::uint32_t ParallelInflate::checksum() const { return state_->checksum.value(); }
ParallelInflate::Segments ParallelInflate::segments() const { return state_->segments; }

}  // namespace penstock::deflate
