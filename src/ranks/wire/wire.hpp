// Values as bytes between processes of one program. Every length that is read is checked.
#pragma once
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "penstock/ranks.hpp"

namespace penstock::ranks {

class WireWriter {
 public:
  template <class T> void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    put_bytes(text.data(), text.size());
  }
  void put_bytes(const void* bytes, std::uint64_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  MessageBytes take() { return std::move(bytes_); }

 private:
  MessageBytes bytes_;
};

// After an error every value is zero; status() tells.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (std::is_same_v<T, bool>) return get<std::uint8_t>() != 0;  // any byte may come
    T value{};
    if (const std::byte* bytes = get_bytes(sizeof value)) std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint64_t>();
    const std::byte* bytes = get_bytes(size);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes), size) : std::string();
  }
  // Returns null if there are fewer.
  const std::byte* get_bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      is_cut_ = true;
      rest_ = {};
      return nullptr;
    }
    const std::byte* bytes = rest_.data();
    rest_ = rest_.subspan(size);
    return bytes;
  }
  // Reads a count of elements that take at least a byte each.
  std::uint64_t get_count() {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size()) is_cut_ = true;
    return is_cut_ ? 0 : count;
  }
  std::uint64_t rest_bytes() const { return rest_.size(); }
  bool is_cut() const { return is_cut_; }
  Status status() const {
    return is_cut_ ? Status(Code::internal, "a message of another rank ends too early") : Status();
  }

 private:
  std::span<const std::byte> rest_;
  bool is_cut_ = false;
};

void put_status(WireWriter& to, const Status& status);
Status get_status(WireReader& from);

}  // namespace penstock::ranks
