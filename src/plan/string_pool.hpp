// Numbers for strings: equal strings have equal codes within one run, so kernels compare and group strings as words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::plan {

class StringPool {
 public:
  std::uint32_t code(std::string_view text);                     // inserts
  const std::string& text(std::uint32_t code) const { return *texts_[code]; }
  // Codes of every row (0 for NULL) into `codes`, whose memory is used again; a dictionary is looked up once.
  Status encode(const Column& column, std::vector<std::uint32_t>& codes);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes_;
  std::vector<const std::string*> texts_;
};

}  // namespace penstock::plan
