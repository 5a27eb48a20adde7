#include "table/strings/string_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

#include "base/cancellation.hpp"
#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "base/rows_where.hpp"
#include "codec/fsst/format/encoded_column.hpp"
#include "table/strings/distinct_codes.hpp"

namespace penstock::plan {
namespace {

// The hash is a polynomial of a string's words modulo a prime, at a point that each process draws:
// two strings are alike with a probability of their words / 2^61. So strings cannot be crafted that
// meet in the table.
constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::size_t word_bytes = 7;  // below the prime

// Rows ahead of which memory is prefetched.
constexpr std::uint64_t positions_ahead = 32, strings_ahead = 16;

std::uint64_t drawn_point() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) % prime;
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  if (text.size() - at >= sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    return word & ((std::uint64_t{1} << 8 * word_bytes) - 1);
  }
  std::memcpy(&word, text.data() + at, std::min(word_bytes, text.size() - at));
  return word;
}

// Returns hash * point + word modulo the prime, or as much more.
std::uint64_t hash_of_word(std::uint64_t hash, std::uint64_t point, std::uint64_t word) {
  const unsigned __int128 product = static_cast<unsigned __int128>(hash) * point;
  const std::uint64_t sum = (static_cast<std::uint64_t>(product) & prime) +
                            static_cast<std::uint64_t>(product >> 61) + word;
  return (sum & prime) + (sum >> 61);
}

std::uint64_t position_of(std::uint64_t hash, std::uint64_t code) {
  return hash >> 32 << 32 | (code + 1);
}
bool is_of_hash(std::uint64_t position, std::uint64_t hash) { return (position ^ hash) >> 32 == 0; }
std::uint32_t code_at(std::uint64_t position) { return static_cast<std::uint32_t>(position) - 1; }

}  // namespace

