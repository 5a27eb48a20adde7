// Memory in huge pages, where the system has them. A page fault costs about the same for 4 KiB as
// for 2 MiB, and fresh pages of 4 KiB can cost more than the work that fills them. A table in huge
// pages also misses the TLB less often.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace penstock {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Returns at least `bytes`, aligned to a huge page, uninitialised. Throws std::bad_alloc.
inline void* allocate_huge_pages(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - huge_page_bytes) throw std::bad_alloc();
  bytes = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  void* const memory = ::operator new(bytes, std::align_val_t{huge_page_bytes});
#ifdef MADV_HUGEPAGE
  // If the system refuses, small pages are used.
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return memory;
}
inline void free_huge_pages(void* memory) noexcept {
  ::operator delete(memory, std::align_val_t{huge_page_bytes});
}

}  // namespace penstock
