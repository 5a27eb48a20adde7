#include "plan/string_pool.hpp"

namespace penstock::plan {

std::uint32_t StringPool::code(std::string_view text) {
  if (const auto found = codes_.find(text); found != codes_.end()) return found->second;
  const auto [at, inserted] = codes_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  texts_.push_back(&at->first);
  return at->second;
}

Status StringPool::encode(const Column& column, std::vector<std::uint32_t>& codes) {
  if (texts_.size() + column.row_count >= 0xffffffffu) return Status(Code::capacity, "more than 2^32 distinct strings in one query");
  codes.resize(column.row_count);
  if (!column.dictionary) {
    for (std::uint64_t row = 0; row < column.row_count; row++) codes[row] = column.is_valid(row) ? code(column.string(row)) : 0;
    return {};
  }
  std::vector<std::uint32_t> entries(column.dictionary->row_count);
  for (std::uint64_t entry = 0; entry < entries.size(); entry++)
    if (column.dictionary->is_valid(entry)) entries[entry] = code(column.dictionary->string(entry));
  const auto* indices = column.values.as<std::int32_t>();
  if (column.validity.empty()) {
    for (std::uint64_t row = 0; row < column.row_count; row++) codes[row] = entries[static_cast<std::size_t>(indices[row])];
    return {};
  }
  for (std::uint64_t row = 0; row < column.row_count; row++)
    codes[row] = column.is_valid(row) ? entries[static_cast<std::size_t>(indices[row])] : 0;
  return {};
}

}  // namespace penstock::plan
