#include "table/strings/string_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <random>

#include "base/parallel.hpp"
#include "base/thread_pool.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_strings_per_thread = 1 << 10;

// The first bytes decide most comparisons, without a look at the string.
struct Entry {
  std::uint64_t first_bytes = 0;
  std::uint64_t number = 0;
};

// Divides entries into buckets by samples of them, each of which is sorted by one thread. Merges of
// sorted runs were tried: the last ones have few threads, and took half of the time.
class SampleSort {
 public:
  explicit SampleSort(std::vector<Entry>& entries) : entries_(entries) {}
  void run(const auto& is_before) {
    if (entries_.size() < 2 * min_strings_per_thread)
      return sort(entries_.begin(), entries_.end(), is_before);
    choose_bounds(is_before);
    divide(is_before);
    in_parallel(bucket_count(), 1, [&](std::uint64_t first, std::uint64_t last) {
      for (; first < last; first++) sort(place(first), place(first + 1), is_before);
    });
  }

 private:
  // Buckets differ in length: several for each thread, of some samples each.
  static constexpr std::uint64_t buckets_per_thread = 8, samples_per_bucket = 16;
  static constexpr std::uint64_t min_bucket_strings = 256;

  static void sort(auto begin, auto end, const auto& is_before) {
    std::uint64_t comparisons = 0;
    std::sort(begin, end, while_wanted(is_before, comparisons));
  }
  std::uint64_t bucket_count() const { return bounds_.size() + 1; }
  std::vector<Entry>::iterator place(std::uint64_t bucket) {
    return entries_.begin() + static_cast<std::ptrdiff_t>(starts_[bucket]);
  }

  void choose_bounds(const auto& is_before) {
    const std::uint64_t buckets =
        std::min(buckets_per_thread * host_core_count(), entries_.size() / min_bucket_strings);
    std::mt19937_64 random(entries_.size());
    std::vector<Entry> samples(buckets * samples_per_bucket);
    for (Entry& sample : samples) sample = entries_[random() % entries_.size()];
    std::sort(samples.begin(), samples.end(), is_before);
    for (std::uint64_t i = samples_per_bucket; i < samples.size(); i += samples_per_bucket)
      bounds_.push_back(samples[i]);
  }

  // Each piece has a place of its own in each bucket.
  void divide(const auto& is_before) {
    const std::uint64_t pieces = host_core_count(), rows = (entries_.size() + pieces - 1) / pieces;
    std::vector<std::uint16_t> buckets(entries_.size());
    std::vector<std::uint64_t> places(bucket_count() * pieces);
    const auto for_piece = [&](const auto& each) {
      in_parallel(pieces, 1, [&](std::uint64_t piece, std::uint64_t last) {
        for (; piece < last; piece++)
          for (std::uint64_t i = piece * rows; i < std::min((piece + 1) * rows, entries_.size());
               i++)
            each(piece, i);
      });
    };
    for_piece([&](std::uint64_t piece, std::uint64_t i) {
      buckets[i] = static_cast<std::uint16_t>(
          std::upper_bound(bounds_.begin(), bounds_.end(), entries_[i], is_before) -
          bounds_.begin());
      places[buckets[i] * pieces + piece]++;
    });
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint64_t{0});
    for (std::uint64_t bucket = 0; bucket < bucket_count(); bucket++)
      starts_.push_back(places[bucket * pieces]);
    starts_.push_back(entries_.size());
    std::vector<Entry> divided(entries_.size());
    for_piece([&](std::uint64_t piece, std::uint64_t i) {
      divided[places[buckets[i] * pieces + piece]++] = entries_[i];
    });
    entries_.swap(divided);
  }

  std::vector<Entry>& entries_;
  std::vector<Entry> bounds_;          // between buckets
  std::vector<std::uint64_t> starts_;  // of buckets, and the end
};

}  // namespace

std::uint64_t first_bytes_of(std::string_view text) {
  std::uint64_t bytes = 0;
  if (!text.empty())
    std::memcpy(&bytes, text.data(), std::min<std::size_t>(text.size(), sizeof bytes));
  return std::endian::native == std::endian::little ? __builtin_bswap64(bytes) : bytes;
}

std::vector<std::uint64_t> sorted_by_text(
    std::uint64_t count, const std::function<std::string_view(std::uint64_t)>& text_of) {
  std::vector<Entry> entries(count);
  in_parallel(count, min_strings_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++) entries[i] = {first_bytes_of(text_of(i)), i};
  });
  SampleSort(entries).run([&](const Entry& a, const Entry& b) {
    if (a.first_bytes != b.first_bytes) return a.first_bytes < b.first_bytes;
    if (a.number == b.number) return false;
    const int order = text_of(a.number).compare(text_of(b.number));
    return order != 0 ? order < 0 : a.number < b.number;
  });
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; i++) numbers[i] = entries[i].number;
  return numbers;
}

StringOrder order_of_strings(std::uint32_t count,
                             const std::function<std::string_view(std::uint32_t)>& text_of) {
  const std::vector<std::uint64_t> sorted = sorted_by_text(
      count, [&](std::uint64_t number) { return text_of(static_cast<std::uint32_t>(number)); });
  StringOrder order{std::vector<std::uint32_t>(count), {sorted.begin(), sorted.end()}};
  for (std::uint32_t rank = 0; rank < count; rank++) order.ranks[order.numbers[rank]] = rank;
  return order;
}

}  // namespace penstock::plan
