// The string pool: a dictionary of one run. Equal strings have equal codes, so that kernels compare
// and group strings as words.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"
#include "table/strings/stable_array.hpp"

namespace penstock::plan {

class StringPool {
 public:
  static constexpr std::uint32_t no_code = ~std::uint32_t{0};  // of no string

  std::uint32_t code(std::string_view text);  // inserts
  std::uint32_t find(std::string_view text) const;
  // Another thread may add strings meanwhile, if the code was handed on under a lock.
  std::string_view text(std::uint32_t code) const { return strings_[code]; }
  // The same as a function, which must not outlive the pool.
  std::function<std::string_view(std::uint32_t)> texts() const {
    return [this](std::uint32_t code) { return text(code); };
  }
  std::size_t size() const { return strings_.size(); }  // codes are the numbers below this
  // Writes the codes of every row (0 for NULL) into `codes`, and reuses its memory. A dictionary is
  // looked up once. If equal FSST codes mean equal strings, each distinct one is decoded once in
  // each row group.
  Status encode(const Column& column, std::vector<std::uint32_t>& codes);
  static std::uint64_t hash_of(std::string_view text);  // of this process

 private:
  // A position of the hash table: the higher half of a string's hash, and its code plus 1; 0: free.
  using Position = std::uint64_t;
  // Rows with strings that the pool has not, and the hashes and codes of all rows.
  struct NewRows {
    const Column& strings;
    std::span<const std::uint64_t> rows, hashes;
    std::span<std::uint32_t> codes;
  };

  std::uint32_t find(std::string_view text, std::uint64_t hash, std::uint64_t& at) const;
  void find_known(const Column& strings, std::span<std::uint64_t> hashes,
                  std::span<std::uint32_t> codes) const;
  std::uint32_t code(std::string_view text, std::uint64_t hash);
  void expect(std::uint64_t position_hash, std::uint64_t string_hash) const;
  void encode_strings(const Column& strings, std::vector<std::uint32_t>& codes);
  const std::vector<std::uint32_t>& codes_of_dictionary(
      const std::shared_ptr<const Column>& dictionary);
  Status encode_encoded(const Column& column, std::vector<std::uint32_t>& codes);
  void add(NewRows added);
  void add_in_threads(const NewRows& added);
  std::uint64_t claim(const NewRows& added, std::uint64_t i);
  std::string_view keep(std::string_view text);
  void reserve(std::uint64_t count);

  std::vector<Position> positions_ =
      std::vector<Position>(256);  // by hash, a power of two of them, at most half in use
  StableArray<std::string_view> strings_;
  std::vector<std::uint64_t> hashes_;            // beside strings_
  std::vector<std::unique_ptr<char[]>> blocks_;  // of the strings' bytes
  std::size_t block_left_ = 0;
  char* block_end_ = nullptr;
  std::weak_ptr<const Column> last_dictionary_;  // whose codes are last_codes_
  std::vector<std::uint32_t> last_codes_;
};

}  // namespace penstock::plan
