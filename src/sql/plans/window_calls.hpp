// The window functions of one operator of a foreign plan. Functions with one partition and order
// share a relation.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "sql/plans/relation_writer.hpp"

namespace penstock::sql {

// Returns the place of the window with that partition and order, which is added where it lacks.
std::size_t place_among(std::vector<Window>& windows, Window window);

class WindowCalls {
 public:
  // `window` has the partition and the order. Returns the number of the call.
  std::size_t add(Window window, WindowCall call);
  // Returns a relation with their columns behind the input, and the columns by call.
  Result<RelationColumns> finish(RelationWriter& writer, RelationId input) const;

 private:
  std::vector<Window> windows_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // by call: its window, its place there
};

}  // namespace penstock::sql
