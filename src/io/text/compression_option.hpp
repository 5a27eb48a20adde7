// The option "compression" of read_csv() and read_json().
#pragma once
#include "penstock/status.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

// Refuses a compression that is not read. A file's content says which it has, whatever the option
// is.
Status check_compression(const OptionValue& value);

}  // namespace penstock::io
