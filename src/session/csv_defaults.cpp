#include "session/csv_defaults.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.hpp"

namespace penstock::session {
namespace {

constexpr std::array<std::string_view, 9> other_endings = {
    ".parquet", ".arrow", ".arrows", ".ipc", ".feather", ".json", ".jsonl", ".ndjson", ".orc"};
constexpr std::array<std::string_view, 4> compressed_endings = {".gz", ".zst", ".lz4", ".zz"};

bool is_of_other_format(std::string_view path) {
  std::string folded = lower(path);
  for (const std::string_view ending : compressed_endings)
    if (folded.ends_with(ending)) folded.resize(folded.size() - ending.size());
  return std::ranges::any_of(other_endings,
                             [&](std::string_view ending) { return folded.ends_with(ending); });
}

}  // namespace

TableReference with_csv_defaults(TableReference table, std::span<const TableOption> options) {
  const bool is_plain = table.format.empty() && table.options.empty();
  if (options.empty() || !is_plain || std::ranges::any_of(table.paths, is_of_other_format))
    return table;
  table.format = "csv";
  table.options.assign(options.begin(), options.end());
  return table;
}

}  // namespace penstock::session
