// Finds which columns of relations are read.
#pragma once
#include <set>
#include <vector>

#include "penstock/relation.hpp"

namespace penstock::relation {

using Needed = std::set<std::uint32_t>;  // columns of a relation

inline std::uint32_t width(const Relation& relation) {
  return static_cast<std::uint32_t>(relation.schema.size());
}

// The columns that are read of each relation, from the result down.
class Readers {
 public:
  Readers(const RelationGraph& relations, RelationId result);
  bool is_reached(RelationId id) const { return readers_[id] != 0; }
  const Needed& of(RelationId id) const { return needed_[id]; }
  // Returns whether each reader takes the columns that it needs, so that none has to be left out
  // before: it is a projection or an aggregate. So is a filter or a join below these that has one
  // reader itself.
  bool choose_columns(RelationId id) const { return choose_columns_[id]; }
  // Returns whether no reader counts how often a row is there: all are DISTINCT, extremes, or right
  // sides of semi joins, or pass rows on to these.
  bool ignore_repeats(RelationId id) const { return ignore_repeats_[id]; }

 private:
  Needed& reach(const Relation& relation, std::size_t input);
  void add_all(RelationId id);
  void visit(RelationId id);
  void note_choice(RelationId id);
  void note_repeats(RelationId id);
  bool ignores_repeats_of(RelationId id, std::size_t input) const;
  void visit_join(const Relation& relation, const Needed& own);
  void visit_aggregate(const Relation& relation, const Needed& own);
  void visit_unnest(const Relation& relation, const Needed& own);
  void visit_window(const Relation& relation, const Needed& own);

  const RelationGraph& relations_;
  std::vector<Needed> needed_;
  std::vector<std::uint32_t> readers_;  // how many
  std::vector<bool> choose_columns_, ignore_repeats_;
};

}  // namespace penstock::relation
