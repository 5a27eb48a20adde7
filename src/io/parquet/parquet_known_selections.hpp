// Which rows of a file some conditions need, as it was found before: statements ask an open file
// for the same ones again. Thread-safe.
#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

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
  struct Entry {
    std::string key;
    std::shared_ptr<const RowSelection> rows;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;  // the most recently used first
  std::size_t ranges_ = 0;    // of all entries
};

}  // namespace penstock::io
