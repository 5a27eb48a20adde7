#include "sql/parse/refusals.hpp"

#include <algorithm>

#include "sql/parse/source_position.hpp"

namespace penstock::sql {

void Refusals::add(std::int64_t offset, std::string sentence) {
  if (std::ranges::find(refusals_, sentence, &Refusal::sentence) == refusals_.end())
    refusals_.push_back({offset, std::move(sentence)});
}

Status Refusals::status(std::string_view statement) const {
  constexpr std::size_t max_shown = 12;
  if (refusals_.empty()) return {};
  std::vector<Refusal> sorted = refusals_;
  std::ranges::stable_sort(sorted, {}, &Refusal::offset);
  std::string message;
  for (std::size_t i = 0; i < std::min(sorted.size(), max_shown); i++)
    message += (i == 0 ? "" : "\n") + shortened(sorted[i].sentence);
  if (sorted.size() > max_shown)
    message += "\nand " + std::to_string(sorted.size() - max_shown) + " more are not supported";
  return Status(Code::unsupported, message + "\n" + excerpt(statement, sorted[0].offset));
}

}  // namespace penstock::sql
