// Columns of FSST codes made from a fuzzer's bytes: tables, row groups, any codes, offsets that may
// be wrong once the column is on the device; and what a plain loop decodes.
#pragma once
#include <optional>
#include <vector>

#include "fuzz/input.hpp"
#include "penstock/fsst/decoder.hpp"

namespace penstock::fuzz {

struct FuzzedColumn {
  fsst::EncodedStrings strings;        // with a valid layout, whatever its codes
  std::vector<std::uint64_t> offsets;  // replace the offsets of `strings` on the device
  bool has_replaced_offsets = false;   // whether these differ

  // Returns a row's string as the device has its codes; none for a corrupt row.
  std::optional<std::string> text(std::uint64_t row) const;
  bool is_in_codes(std::uint64_t row) const {
    return offsets[row] <= offsets[row + 1] && offsets[row + 1] <= strings.codes.size;
  }
  const fsst::SymbolTable& table(std::uint64_t row) const;
};
// Returns a column, or nothing if the bytes make no valid layout. All bytes that are left are
// codes.
std::optional<FuzzedColumn> make_column(Input& input);

// Decodes all rows.
struct FoundStrings {
  explicit FoundStrings(const FuzzedColumn& column);
  std::vector<std::optional<std::string>> rows;
  std::optional<std::uint64_t> first_bad_row;
  std::uint64_t string_bytes = 0;  // of the valid rows
};

}  // namespace penstock::fuzz
