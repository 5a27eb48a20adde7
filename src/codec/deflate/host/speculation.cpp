// The threads of a ParallelInflate that decode segments speculatively.
#include <algorithm>
#include <new>
#include <utility>

#include "codec/deflate/format/block_finder.hpp"
#include "codec/deflate/host/parallel_state.hpp"

namespace penstock::deflate {
namespace {

// Bits that are searched between checks whether the sequential decoder has passed.
constexpr std::uint64_t search_step_bits = 8 * 16384;
constexpr std::uint64_t min_segment_bits = 8 * 65536, max_segment_bits = std::uint64_t{8} << 24;

}  // namespace

// The loop of a speculating thread. Resolving markers comes first, before more of them are made.
// With nothing else to do, the thread runs the sequential decoder.
void ParallelInflate::State::work() {
  Lock lock(mutex);
  while (!is_closing) {
    if (resolve_one(lock, output.size())) continue;
    SpeculativeSegmentPointer own;
    try {
      own = claim();
    } catch (const std::bad_alloc&) { may_speculate = false; }
    if (own)
      speculate(lock, own);
    else if (may_advance())
      advance(lock);
    else
      changed.wait(lock);
  }
}

// Returns the compressed bits that make a segment of output, by the recent ratio. A tenth less,
// since a full segment ends inside a block.
std::uint64_t ParallelInflate::State::segment_input_bits() const {
  if (options.segment_input_bytes > 0) return options.segment_input_bytes * 8;
  const auto bits = static_cast<std::uint64_t>(bits_per_byte * 0.9 *
                                               static_cast<double>(resources.sizes.segment));
  return std::clamp(bits, min_segment_bits, max_segment_bits);
}

// Chooses the next position to decode from. Before each group of as many segments as there are
// threads, a gap is left that the sequential decoder covers meanwhile.
SpeculativeSegmentPointer ParallelInflate::State::claim() {
  const std::size_t speculating_threads = thread_count - 1;
  if (is_finished || !may_speculate) return nullptr;
  if (speculative.size() > speculating_threads + 2) {
    if (!std::exchange(is_idle, true))
      sequential_share *= 0.75;  // the sequential decoder is late, and a thread is idle
    return nullptr;
  }
  is_idle = false;
  const std::uint64_t bits = segment_input_bits();
  const bool is_sequential_turn = claims % speculating_threads == 0 || speculative.empty();
  const std::uint64_t gap =
      is_sequential_turn ? static_cast<std::uint64_t>(static_cast<double>(bits) * sequential_share)
                         : 0;
  auto own = std::make_shared<SpeculativeSegment>();
  own->from_bit = std::max({sequential_bit + gap, searched_to_bit,
                            speculative.empty() ? 0 : speculative.back()->end_bit + gap});
  own->end_bit = own->from_bit + bits;
  if (own->from_bit / 8 >= input.size()) return nullptr;
  claims++;
  speculative.push_back(own);
  return own;
}

void ParallelInflate::State::speculate(Lock& lock, const SpeculativeSegmentPointer& own) {
  try {
    lock.unlock();
    own->segment = make_segment();
    lock.lock();
    if (search(lock, own)) decode_speculatively(lock, own);
  } catch (...) {  // without memory the sequential decoder goes on alone
    if (!lock.owns_lock()) lock.lock();
    own->segment.reset();
    may_speculate = false;
  }
  if (!own->start_bit) std::erase(speculative, own);
  own->is_done = true;
  changed.notify_all();
}

std::unique_ptr<HostSegment> ParallelInflate::State::make_segment() {
  if (uses_tokens) return std::make_unique<TokenSegment>(input, resources);
  return std::make_unique<MarkerSegment>(input, resources);
}

// Finds where the segment begins.
bool ParallelInflate::State::search(Lock& lock, const SpeculativeSegmentPointer& own) {
  const std::shared_ptr<const Decoder> block = long_block;
  lock.unlock();
  std::optional<std::uint64_t> found;
  if (block && own->segment->try_inside(*block, own->from_bit)) {
    found = own->segment->decoder->bit_position();
    own->block_bit = block->block_bit();
  } else {
    found = search_block(own);
  }
  lock.lock();
  searched_to_bit = std::max(searched_to_bit, found ? *found + 1 : own->end_bit);
  if (!found || *found < sequential_bit || own->should_stop) return false;
  own->start_bit = found;
  changed.notify_all();
  return true;
}

// Finds a valid block header after which a step decodes without an error.
std::optional<std::uint64_t> ParallelInflate::State::search_block(
    const SpeculativeSegmentPointer& own) {
  for (std::uint64_t at = own->from_bit;
       at < own->end_bit && !own->should_stop && sequential_bit < at;) {
    const std::uint64_t until = std::min(at + search_step_bits, own->end_bit);
    if (!resources.reads.require(at, until).ok()) return std::nullopt;
    const auto found = find_block(input, at, until);
    if (found && own->segment->try_start(*found)) return found;
    at = found ? *found + 1 : until;
  }
  return std::nullopt;
}

// Decodes to the beginning of the next segment, which is after where that was searched. Whether the
// next one, or this one, begins at a real boundary is not known here.
void ParallelInflate::State::decode_speculatively(Lock& lock,
                                                  const SpeculativeSegmentPointer& own) {
  HostSegment& segment = *own->segment;
  const std::uint64_t last_bit = own->end_bit;
  bool is_at_target = false;
  while (segment.last_stop != Decoder::Stop::end_of_stream &&
         segment.last_stop != Decoder::Stop::error) {
    const auto self = std::find(speculative.begin(), speculative.end(), own);
    const SpeculativeSegment* const next =
        self == speculative.end() || self + 1 == speculative.end() ? nullptr : self[1].get();
    const bool next_is_behind =
        next != nullptr && next->start_bit && *next->start_bit > segment.decoder->bit_position();
    if (own->should_stop || !segment.has_capacity() || (is_at_target && !next_is_behind)) break;
    Target target = target_of(next, last_bit);
    if (own->block_bit) target.symbol_bit = target.boundary_bit;
    lock.unlock();
    const Decoder::Stop stop = segment.step(target.boundary_bit, target.symbol_bit);
    lock.lock();
    is_at_target = stop == Decoder::Stop::boundary || stop == Decoder::Stop::symbol;
  }
  own->end_bit = segment.decoder->bit_position();
}

}  // namespace penstock::deflate
