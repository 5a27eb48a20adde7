// Estimates how many rows relations have, to choose the side of a join that is held in memory. They
// need not be good: they tell a table of facts from one that it refers to.
#pragma once
#include <map>

#include "penstock/relation.hpp"

namespace penstock::relation {

class Estimates {
 public:
  explicit Estimates(const RelationGraph& relations) : relations_(relations) {}
  double rows_of(RelationId id);

 private:
  double estimate(RelationId id);
  double of_join(const Relation& relation);

  const RelationGraph& relations_;
  std::map<RelationId, double> known_;
};

}  // namespace penstock::relation
