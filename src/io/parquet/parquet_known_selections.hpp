// Which rows of a file some conditions need, as it was found before: statements ask an open file
// for the same ones again. Thread-safe.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/lru_map.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

class KnownSelections {
 public:
  // Returns a text that two conditions share only where they are the same; nothing for constants of
  // a form that it does not read.
  static std::optional<std::string> key_of(const RowCondition& condition);

  std::optional<RowSelection> find(const std::string& key);
  void keep(const std::string& key, const RowSelection& rows);

 private:
  static constexpr std::uint64_t max_bytes = std::uint64_t{8} << 20;  // of keys and ranges
  std::mutex mutex_;
  LruMap<std::string, std::shared_ptr<const RowSelection>> selections_{max_bytes};
};

}  // namespace penstock::io