std::uint64_t StringPool::hash_of(std::string_view text) {
  static const std::uint64_t point = drawn_point();
  std::uint64_t hash = text.size();
  for (std::size_t at = 0; at < text.size(); at += word_bytes)
    hash = hash_of_word(hash, point, word_at(text, at));
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

// Strings are never moved.
std::string_view StringPool::keep(std::string_view text) {
  constexpr std::size_t block_bytes = 1 << 20;
  if (text.size() > block_left_) {
    const std::size_t bytes = std::max(block_bytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    block_left_ = bytes;
    block_end_ = blocks_.back().get() + bytes;
  }
  char* const to = block_end_ - block_left_;
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  block_left_ -= text.size();
  return {to, text.size()};
}

// Grows the table for so many strings. Threads put known ones into the larger one.
void StringPool::reserve(std::uint64_t count) {
  std::uint64_t size = positions_.size();
  while (2 * count > size) size *= 4;
  if (size == positions_.size()) return;
  std::vector<Position> larger(size);
  in_parallel(hashes_.size(), min_rows_per_thread, [&](std::uint64_t code, std::uint64_t last) {
    for (; code < last; code++)
      for (std::uint64_t at = hashes_[code];; at++) {
        Position gap = 0;
        if (std::atomic_ref(larger[at & (size - 1)])
                .compare_exchange_strong(gap, position_of(hashes_[code], code),
                                         std::memory_order_relaxed))
          break;
      }
  });
  positions_ = std::move(larger);
}

std::uint32_t StringPool::code(std::string_view text) { return code(text, hash_of(text)); }

std::uint32_t StringPool::find(std::string_view text) const {
  std::uint64_t at = 0;
  return find(text, hash_of(text), at);
}

// Returns the string's code, or no_code; `at` becomes its position, or that of the gap after it.
std::uint32_t StringPool::find(std::string_view text, std::uint64_t hash, std::uint64_t& at) const {
  for (at = hash;; at++) {
    const Position position = positions_[at & (positions_.size() - 1)];
    if (position == 0) return no_code;
    if (is_of_hash(position, hash) && strings_[code_at(position)] == text) return code_at(position);
  }
}

std::uint32_t StringPool::code(std::string_view text, std::uint64_t hash) {
  reserve(strings_.size() + 1);
  std::uint64_t at = 0;
  if (const std::uint32_t known = find(text, hash, at); known != no_code) return known;
  const auto code = static_cast<std::uint32_t>(strings_.size());
  strings_.push_back(keep(text));
  hashes_.push_back(hash);
  positions_[at & (positions_.size() - 1)] = position_of(hash, code);
  return code;
}

// Prefetches the memory that strings some way ahead will need: a table of millions is larger than
// the caches.
void StringPool::expect(std::uint64_t position_hash, std::uint64_t string_hash) const {
  __builtin_prefetch(&positions_[position_hash & (positions_.size() - 1)]);
  const Position position = positions_[string_hash & (positions_.size() - 1)];
  if (position == 0 || !is_of_hash(position, string_hash)) return;
  __builtin_prefetch(strings_[code_at(position)].data());
}

// Looks strings up that the pool has, by several threads. Rows of others get no_code.
void StringPool::find_known(const Column& strings, std::span<std::uint64_t> hashes,
                            std::span<std::uint32_t> codes) const {
  in_parallel(strings.row_count, 1 << 12, [&](std::uint64_t first, std::uint64_t last) {
    for_wanted_rows(first, last, [&](std::uint64_t row) {
      if (strings.is_valid(row)) hashes[row] = hash_of(strings.string(row));
    });
    std::uint64_t at = 0;
    for_wanted_rows(first, last, [&](std::uint64_t row) {
      if (row + positions_ahead < last)
        expect(hashes[row + positions_ahead], hashes[row + strings_ahead]);
      codes[row] = strings.is_valid(row) ? find(strings.string(row), hashes[row], at) : 0;
    });
  });
}

// Codes are in the order in which strings occur first, whatever the number of threads.
void StringPool::encode_strings(const Column& strings, std::vector<std::uint32_t>& codes) {
  codes.resize(strings.row_count);
  LargeVector<std::uint64_t> hashes(strings.row_count);
  find_known(strings, hashes, codes);
  const auto added =
      rows_where(strings.row_count, [&](std::uint64_t row) { return codes[row] == no_code; });
  add({strings, added, hashes, codes});
}

// It is not left half done: a session keeps the pool. One thread adds the strings of the first
// rows. If strings repeat, few of the others are new then:
// a table for all rows would be larger than all caches, and threads would meet at few positions.
void StringPool::add(NewRows added) {
  const CancellationScope whole(std::shared_ptr<Cancellation>{});
  constexpr std::size_t rows_of_one_thread = 1 << 13;
  const std::size_t first_rows = std::min(added.rows.size(), rows_of_one_thread);
  for (const std::uint64_t row : added.rows.first(first_rows))
    added.codes[row] = code(added.strings.string(row), added.hashes[row]);
  added.rows = added.rows.subspan(first_rows);
  in_parallel(added.rows.size(), 1 << 12, [&](std::uint64_t i, std::uint64_t last) {
    std::uint64_t at = 0;
    for (; i < last; i++) {
      const std::uint64_t row = added.rows[i];
      added.codes[row] = find(added.strings.string(row), added.hashes[row], at);
    }
  });
  auto unknown = rows_where(added.rows.size(),
                            [&](std::uint64_t i) { return added.codes[added.rows[i]] == no_code; });
  for (std::uint64_t& i : unknown) i = added.rows[i];
  added.rows = unknown;
  if (!unknown.empty()) add_in_threads(added);
}

// Returns the position of a new row's string. It has the first row with the string, as a code after
// the pool's.
std::uint64_t StringPool::claim(const NewRows& added, std::uint64_t i) {
  const std::uint64_t row = added.rows[i], hash = added.hashes[row], mask = positions_.size() - 1;
  const Position mine = position_of(hash, strings_.size() + i);
  for (std::uint64_t at = hash;; at++) {
    const std::atomic_ref position(positions_[at & mask]);
    Position seen = position.load();
    if (seen == 0 && position.compare_exchange_strong(seen, mine)) return at & mask;
    if (!is_of_hash(seen, hash) || code_at(seen) < strings_.size()) continue;
    if (added.strings.string(added.rows[code_at(seen) - strings_.size()]) !=
        added.strings.string(row))
      continue;
    while (code_at(seen) > code_at(mine) && !position.compare_exchange_weak(seen, mine)) {}
    return at & mask;
  }
}

// Threads find the first row of each string. Codes are counted by one thread, and threads copy the
// strings.
void StringPool::add_in_threads(const NewRows& added) {
  const std::uint64_t known = strings_.size(), count = added.rows.size();
  const auto text = [&](std::uint64_t i) { return added.strings.string(added.rows[i]); };
  reserve(known + count);
  LargeVector<std::uint64_t> positions(count), places(count);
  LargeVector<std::uint32_t> firsts(count), codes(count);
  const auto for_each = [&](const auto& each) {
    in_parallel(count, 1 << 11, [&](std::uint64_t i, std::uint64_t last) {
      for (; i < last; i++) each(i);
    });
  };
  for_each([&](std::uint64_t i) { positions[i] = claim(added, i); });
  for_each([&](std::uint64_t i) {
    firsts[i] = static_cast<std::uint32_t>(code_at(positions_[positions[i]]) - known);
  });
  std::uint64_t bytes = 0, code = known;
  for (std::uint64_t i = 0; i < count; i++) {
    if (firsts[i] != i) continue;
    codes[i] = static_cast<std::uint32_t>(code++);
    places[i] = bytes;
    bytes += text(i).size();
  }
  char* const block =
      blocks_
          .emplace_back(std::make_unique_for_overwrite<char[]>(std::max<std::uint64_t>(bytes, 1)))
          .get();
  strings_.resize(code);
  hashes_.resize(code);
  for_each([&](std::uint64_t i) {
    added.codes[added.rows[i]] = codes[firsts[i]];
    if (firsts[i] != i) return;
    const std::string_view from = text(i);
    std::copy(from.begin(), from.end(), block + places[i]);
    strings_.set(codes[i], {block + places[i], from.size()});
    hashes_[codes[i]] = added.hashes[added.rows[i]];
    positions_[positions[i]] = position_of(hashes_[codes[i]], codes[i]);
  });
}

Status StringPool::encode_encoded(const Column& column, std::vector<std::uint32_t>& codes) {
  const fsst::EncodedStrings* const strings = fsst::codes_of(column);
  if (strings == nullptr || !strings->is_canonical) {
    PENSTOCK_ASSIGN(const Column plain, decoded(column));
    encode_strings(plain, codes);
    return {};
  }
  const std::vector<std::uint64_t> rows = number_codes(column, *strings, codes);
  PENSTOCK_ASSIGN(const Column needed, column.encoded->decode_rows(rows));
  std::vector<std::uint32_t> entries;
  encode_strings(needed, entries);
  for (std::uint64_t row = 0; row < column.row_count; row++)
    codes[row] = column.is_valid(row) ? entries[codes[row]] : 0;
  return {};
}

// Chunks of a column share its dictionary. Texts of 0.6 MB each were hashed for every chunk.
const std::vector<std::uint32_t>& StringPool::codes_of_dictionary(
    const std::shared_ptr<const Column>& dictionary) {
  if (last_dictionary_.lock() == dictionary) return last_codes_;
  last_dictionary_.reset();
  encode_strings(*dictionary, last_codes_);
  last_dictionary_ = dictionary;
  return last_codes_;
}

Status StringPool::encode(const Column& column, std::vector<std::uint32_t>& codes) {
  if (strings_.size() + column.row_count >= 0xffffffffu)
    return Status(Code::capacity, "more than 2^32 distinct strings in one query");
  if (column.encoded) return encode_encoded(column, codes);
  if (!column.dictionary) {
    encode_strings(column, codes);
    return {};
  }
  const std::vector<std::uint32_t>& entries = codes_of_dictionary(column.dictionary);
  codes.resize(column.row_count);
  const auto* indices = column.values.as<std::int32_t>();
  for_rows(column.row_count, [&](std::uint64_t row) {
    codes[row] = column.is_valid(row) ? entries[static_cast<std::size_t>(indices[row])] : 0;
  });
  return {};
}

}  // namespace penstock::plan
