// The bytes a fuzzer gives, taken from the front as long as there are any.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace penstock::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t bytes) : at_(data), end_(data + bytes) {}
  std::uint32_t byte() { return at_ == end_ ? 0 : *at_++; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::string take(std::size_t bytes) {
    const std::size_t count = std::min(bytes, left());
    std::string taken(reinterpret_cast<const char*>(at_), count);
    at_ += count;
    return taken;
  }

 private:
  const std::uint8_t *at_, *end_;
};

inline void require(bool holds, const std::string& claim) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", claim.c_str());
  std::abort();
}

}  // namespace penstock::fuzz
