// The bytes of a text file in order, wherever they are: an ordinary file, one that is compressed
// (gzip, zlib, zstd, lz4 and framed Snappy, by its content), a pipe or standard input. Errors name
// the file.
//
//     PENSTOCK_ASSIGN(const auto text, open_text("sales.csv.gz"));
//     PENSTOCK_ASSIGN(const std::size_t bytes, text->read(block));
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
  // the text, and 0 from then on. An ordinary file that became shorter since it was opened is an
  // error.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

// Opens a text from its first byte. It may be opened any number of times, and by several threads at
// once. "-" and "/dev/stdin" are standard input. A pipe is read once and kept for the process.
Result<std::unique_ptr<TextInput>> open_text(const std::string& path);

// Returns the first `bytes` of a text, fewer only where it is shorter. Decompresses no more.
Result<std::string> text_start(const std::string& path, std::size_t bytes);

}  // namespace penstock::io
