// The files inside a zip, as test vectors are packed: stored or deflated, without encryption and
// below 4 GiB.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace penstock {

// By their names; empty where the file is missing or no such zip.
inline std::map<std::string, std::string> read_zip(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string zip{std::istreambuf_iterator<char>(stream), {}};
  const auto number = [&](std::size_t at, int count) {
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(at + i < zip.size() ? zip[at + i] : 0);
    return value;
  };
  std::map<std::string, std::string> files;
  const std::size_t end = zip.rfind("PK\5\6");
  if (end == std::string::npos) return files;
  std::size_t at = number(end + 16, 4);
  for (std::uint64_t left = number(end + 10, 2); left > 0 && zip.compare(at, 4, "PK\1\2") == 0;
       left--) {
    const std::string name = zip.substr(at + 46, number(at + 28, 2));
    const std::size_t packed = number(at + 20, 4), bytes = number(at + 24, 4),
                      local = number(at + 42, 4);
    const std::size_t body = local + 30 + number(local + 26, 2) + number(local + 28, 2);
    std::string text = zip.substr(body, packed);
    if (number(at + 10, 2) == Z_DEFLATED) {
      std::string plain(bytes, '\0');
      z_stream inflating{};
      inflateInit2(&inflating, -15);
      inflating.next_in = reinterpret_cast<Bytef*>(text.data()),
      inflating.avail_in = static_cast<uInt>(text.size());
      inflating.next_out = reinterpret_cast<Bytef*>(plain.data()),
      inflating.avail_out = static_cast<uInt>(plain.size());
      inflate(&inflating, Z_FINISH);
      inflateEnd(&inflating);
      text = std::move(plain);
    }
    if (!name.ends_with('/')) files[name] = std::move(text);
    at += 46 + name.size() + number(at + 30, 2) + number(at + 32, 2);
  }
  return files;
}

}  // namespace penstock
