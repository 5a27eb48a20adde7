// Threads that decode ahead of a stream's front.
#include <algorithm>
#include <new>
#include <utility>

#include "codec/deflate/format/block_finder.hpp"
#include "codec/deflate/host/parallel_state.hpp"

namespace penstock::deflate {
namespace {

constexpr std::uint64_t search_step_bits =
    8 * 16384;  // between two looks whether the front has passed
constexpr std::uint64_t min_piece_bits = 8 * 65536, max_piece_bits = std::uint64_t{8} << 24;

}  // namespace

// A thread ahead: replaces markers before it makes more of them, and is the front where there is
// nothing else to do.
void ParallelInflate::State::work() {
  Lock lock(mutex);
  while (!is_closing) {
    if (resolve_one(lock, output.size())) continue;
    AheadPointer mine;
    try {
      mine = claim();
    } catch (const std::bad_alloc&) { may_speculate = false; }
    if (mine)
      speculate(lock, mine);
    else if (may_advance())
      advance(lock);
    else
      changed.wait(lock);
  }
}

// Compressed bits that make a piece of output, by the ratio of late. A tenth less, as a full piece
// ends inside a block.
std::uint64_t ParallelInflate::State::piece_bits() const {
  if (options.piece_input_bytes > 0) return options.piece_input_bytes * 8;
  const auto bits =
      static_cast<std::uint64_t>(bits_per_byte * 0.9 * static_cast<double>(resources.sizes.piece));
  return std::clamp(bits, min_piece_bits, max_piece_bits);
}

// The next place to decode ahead. In front of as many pieces as there are threads for them stays
// what the front decodes meanwhile.
AheadPointer ParallelInflate::State::claim() {
  const std::size_t threads_ahead = thread_count - 1;
  if (is_finished || !may_speculate) return nullptr;
  if (ahead.size() > threads_ahead + 2) {
    if (!std::exchange(is_idle, true))
      front_share *= 0.75;  // the front is behind, and a thread idle
    return nullptr;
  }
  is_idle = false;
  const std::uint64_t bits = piece_bits();
  const bool is_fronts_turn = claims % threads_ahead == 0 || ahead.empty();
  const std::uint64_t gap =
      is_fronts_turn ? static_cast<std::uint64_t>(static_cast<double>(bits) * front_share) : 0;
  auto mine = std::make_shared<Ahead>();
  mine->from_bit =
      std::max({front_bit + gap, searched_to_bit, ahead.empty() ? 0 : ahead.back()->end_bit + gap});
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
  } catch (...) {  // without memory the front alone goes on
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
  for (std::uint64_t at = mine->from_bit;
       at < mine->end_bit && !mine->should_stop && front_bit < at;) {
    const std::uint64_t until = std::min(at + search_step_bits, mine->end_bit);
    const auto found = find_block(input, at, until);
    if (found && mine->piece->try_start(*found)) return found;
    at = found ? *found + 1 : until;
  }
  return std::nullopt;
}

// To the begin of the next piece, which stands behind where that was looked for. What it cannot see
// is whether the next one begins rightly, nor whether it does itself.
void ParallelInflate::State::decode_ahead(Lock& lock, const AheadPointer& mine) {
  Piece& piece = *mine->piece;
  const std::uint64_t last_bit = mine->end_bit;
  bool is_at_target = false;
  while (piece.last_stop != Decoder::Stop::end_of_stream &&
         piece.last_stop != Decoder::Stop::error) {
    const auto self = std::find(ahead.begin(), ahead.end(), mine);
    const Ahead* const next =
        self == ahead.end() || self + 1 == ahead.end() ? nullptr : self[1].get();
    const bool next_is_behind =
        next != nullptr && next->start_bit && *next->start_bit > piece.decoder->bit_position();
    if (mine->should_stop || !piece.has_capacity() || (is_at_target && !next_is_behind)) break;
    Target target = target_of(next, last_bit);
    if (mine->block_bit) target.symbol_bit = target.boundary_bit;
    lock.unlock();
    const Decoder::Stop stop = piece.step(target.boundary_bit, target.symbol_bit);
    lock.lock();
    is_at_target = stop == Decoder::Stop::boundary || stop == Decoder::Stop::symbol;
  }
  mine->end_bit = piece.decoder->bit_position();
}

}  // namespace penstock::deflate
