// The data that codecs are timed on: text, logs, programs and numbers.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::bench {

struct Corpus {
  std::string name;
  std::function<Result<std::vector<char>>(std::uint64_t bytes)> make;
};
std::span<const Corpus> corpora();

// Reads files one after the other up to `bytes`; repeats them where they are too short.
Result<std::vector<char>> read_corpus(const std::vector<std::string>& paths, std::uint64_t bytes);

}  // namespace penstock::bench
