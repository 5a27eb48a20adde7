// The encodings that a column of a file can be written in, by name.
#pragma once
#include <string_view>

#include "codec/light/host/encode_block.hpp"
#include "penstock/io.hpp"

namespace penstock::io {

bool encodes_strings(ColumnEncoding encoding);
bool encodes(ColumnEncoding encoding, Type type);
std::string_view types_of(ColumnEncoding encoding);  // for messages: "strings"
light::Kinds kinds_of(ColumnEncoding encoding);      // of a light encoding

}  // namespace penstock::io
