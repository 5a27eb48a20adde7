#include "base/large_blocks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/machine_memory.hpp"

namespace penstock {
namespace {

// Four sizes for each power of two: a block is used again for sizes that are a little other, and
// pages behind the last used one are never touched.
std::size_t size_class(std::size_t bytes) {
  const std::size_t pages =
      std::max<std::size_t>((bytes + huge_page_bytes - 1) / huge_page_bytes, 1);
  const int bits = static_cast<int>(std::bit_width(pages));
  const std::size_t step = std::size_t{1} << std::max(bits - 3, 0);
  return (pages + step - 1) / step * step * huge_page_bytes;
}

// A sanitizer sees no use of a freed block that another taker has. gcc defines the first name,
// clang knows the feature.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool has_address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool has_address_sanitizer = false;
#endif

class Blocks {
 public:
  static Blocks& all() {
    static Blocks& blocks = *new Blocks;  // destructors of statics may still give back
    return blocks;
  }

  void* take(std::size_t bytes) {
    const std::size_t size = size_class(bytes);
    if (void* const kept = take_kept(size)) return kept;
    try {
      return allocate_huge_pages(size);
    } catch (const std::bad_alloc&) {
      free_down_to(0);
      return allocate_huge_pages(size);
    }
  }

  void give_back(void* memory, std::size_t bytes) noexcept {
    if (!keep(memory, size_class(bytes))) free_huge_pages(memory);
  }

  void begin_run() {
    const std::lock_guard lock(mutex_);
    runs_++;
  }
  void end_run() noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (--runs_ > 0) return;
    }
    free_down_to(LargeBlocksOfRun::bytes_between_runs);
  }
  std::size_t idle_bytes() {
    const std::lock_guard lock(mutex_);
    return idle_bytes_;
  }

 private:
  void* take_kept(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(size);
    if (found == idle_.end() || found->second.empty()) return nullptr;
    void* const memory = found->second.back();
    found->second.pop_back();
    idle_bytes_ -= size;
    return memory;
  }

  bool keep(void* memory, std::size_t size) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (has_address_sanitizer || runs_ == 0 || idle_bytes_ + size > limit_) return false;
      idle_[size].push_back(memory);
      idle_bytes_ += size;
      return true;
    } catch (const std::bad_alloc&) { return false; }
  }

  // Frees the largest blocks first: few are used twice.
  void free_down_to(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto of_size = idle_.rbegin(); of_size != idle_.rend(); ++of_size)
      while (idle_bytes_ > bytes && !of_size->second.empty()) {
        free_huge_pages(of_size->second.back());
        of_size->second.pop_back();
        idle_bytes_ -= of_size->first;
      }
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> idle_;  // by size
  std::size_t idle_bytes_ = 0, runs_ = 0;
  // A part of the machine's memory, so that other work has the rest.
  const std::size_t limit_ = static_cast<std::size_t>(
      std::min<std::uint64_t>(machine_memory_bytes() / 8, std::uint64_t{8} << 30));
};

}  // namespace

void* take_large_block(std::size_t bytes) { return Blocks::all().take(bytes); }
void give_back_large_block(void* memory, std::size_t bytes) noexcept {
  Blocks::all().give_back(memory, bytes);
}

LargeBlocksOfRun::LargeBlocksOfRun() { Blocks::all().begin_run(); }
LargeBlocksOfRun::~LargeBlocksOfRun() { Blocks::all().end_run(); }

std::size_t idle_large_block_bytes() { return Blocks::all().idle_bytes(); }

}  // namespace penstock
