// Names of columns are text: whoever prints or writes them relies on it.
#pragma once
#include <arrow/util/utf8.h>

#include <string>

#include "penstock/status.hpp"

namespace penstock::io {

// Refuses a name that is not valid UTF-8; `index` counts from 0. Arrow's tables of UTF-8 are there
// (arrow::util::InitializeUTF8).
inline Status check_column_name(const std::string& name, int index) {
  if (arrow::util::ValidateUTF8(name)) return {};
  return {Code::corrupt, "the name of column " + std::to_string(index + 1) + " is not valid UTF-8"};
}

}  // namespace penstock::io
