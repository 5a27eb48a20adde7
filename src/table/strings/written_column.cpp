#include "table/strings/written_column.hpp"

#include <algorithm>
#include <atomic>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "column/set_texts.hpp"

namespace penstock::plan {
namespace {

Bytes pack_flags(const std::byte* flags, std::uint64_t count) {
  return column::make_bits(count, [flags](std::uint64_t i) { return flags[i] != std::byte{0}; });
}

// The places of the codes that occur, in the order of the codes.
struct CodesThatOccur {
  LargeVector<std::int32_t> places;  // by code; those that do not occur have any
  LargeVector<std::uint32_t> codes;  // by place
};

CodesThatOccur codes_that_occur(const Column& column, const std::uint32_t* codes,
                                std::uint64_t code_count) {
  LargeVector<std::uint8_t> occurs(code_count, 0);
  for_rows(column.row_count, [&](std::uint64_t row) {
    if (column.is_valid(row))
      std::atomic_ref(occurs[codes[row]]).store(1, std::memory_order_relaxed);
  });
  CodesThatOccur found;
  found.places.resize(code_count);
  for (std::uint64_t code = 0; code < code_count; code++) {
    found.places[code] = static_cast<std::int32_t>(found.codes.size());
    if (occurs[code] != 0) found.codes.push_back(static_cast<std::uint32_t>(code));
  }
  return found;
}

std::uint64_t count_of_codes(const Column& column, const std::uint32_t* codes) {
  std::atomic<std::uint64_t> count = 0;
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t most = 0;
    for (std::uint64_t row = first; row < last; row++)
      if (column.is_valid(row)) most = std::max(most, codes[row] + std::uint64_t{1});
    std::uint64_t seen = count.load();
    while (seen < most && !count.compare_exchange_weak(seen, most)) {}
  });
  return count;
}

}  // namespace

Column column_of_codes(Column column, const std::uint32_t* codes, const TextOfCode& text_of) {
  const std::uint64_t code_count = count_of_codes(column, codes);
  if (code_count / 2 > column.row_count) {
    column::set_texts(column, [&](std::uint64_t row) {
      return column.is_valid(row) ? text_of(codes[row]) : std::string_view();
    });
    return column;
  }
  const CodesThatOccur found = codes_that_occur(column, codes, code_count);
  Column dictionary;
  dictionary.type = {Kind::string};
  dictionary.row_count = found.codes.size();
  column::set_texts(dictionary, [&](std::uint64_t place) { return text_of(found.codes[place]); });
  LargeVector<std::int32_t> places(column.row_count);
  for_rows(column.row_count, [&](std::uint64_t row) {
    places[row] = column.is_valid(row) ? found.places[codes[row]] : 0;
  });
  column.values = Bytes::own(std::move(places));
  column.dictionary = std::make_shared<const Column>(std::move(dictionary));
  return column;
}

Column column_of_written(Type type, std::uint64_t row_count,
                         const std::shared_ptr<HostBuffer>& values,
                         const std::shared_ptr<HostBuffer>& validity, const TextOfCode& text_of) {
  Column column;
  column.type = type;
  column.row_count = row_count;
  if (validity) column.validity = pack_flags(validity->data(), row_count);
  if (type.kind == Kind::boolean)
    column.values = pack_flags(values->data(), row_count);
  else if (type.kind == Kind::string)
    return column_of_codes(std::move(column),
                           reinterpret_cast<const std::uint32_t*>(values->data()), text_of);
  else
    column.values = {values, values->data(), row_count * width_bytes(type)};
  return column;
}

}  // namespace penstock::plan
