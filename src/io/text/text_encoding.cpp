#include "io/text/text_encoding.hpp"

#include <string>

namespace penstock::io {
namespace {

using namespace std::string_view_literals;

// Returns iconv's name of the encoding; empty where the text looks like none of them. Without a
// mark, most characters have a zero on one side, and none on the other.
std::string_view wide_encoding(std::string_view start) {
  if (start.starts_with("\xff\xfe\0\0"sv) || start.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) return "UTF-16";
  start = start.substr(0, 4096);
  std::size_t zeros[2] = {};
  for (std::size_t i = 0; i < start.size(); i++) zeros[i % 2] += start[i] == '\0';
  if ((zeros[0] + zeros[1]) * 3 < start.size() || (zeros[0] == 0) == (zeros[1] == 0)) return {};
  return zeros[0] > 0 ? "UTF-16BE" : "UTF-16LE";
}

}  // namespace

Status check_not_wide(std::string_view start) {
  const std::string encoding(wide_encoding(start));
  if (encoding.empty()) return {};
  return {Code::unsupported, "the text is " + encoding + "; to convert it: iconv -f " + encoding +
                                 " -t UTF-8 FILE > NEW"};
}

}  // namespace penstock::io
