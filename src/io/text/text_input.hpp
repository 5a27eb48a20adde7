// The bytes of a text file in order, wherever they are: an ordinary file, one that is compressed,
// or standard input.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "penstock/status.hpp"

namespace penstock::io {

class TextInput {
 public:
  virtual ~TextInput() = default;
  // Fills `into` from its beginning and returns how many bytes it wrote: fewer only at the end of
  // the text, and 0 from then on.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

// Opens a text from its first byte. It may be opened any number of times, and by several threads at
// once.
Result<std::unique_ptr<TextInput>> open_text(const std::string& path);

}  // namespace penstock::io
