#include "sql/plans/window_calls.hpp"

#include <algorithm>

namespace penstock::sql {

std::size_t place_among(std::vector<Window>& windows, Window window) {
  const auto same = std::ranges::find_if(windows, [&](const Window& other) {
    return other.partition == window.partition && other.order == window.order;
  });
  const auto place = static_cast<std::size_t>(same - windows.begin());
  if (same == windows.end()) windows.push_back(std::move(window));
  return place;
}

std::size_t WindowCalls::add(Window window, WindowCall call) {
  const std::size_t place = place_among(windows_, std::move(window));
  places_.emplace_back(place, windows_[place].calls.size());
  windows_[place].calls.push_back(std::move(call));
  return places_.size() - 1;
}

Result<RelationColumns> WindowCalls::finish(RelationWriter& writer, RelationId input) const {
  RelationColumns rows{input, {}};
  std::vector<std::uint32_t> first;
  for (const Window& window : windows_) {
    first.push_back(writer.width(rows.relation));
    PENSTOCK_ASSIGN(rows.relation, writer.relations().window(rows.relation, window));
  }
  for (const auto& [window, place] : places_)
    rows.columns.push_back(first[window] + static_cast<std::uint32_t>(place));
  return rows;
}

}  // namespace penstock::sql
