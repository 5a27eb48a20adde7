#include "io/text/compression_option.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace penstock::io {

Status check_compression(const OptionValue& value) {
  constexpr std::array<std::string_view, 9> known{"auto", "auto_detect",  "gzip", "zstd",  "none",
                                                  "zlib", "uncompressed", "lz4",  "snappy"};
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && std::ranges::find(known, lower(*text)) != known.end()) return {};
  return {text == nullptr ? Code::invalid : Code::unsupported,
          "it takes 'auto', 'none', 'gzip', 'zlib', 'zstd', 'lz4' or 'snappy'"};
}

}  // namespace penstock::io
