// What codecs are timed on: text, logs, programs and numbers, as bytes.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::cli {

struct Corpus {
  std::string name;
  std::function<Result<std::vector<char>>(std::uint64_t bytes)> make;
};
std::span<const Corpus> corpora();

// The first bytes of files, one after the other; once more from the first where they are too few.
Result<std::vector<char>> read_corpus(const std::vector<std::string>& paths, std::uint64_t bytes);

}  // namespace penstock::cli
