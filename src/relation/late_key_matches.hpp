// Finds the keys of groups that follow from the key of a join (late_keys.hpp).
#pragma once
#include <optional>
#include <vector>

#include "penstock/relation.hpp"

namespace penstock::relation {

struct LateKeyMatch {
  struct Late {
    std::uint32_t key = 0, column = 0;  // of the aggregate; of the join's held side
  };
  RelationId limit = 0, aggregate = 0, join = 0;
  std::vector<RelationId> above;    // between aggregate and limit, from the lowest on
  bool holds_right = false;         // the join does; else its left side is held
  std::vector<std::uint32_t> keys;  // the aggregate's key that is the join's, by the join's keys
  std::vector<Late> late;
};

std::optional<LateKeyMatch> find_late_keys(const RelationGraph& relations, RelationId result);

}  // namespace penstock::relation
