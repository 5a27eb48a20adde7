#include "codec/deflate/parallel_inflate.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/guard.hpp"
#include "codec/deflate/block_finder.hpp"
#include "codec/deflate/front.hpp"

namespace penstock::deflate {
namespace {

// A piece as threads see it; all but `piece` is read and written under the lock, or alone.
struct Ahead {
  std::uint64_t from_bit = 0, end_bit = 0;      // where its block is looked for; where it ends or means to
  std::optional<std::uint64_t> start_bit;       // once found
  std::optional<std::uint64_t> block_bit;       // of the block inside of which it begins; none where it begins a block
  bool is_done = false;
  std::atomic<bool> should_stop = false;
  std::unique_ptr<Piece> piece;
};
using AheadPointer = std::shared_ptr<Ahead>;
using SegmentPointer = std::shared_ptr<Segment>;

constexpr std::size_t front_segment_bytes = std::size_t{1} << 20;     // the caller writes it from the second-level cache
constexpr std::uint64_t search_step_bits = 8 * 16384;                 // between two looks whether the front has passed
constexpr std::uint64_t least_piece_bits = 8 * 65536, most_piece_bits = std::uint64_t{8} << 24;
constexpr unsigned most_token_threads = 6;      // by the speeds of docs/performance.md: of more, the front would copy matches all the time

PieceResources resources_of(const InflateOptions& options, bool uses_tokens) {
  const PieceSizes sizes{options.piece_bytes, std::min(options.piece_bytes, front_segment_bytes), options.step_bytes};
  const std::size_t segment_bytes = Front::segment_buffer_bytes(sizes);
  return {sizes, options.checksum, BufferPool(uses_tokens ? TokenPiece::buffer_bytes(sizes) : MarkerPiece::buffer_bytes(sizes)),
          BufferPool(uses_tokens ? segment_bytes : std::max(segment_bytes, MarkerPiece::byte_buffer_bytes(sizes)))};
}

}  // namespace

struct ParallelInflate::State {
  State(std::span<const std::byte> bytes, const InflateOptions& asked)
      : input(bytes), options(asked), thread_count(asked.threads > 0 ? asked.threads : std::max(1u, std::thread::hardware_concurrency())),
        uses_tokens(asked.ahead == AheadBy::tokens || (asked.ahead == AheadBy::threads && thread_count <= most_token_threads)),
        resources(resources_of(asked, uses_tokens)), front(bytes, resources), checksum(asked.checksum) {}
  ~State() { close(); }

  // Each of these is entered with the lock held, and gives it up while it decodes.
  using Lock = std::unique_lock<std::mutex>;
  Result<std::span<const std::byte>> next();
  std::span<const std::byte> deliver();
  bool resolve_one(Lock& lock, std::size_t segments);
  void advance(Lock& lock);
  void decode_segment(Lock& lock);
  AheadPointer pass(bool is_at_block);
  void adopt(Lock& lock, const AheadPointer& ahead);
  void work();
  AheadPointer claim();
  void speculate(Lock& lock, const AheadPointer& mine);
  bool search(Lock& lock, const AheadPointer& mine);
  std::optional<std::uint64_t> search_block(const AheadPointer& mine);
  void decode_ahead(Lock& lock, const AheadPointer& mine);

  std::unique_ptr<Piece> make_piece();
  struct Target { std::uint64_t boundary_bit, symbol_bit; };
  static Target target_of(const Ahead* next, std::uint64_t otherwise);
  Target front_target() const;
  void keep_block();
  std::uint64_t piece_bits() const;
  bool may_advance() const { return !front_is_taken && !is_finished && output.size() < 2 * thread_count + 2; }
  void begin_threads();
  void close();

  const std::span<const std::byte> input;
  const InflateOptions options;
  const std::size_t thread_count;
  const bool uses_tokens;
  PieceResources resources;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<AheadPointer> ahead;            // in the order of their places
  std::deque<SegmentPointer> output;         // in order, not all of it ready
  bool front_is_taken = false, is_finished = false, is_closing = false, may_speculate = true, is_idle = false;
  std::uint64_t claims = 0, searched_to_bit = 0;
  std::atomic<std::uint64_t> front_bit = 0;
  double bits_a_byte = 2;
  double front_share = 0.5;                  // what the front decodes between pieces, of a piece; found while it runs
  std::shared_ptr<const Decoder> long_block;      // a decoder inside of the front's block, where that is longer than a piece
  Status status;
  Pieces pieces;

