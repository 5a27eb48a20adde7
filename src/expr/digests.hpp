// Digests of bytes as hexadecimal digits: MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS 180-4).
#pragma once
#include <string>
#include <string_view>

namespace penstock::expr {

std::string md5(std::string_view bytes);
std::string sha1(std::string_view bytes);
std::string sha256(std::string_view bytes);

}  // namespace penstock::expr
