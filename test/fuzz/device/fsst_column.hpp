// Columns of FSST codes generated of a fuzzer's bytes: tables, row groups, codes of any kind,
// offsets that may lie once the column is on the device; and what a plain loop finds in them.
#pragma once
#include <optional>
#include <vector>

#include "fuzz/input.hpp"
#include "penstock/fsst/decoder.hpp"

namespace penstock::fuzz {

struct FuzzedColumn {
  fsst::EncodedStrings strings;        // of a sound layout, whatever its codes
  std::vector<std::uint64_t> offsets;  // what the device gets in place of strings' own
  bool has_replaced_offsets = false;   // whether these differ

  // A row's text as the device has its codes; nothing for one that is not sound.
  std::optional<std::string> text(std::uint64_t row) const;
  bool is_in_codes(std::uint64_t row) const {
    return offsets[row] <= offsets[row + 1] && offsets[row + 1] <= strings.codes.size;
  }
  const fsst::SymbolTable& table(std::uint64_t row) const;
};
// Nothing where no column of a sound layout comes of the bytes. All of them that are left are
// codes.
std::optional<FuzzedColumn> make_column(Input& input);

// All rows of it.
struct FoundTexts {
  explicit FoundTexts(const FuzzedColumn& column);
  std::vector<std::optional<std::string>> rows;
  std::optional<std::uint64_t> first_bad_row;
  std::uint64_t string_bytes = 0;  // of the rows that are sound
};

}  // namespace penstock::fuzz
