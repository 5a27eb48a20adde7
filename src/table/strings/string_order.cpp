#include "table/strings/string_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/parallel.hpp"
#include "base/thread_pool.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_strings_per_thread = 1 << 13;

// The first bytes decide most comparisons, without a look at the string.
struct Entry {
  std::uint64_t first_bytes = 0;
  std::uint64_t number = 0;
};

// Sorts runs in threads, then merges pairs of runs in threads.
void sort_in_threads(std::vector<Entry>& entries, const auto& is_before) {
  const auto at = [&](std::uint64_t i) {
    return entries.begin() +
           static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(i, entries.size()));
  };
  const std::uint64_t run =
      std::max<std::uint64_t>(entries.size() / host_core_count() + 1, min_strings_per_thread);
  const std::uint64_t runs = (entries.size() + run - 1) / run;
  in_parallel(runs, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (; first < last; first++) std::sort(at(first * run), at((first + 1) * run), is_before);
  });
  for (std::uint64_t merged = run; merged < entries.size(); merged *= 2)
    in_parallel((entries.size() + 2 * merged - 1) / (2 * merged), 1,
                [&](std::uint64_t first, std::uint64_t last) {
                  for (; first < last; first++)
                    std::inplace_merge(at(2 * first * merged), at((2 * first + 1) * merged),
                                       at((2 * first + 2) * merged), is_before);
                });
}

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
  sort_in_threads(entries, [&](const Entry& a, const Entry& b) {
    return a.first_bytes != b.first_bytes ? a.first_bytes < b.first_bytes
                                          : text_of(a.number) < text_of(b.number);
  });
  std::vector<std::uint64_t> numbers;
  numbers.reserve(count);
  for (const Entry& entry : entries) numbers.push_back(entry.number);
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
