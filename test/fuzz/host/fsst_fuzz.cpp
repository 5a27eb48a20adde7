// FSST on the host. Bytes as a record, offsets and codes: the whole check and the decoder judge
// them alike, and what is decoded is what a plain loop makes of it. Bytes as texts: they come back.
#include <string>

#include "codec/fsst/format/fsst_record.hpp"
#include "fuzz/input.hpp"
#include "penstock/fsst.hpp"

namespace penstock::fsst {
namespace {

using fuzz::Input;
using fuzz::require;

std::string plainly_decoded(const EncodedStrings& strings, std::uint64_t row,
                            const SymbolTable& table) {
  std::string text;
  for (std::uint64_t at = strings.offset(row); at < strings.offset(row + 1); at++) {
    const std::uint32_t code = strings.codes.as<std::uint8_t>()[at];
    if (code == escape_code)
      text += strings.codes.as<char>()[++at];
    else
      text.append(reinterpret_cast<const char*>(&table.symbols[code]), table.lengths[code]);
  }
  return text;
}

void try_hostile(Input input) {
  EncodedStrings strings;
  const std::size_t record_bytes = input.byte() + 256 * input.byte();
  const std::string record = input.take(record_bytes);
  if (!read_record(std::as_bytes(std::span(record)), strings).ok()) return;
  std::vector<std::uint32_t> offsets{input.byte() % 4};
  strings.row_count = input.byte();
  for (std::uint64_t row = 0; row < strings.row_count; row++)
    offsets.push_back(offsets.back() + input.byte() % 40 - (input.byte() == 255 ? 1 : 0));
  strings.offsets = Bytes::own(std::move(offsets));
  const std::string codes = input.take(input.left());
  strings.codes = Bytes::own(std::vector<char>(codes.begin(), codes.end()));
  const bool is_valid = validate(strings).ok();
  const auto decoded = decode(strings);
  require(decoded.ok() == is_valid, "validate() and decode() agree");
  if (!decoded.ok()) return;
  std::size_t group = 0;
  for (std::uint64_t row = 0; row < strings.row_count; row++) {
    while (row >= strings.end_row(group)) group++;
    require(decoded->string(row) == plainly_decoded(strings, row, *strings.row_groups[group].table),
            "a text is what a plain loop makes");
  }
}

void try_texts(Input input) {
  std::vector<std::string> texts;
  EncodeOptions options;
  options.row_group_rows =
      8 + input.byte() % 50;  // each trains a table, which takes most of the time
  while (input.left() != 0 && texts.size() < 24) texts.push_back(input.take(input.byte() % 64));
  const auto encoded = encode(Column::from_strings(texts), options);
  require(encoded.ok(), "texts are encoded");
  require(validate(*encoded).ok(), "what is encoded is valid");
  const auto decoded = decode(*encoded);
  require(decoded.ok(), "what is encoded is decoded");
  for (std::size_t row = 0; row < texts.size(); row++)
    require(decoded->string(row) == texts[row], "a text comes back");
}

}  // namespace
}  // namespace penstock::fsst

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  if (data[0] % 2 == 0)
    penstock::fsst::try_hostile({data + 1, bytes - 1});
  else
    penstock::fsst::try_texts({data + 1, bytes - 1});
  return 0;
}