  Front front;                               // of the thread that has taken it
  SegmentPointer delivered;                  // what next() gave last
  RunningChecksum checksum;
  std::vector<std::thread> threads;
};

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
    bits_a_byte = (bits_a_byte + static_cast<double>(front_bit - bit_before) / static_cast<double>(made)) / 2;
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
    if (stop == Decoder::Stop::fault) status = front.fault();
    is_finished = stop == Decoder::Stop::fault || stop == Decoder::Stop::end_of_stream;
  }
  front.end_segment(*segment);
  if (segment->count > 0) output.push_back(segment);
  changed.notify_all();
  if (reached) adopt(lock, reached);      // at the end of a segment, so that the window is known
}

// Where a piece begins is where the one before it ends, and the front stops; inside of a block that is a symbol.
ParallelInflate::State::Target ParallelInflate::State::target_of(const Ahead* next, std::uint64_t otherwise) {
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

// Of the pieces at or in front of the front: the one that begins here, where a block does or a symbol of the same block; the others are
// thrown away, as nothing begins there, and so is what is still being looked for in what is passed.
AheadPointer ParallelInflate::State::pass(bool is_at_block) {
  for (;;) {
    const auto found = std::find_if(ahead.begin(), ahead.end(), [](const AheadPointer& one) { return one->start_bit.has_value(); });
    if (found == ahead.end() || *(*found)->start_bit > front_bit) return nullptr;
    const AheadPointer one = *found;
    const bool is_here = *one->start_bit == front_bit;
    if (is_here && (one->block_bit ? front.is_executing() : !is_at_block)) return nullptr;
    for (auto passed = ahead.begin(); passed != found + 1; passed++) (*passed)->should_stop = true;
    ahead.erase(ahead.begin(), found + 1);
    const bool is_sound = !one->block_bit || front.decoder().block_bit() == one->block_bit;
    if (is_here && is_sound && front.has_whole_window()) return one;
    pieces.thrown_away++;
  }
}

// The piece ends after a step at most.
void ParallelInflate::State::adopt(Lock& lock, const AheadPointer& reached) {
  if (!reached->is_done) front_share = std::min(2.0, front_share * 1.03 + 0.003);      // the front was early
  changed.wait(lock, [&] { return reached->is_done; });
  if (!reached->piece) return;      // its thread had no memory for it
  if (uses_tokens) front.adopt(std::unique_ptr<TokenPiece>(static_cast<TokenPiece*>(reached->piece.release())));
  else front.adopt(static_cast<MarkerPiece&>(*reached->piece), output);
  front_bit = front.bit_position();
  reached->piece.reset();
  pieces.used++;
  changed.notify_all();
}

// A thread ahead: replaces markers before it makes more of them, and is the front where there is nothing else to do.
void ParallelInflate::State::work() {
  Lock lock(mutex);
  while (!is_closing) {
    if (resolve_one(lock, output.size())) continue;
    AheadPointer mine;
    try {
      mine = claim();
    } catch (const std::bad_alloc&) {
      may_speculate = false;
    }
    if (mine) speculate(lock, mine);
    else if (may_advance()) advance(lock);
    else changed.wait(lock);
  }
}

// Compressed bits that make a piece of output, by the ratio of late. A tenth less, as a full piece ends inside a block.
std::uint64_t ParallelInflate::State::piece_bits() const {
  if (options.piece_input_bytes > 0) return options.piece_input_bytes * 8;
  const auto bits = static_cast<std::uint64_t>(bits_a_byte * 0.9 * static_cast<double>(resources.sizes.piece));
  return std::clamp(bits, least_piece_bits, most_piece_bits);
}

// The next place to decode ahead. In front of as many pieces as there are threads for them stays what the front decodes meanwhile.
AheadPointer ParallelInflate::State::claim() {
  const std::size_t threads_ahead = thread_count - 1;
  if (is_finished || !may_speculate) return nullptr;
  if (ahead.size() > threads_ahead + 2) {
    if (!std::exchange(is_idle, true)) front_share *= 0.75;      // the front is behind, and a thread idle
    return nullptr;
  }
  is_idle = false;
  const std::uint64_t bits = piece_bits();
  const bool is_fronts_turn = claims % threads_ahead == 0 || ahead.empty();
  const std::uint64_t gap = is_fronts_turn ? static_cast<std::uint64_t>(static_cast<double>(bits) * front_share) : 0;
  auto mine = std::make_shared<Ahead>();
  mine->from_bit = std::max({front_bit + gap, searched_to_bit, ahead.empty() ? 0 : ahead.back()->end_bit + gap});
  mine->end_bit = mine->from_bit + bits;
  if (mine->from_bit / 8 >= input.size()) return nullptr;
  claims++;
  ahead.push_back(mine);
  return mine;
}

void ParallelInflate::State::speculate(Lock& lock, const AheadPointer& mine) {
  try {
    lock.unlock();
    mine->piece = make_piece();
    lock.lock();
    if (search(lock, mine)) decode_ahead(lock, mine);
  } catch (...) {      // without memory the front alone goes on
    if (!lock.owns_lock()) lock.lock();
    mine->piece.reset();
    may_speculate = false;
  }
  if (!mine->start_bit) std::erase(ahead, mine);
  mine->is_done = true;
  changed.notify_all();
}

std::unique_ptr<Piece> ParallelInflate::State::make_piece() {
  if (uses_tokens) return std::make_unique<TokenPiece>(input, resources);
  return std::make_unique<MarkerPiece>(input, resources);
}

// Finds where the piece begins.
bool ParallelInflate::State::search(Lock& lock, const AheadPointer& mine) {
  const std::shared_ptr<const Decoder> block = long_block;
  lock.unlock();
  std::optional<std::uint64_t> found;
  if (block && mine->piece->try_inside(*block, mine->from_bit)) {
    found = mine->piece->decoder->bit_position();
    mine->block_bit = block->block_bit();
  } else {
    found = search_block(mine);
  }
  lock.lock();
  searched_to_bit = std::max(searched_to_bit, found ? *found + 1 : mine->end_bit);
  if (!found || *found < front_bit || mine->should_stop) return false;
  mine->start_bit = found;
  changed.notify_all();
  return true;
}

// Where a block's header is sound, and what follows decodes for a step.
std::optional<std::uint64_t> ParallelInflate::State::search_block(const AheadPointer& mine) {
  for (std::uint64_t at = mine->from_bit; at < mine->end_bit && !mine->should_stop && front_bit < at;) {
    const std::uint64_t until = std::min(at + search_step_bits, mine->end_bit);
    const auto found = find_block(input, at, until);
    if (found && mine->piece->try_start(*found)) return found;
    at = found ? *found + 1 : until;
  }
  return std::nullopt;
}

// To the begin of the next piece, which stands behind where that was looked for. What it cannot see is whether the next one begins rightly,
// nor whether it does itself.
void ParallelInflate::State::decode_ahead(Lock& lock, const AheadPointer& mine) {
  Piece& piece = *mine->piece;
  const std::uint64_t last_bit = mine->end_bit;
  bool is_at_target = false;
  while (piece.last_stop != Decoder::Stop::end_of_stream && piece.last_stop != Decoder::Stop::fault) {
    const auto self = std::find(ahead.begin(), ahead.end(), mine);
    const Ahead* const next = self == ahead.end() || self + 1 == ahead.end() ? nullptr : self[1].get();
    const bool next_is_behind = next != nullptr && next->start_bit && *next->start_bit > piece.decoder->bit_position();
    if (mine->should_stop || !piece.has_room() || (is_at_target && !next_is_behind)) break;
    Target target = target_of(next, last_bit);
    if (mine->block_bit) target.symbol_bit = target.boundary_bit;
    lock.unlock();
    const Decoder::Stop stop = piece.step(target.boundary_bit, target.symbol_bit);
    lock.lock();
    is_at_target = stop == Decoder::Stop::boundary || stop == Decoder::Stop::symbol;
  }
  mine->end_bit = piece.decoder->bit_position();
}

// Not for a stream that ends in its first segment of output, nor for the last few bytes.
void ParallelInflate::State::begin_threads() {
  if (!threads.empty() || thread_count == 1 || is_finished || front_bit + 2 * piece_bits() > input.size() * 8) return;
  try {
    while (threads.size() + 1 < thread_count) threads.emplace_back([this] { work(); });
  } catch (const std::exception&) {      // those there are do
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

Result<std::unique_ptr<ParallelInflate>> ParallelInflate::begin(std::span<const std::byte> input, const InflateOptions& options) {
  return guard([&]() -> Result<std::unique_ptr<ParallelInflate>> {
    return std::unique_ptr<ParallelInflate>(new ParallelInflate(std::make_unique<State>(input, options)));
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
