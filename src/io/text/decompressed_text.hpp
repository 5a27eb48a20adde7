// Texts that are compressed. The stream layer pushes what it decodes; a thread of its own and a
// queue make that the reader's to ask for.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "io/text/byte_file.hpp"
#include "io/text/text_input.hpp"

namespace penstock::io {

// Tells from a file's first bytes whether the stream layer decodes it.
bool is_compressed(std::string_view start);

// Begins to decode at the first read, a few MiB ahead of the reader.
Result<std::unique_ptr<TextInput>> decompressed_text(std::shared_ptr<ByteFile> file);

// Returns the first `bytes` of the text, fewer only where it is shorter.
Result<std::string> decompressed_start(ByteFile& file, std::size_t bytes);

}  // namespace penstock::io
