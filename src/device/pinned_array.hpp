// An array in host memory that a device copies from and to. It is pinned where the driver pins, so
// that no copy goes through a staging buffer first. It is written once when it is allocated, since
// the first use of a page takes longer than filling it.
#pragma once
#include "device/reserve_buffer.hpp"

namespace penstock {

template <class T> class HostArray {
 public:
  // Makes the capacity at least `count` elements. Growing loses the content, so no queue may have a
  // copy of it in progress.
  Status reserve(Device& device, std::uint64_t count) {
    if (count <= capacity()) return {};
    size_ = 0;
    PENSTOCK_TRY(penstock::reserve(device, count * sizeof(T), memory_));
    std::uninitialized_fill_n(data(), capacity(), T());
    return {};
  }
  // Sets the size. Elements keep their values where the capacity does not grow.
  Status resize(Device& device, std::uint64_t count) {
    PENSTOCK_TRY(reserve(device, count));
    size_ = count;
    return {};
  }
  void clear() { size_ = 0; }
  void push_back(const T& element) { data()[size_++] = element; }  // below the capacity

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
