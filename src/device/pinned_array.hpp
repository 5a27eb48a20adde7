// An array in host memory that a device copies from and to: pinned where its driver pins, so that
// no copy is held up by another one to such memory first. It is touched when it is taken, as a
// page's first use takes longer than to fill it.
#pragma once
#include "device/reserve_buffer.hpp"

namespace penstock {

template <class T> class HostArray {
 public:
  // Room for so many elements; what it held is lost where it grows, so no queue may have a copy of
  // it under way.
  Status reserve(Device& device, std::uint64_t count) {
    if (count <= capacity()) return {};
    size_ = 0;
    PENSTOCK_TRY(penstock::reserve(device, count * sizeof(T), memory_));
    std::uninitialized_fill_n(data(), capacity(), T());
    return {};
  }
  // To `count` elements, which are what they were where it does not grow.
  Status resize(Device& device, std::uint64_t count) {
    PENSTOCK_TRY(reserve(device, count));
    size_ = count;
    return {};
  }
  void clear() { size_ = 0; }
  void push_back(const T& element) { data()[size_++] = element; }  // where there is room

  T* data() const { return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_->data()); }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return size_ * sizeof(T); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  T& operator[](std::uint64_t i) const { return data()[i]; }
  T& back() const { return data()[size_ - 1]; }

 private:
  std::uint64_t capacity() const { return memory_ == nullptr ? 0 : memory_->bytes() / sizeof(T); }

  std::shared_ptr<HostBuffer> memory_;
  std::uint64_t size_ = 0;
};

}  // namespace penstock
