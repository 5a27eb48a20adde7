// What one statement asks for and is not supported. Reading goes on behind each, so that an error
// names all of them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

class Refusals {
 public:
  // `sentence` says what is not supported, and what can be written instead.
  void add(std::int64_t offset, std::string sentence);
  bool empty() const { return refusals_.empty(); }
  // Returns one error of all sentences, each once, with the place of the first; ok where there are
  // none.
  Status status(std::string_view statement) const;

 private:
  struct Refusal {
    std::int64_t offset = 0;
    std::string sentence;
  };
  std::vector<Refusal> refusals_;
};

}  // namespace penstock::sql
