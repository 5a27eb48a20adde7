// Large allocations: blocks in huge pages, used again within a run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/large_blocks.hpp"

namespace penstock {

// Elements that resize() adds are left uninitialised.
template <class T> struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U> LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < huge_page_bytes ? ::operator new(bytes)
                                                   : take_large_block(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < huge_page_bytes)
      ::operator delete(memory);
    else
      give_back_large_block(memory, count * sizeof(T));
  }
  template <class U> void construct(U* at) noexcept { ::new (static_cast<void*>(at)) U; }
  template <class U, class... Arguments> void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;

// Returns uninitialised elements. Unlike a vector, it does not visit them one by one.
template <class T> std::shared_ptr<T[]> large_array(std::size_t count) {
  return {LargeAllocator<T>().allocate(count),
          [count](T* memory) { LargeAllocator<T>().deallocate(memory, count); }};
}

// Memory for elements of a trivial type that grows and never shrinks. Elements are never visited
// one by one: a vector of 1 MiB does so without -O2 whenever it is constructed or destroyed.
template <class T> class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t count) { reserve(count); }

  // Grows to at least `count` elements. After growth all elements are uninitialised.
  void reserve(std::size_t count) {
    if (count <= size_) return;
    elements_ = {}, size_ = 0;  // frees first: nothing is copied
    elements_ = large_array<T>(count), size_ = count;
  }
  T* data() const { return elements_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<T[]> elements_;
  std::size_t size_ = 0;
};

}  // namespace penstock
