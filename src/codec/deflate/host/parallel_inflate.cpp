#include "codec/deflate/host/parallel_inflate.hpp"

#include <algorithm>
#include <exception>

#include "base/exception_boundary.hpp"
#include "codec/deflate/host/parallel_state.hpp"

namespace penstock::deflate {
namespace {

constexpr std::size_t front_segment_bytes =
    std::size_t{1} << 20;  // the caller writes it from the second-level cache
constexpr unsigned max_token_threads =
    6;  // by the speeds of docs/performance.md: of more, the front would copy matches all the time

PieceResources resources_of(const InflateOptions& options, bool uses_tokens) {
  const PieceSizes sizes{options.piece_bytes, std::min(options.piece_bytes, front_segment_bytes),
                         options.step_bytes};
  const std::size_t segment_bytes = Front::segment_buffer_bytes(sizes);
  return {
      sizes, options.checksum,
      BufferPool(uses_tokens ? TokenPiece::buffer_bytes(sizes) : MarkerPiece::buffer_bytes(sizes)),
      BufferPool(uses_tokens ? segment_bytes
                             : std::max(segment_bytes, MarkerPiece::byte_buffer_bytes(sizes)))};
}

}  // namespace

ParallelInflate::State::State(std::span<const std::byte> bytes, const InflateOptions& asked)
    : input(bytes),
      options(asked),
      thread_count(asked.threads > 0 ? asked.threads
                                     : std::max(1u, std::thread::hardware_concurrency())),
      uses_tokens(asked.ahead == AheadBy::tokens ||
                  (asked.ahead == AheadBy::threads && thread_count <= max_token_threads)),
      resources(resources_of(asked, uses_tokens)),
      front(bytes, resources),
      checksum(asked.checksum) {}

// The caller's thread: gives what is ready, and is the front where nothing is.
Result<std::span<const std::byte>> ParallelInflate::State::next() {
  delivered.reset();
  Lock lock(mutex);
  for (;;) {
    if (!output.empty() && output.front()->state == Segment::State::ready) return deliver();
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

// Replaces the markers of one of the first `segments`.
bool ParallelInflate::State::resolve_one(Lock& lock, std::size_t segments) {
  for (std::size_t i = 0; i < std::min(segments, output.size()); i++) {
    if (output[i]->state != Segment::State::symbols) continue;
    const SegmentPointer segment = output[i];
    segment->state = Segment::State::being_resolved;
    lock.unlock();
    segment->resolve();
    lock.lock();
    segment->state = Segment::State::ready;
    changed.notify_all();
    return true;
  }
  return false;
}

// Takes the front for a segment of output, and a piece that follows it.
void ParallelInflate::State::advance(Lock& lock) {
  front_is_taken = true;
  const std::uint64_t bit_before = front_bit, bytes_before = front.produced_bytes();
  Status thrown;
  try {
    decode_segment(lock);
  } catch (...) {
    thrown = status_of_exception();
    if (!lock.owns_lock()) lock.lock();
  }
  if (!thrown.ok()) status = thrown, is_finished = true;
  if (const std::uint64_t made = front.produced_bytes() - bytes_before; made > resources.sizes.step)
    bits_per_byte =
        (bits_per_byte + static_cast<double>(front_bit - bit_before) / static_cast<double>(made)) /
        2;
  front_is_taken = false;
  if (is_finished)
    for (const AheadPointer& one : ahead) one->should_stop = true;
  changed.notify_all();
}

void ParallelInflate::State::decode_segment(Lock& lock) {
  AheadPointer reached;
  lock.unlock();
  const SegmentPointer segment = front.begin_segment();
  lock.lock();
  while (!front.is_full(*segment) && !is_finished && !reached) {
    const Target target = front_target();
    lock.unlock();
    const Decoder::Stop stop = front.step(*segment, target.boundary_bit, target.symbol_bit);
    lock.lock();
    front_bit = front.bit_position();
    keep_block();
    reached = pass(stop == Decoder::Stop::boundary);
    if (stop == Decoder::Stop::error) status = front.error();
    is_finished = stop == Decoder::Stop::error || stop == Decoder::Stop::end_of_stream;
  }
  front.end_segment(*segment);
  if (segment->count > 0) output.push_back(segment);
  changed.notify_all();
  if (reached) adopt(lock, reached);  // at the end of a segment, so that the window is known
}

// Where a piece begins is where the one before it ends, and the front stops; inside of a block that
// is a symbol.
ParallelInflate::State::Target ParallelInflate::State::target_of(const Ahead* next,
                                                                 std::uint64_t otherwise) {
  if (next == nullptr || !next->start_bit) return {otherwise, UINT64_MAX};
  return {*next->start_bit, next->block_bit ? *next->start_bit : UINT64_MAX};
}

ParallelInflate::State::Target ParallelInflate::State::front_target() const {
  for (const AheadPointer& one : ahead)
    if (one->start_bit) return target_of(one.get(), UINT64_MAX);
  return {UINT64_MAX, UINT64_MAX};
}

// Inside of a long block no other begins: who decodes ahead needs its codes.
void ParallelInflate::State::keep_block() {
  const auto block_bit = front.decoder().block_bit();
  if (long_block && long_block->block_bit() == block_bit) return;
  long_block.reset();
  const bool is_long = block_bit && front_bit - *block_bit > piece_bits();
  if (is_long && !threads.empty()) long_block = std::make_shared<const Decoder>(front.decoder());
}

// Of the pieces at or in front of the front: the one that begins here, where a block does or a
// symbol of the same block; the others are thrown away, as nothing begins there, and so is what is
// still being looked for in what is passed.
AheadPointer ParallelInflate::State::pass(bool is_at_block) {
  for (;;) {
    const auto found = std::find_if(ahead.begin(), ahead.end(), [](const AheadPointer& one) {
      return one->start_bit.has_value();
    });
    if (found == ahead.end() || *(*found)->start_bit > front_bit) return nullptr;
    const AheadPointer one = *found;
    const bool is_here = *one->start_bit == front_bit;
    if (is_here && (one->block_bit ? front.is_executing() : !is_at_block)) return nullptr;
    for (auto passed = ahead.begin(); passed != found + 1; passed++) (*passed)->should_stop = true;
    ahead.erase(ahead.begin(), found + 1);
    const bool is_valid = !one->block_bit || front.decoder().block_bit() == one->block_bit;
    if (is_here && is_valid && front.has_whole_window()) return one;
    pieces.thrown_away++;
  }
}

// The piece ends after a step at most.
void ParallelInflate::State::adopt(Lock& lock, const AheadPointer& reached) {
  if (!reached->is_done)
    front_share = std::min(2.0, front_share * 1.03 + 0.003);  // the front was early
  changed.wait(lock, [&] { return reached->is_done; });
  if (!reached->piece) return;  // its thread had no memory for it
  if (uses_tokens)
    front.adopt(std::unique_ptr<TokenPiece>(static_cast<TokenPiece*>(reached->piece.release())));
  else
    front.adopt(static_cast<MarkerPiece&>(*reached->piece), output);
  front_bit = front.bit_position();
  reached->piece.reset();
  pieces.used++;
  changed.notify_all();
}

// Not for a stream that ends in its first segment of output, nor for the last few bytes.
void ParallelInflate::State::begin_threads() {
  if (!threads.empty() || thread_count == 1 || is_finished ||
      front_bit + 2 * piece_bits() > input.size() * 8)
    return;
  try {
    while (threads.size() + 1 < thread_count) threads.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // those there are do
    may_speculate = !threads.empty();
  }
}

void ParallelInflate::State::close() {
  {
    const std::lock_guard lock(mutex);
    is_closing = true;
    for (const AheadPointer& one : ahead) one->should_stop = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
}

ParallelInflate::ParallelInflate(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParallelInflate::~ParallelInflate() = default;

Result<std::unique_ptr<ParallelInflate>> ParallelInflate::begin(std::span<const std::byte> input,
                                                                const InflateOptions& options) {
  return guard([&]() -> Result<std::unique_ptr<ParallelInflate>> {
    return std::unique_ptr<ParallelInflate>(
        new ParallelInflate(std::make_unique<State>(input, options)));
  });
}

Result<std::span<const std::byte>> ParallelInflate::next() {
  return guard([&] { return state_->next(); });
}
std::uint64_t ParallelInflate::position() const { return state_->front_bit / 8; }
std::uint64_t ParallelInflate::consumed_bytes() const { return state_->front.bytes_used(); }
std::uint32_t ParallelInflate::checksum() const { return state_->checksum.value(); }
ParallelInflate::Pieces ParallelInflate::pieces() const { return state_->pieces; }

}  // namespace penstock::deflate
