// An array that grows at its end and never moves an element. An element may be read while others
// are added, once its index was handed on under a lock.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

namespace penstock::plan {

template <class T> class StableArray {
 public:
  std::uint64_t size() const { return size_; }
  const T& operator[](std::uint64_t index) const {
    const Place place = place_of(index);
    return blocks_[place.block][place.offset];
  }
  void push_back(T value) {
    const Place place = place_of(size_);
    if (place.offset == 0) blocks_[place.block] = std::make_unique<T[]>(first_size << place.block);
    blocks_[place.block][place.offset] = value;
    size_++;
  }
  // Adds elements, which set() gives their values.
  void resize(std::uint64_t size) {
    if (size > size_)
      for (std::size_t block = 0; block <= place_of(size - 1).block; block++)
        if (!blocks_[block]) blocks_[block] = std::make_unique<T[]>(first_size << block);
    size_ = size;
  }
  void set(std::uint64_t index, T value) {
    const Place place = place_of(index);
    blocks_[place.block][place.offset] = value;
  }

 private:
  struct Place {
    std::size_t block = 0;
    std::uint64_t offset = 0;
  };
  static constexpr std::uint64_t first_size = 256;
  // Each block has twice as many elements as the one before.
  static Place place_of(std::uint64_t index) {
    const auto block = static_cast<std::size_t>(std::bit_width(index / first_size + 1) - 1);
    return {block, index - ((std::uint64_t{1} << block) - 1) * first_size};
  }

  std::array<std::unique_ptr<T[]>, 40> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace penstock::plan
