// Maps that add columns to a step, or keep some of them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/relation.hpp"

namespace penstock::relation {

using ColumnList = std::vector<std::uint32_t>;  // by number
ColumnList columns_from(std::uint32_t first, std::uint32_t count);
ColumnList both(ColumnList first, const ColumnList& second);

// Returns whether the values are numbers of 128 bits, which kernels read as halves.
bool has_128_bits(Type type);
// Returns the values by which a key is compared: the two halves of 128 bits, else the value.
Result<std::vector<NodeId>> key_values(Builder& rows, NodeId key);
// The mean of a sum of so many values, at least one.
Result<NodeId> mean_of(Builder& rows, NodeId sum, NodeId count);

// Returns a step of these columns of the input, in this order; the input itself if it has no
// others.
Result<StepId> keep_columns(Plan& plan, StepId input, const ColumnList& columns);

// Adds columns behind those of a step.
class Extension {
 public:
  Extension(Plan& plan, StepId input);
  // The values are nodes of this graph over the input.
  Extension(Plan& plan, StepId input, std::shared_ptr<Graph> graph);
  Builder& rows() { return rows_; }
  // Returns the number of a column with these values: a new one unless they are a column.
  std::uint32_t add(NodeId value, std::string name);
  // Returns the step with the columns; the input itself if there are none.
  Result<StepId> finish();

 private:
  Plan& plan_;
  StepId input_;
  Builder rows_;
  std::vector<Projection> columns_;
};

// An expression, moved onto the rows of a step.
struct Moved {
  std::shared_ptr<Graph> graph;
  std::vector<NodeId> roots;
};
// columns[i]: the number of the step's column that column i of `from` is.
Moved moved(const Schema& step, const Graph& from, const std::vector<NodeId>& roots,
            const ColumnList& columns);
Result<StepId> add_filter(Plan& plan, StepId input, const Graph& graph, NodeId predicate,
                          const ColumnList& columns);
// Returns the join with its sides swapped: the keys, and the condition over right and left columns.
RelationJoin with_sides_swapped(RelationJoin join, const Schema& left, const Schema& right);
// Numbers the rows from 1 in a column behind the others.
Result<StepId> add_row_numbers(Plan& plan, StepId input, ColumnList partition = {});

// Returns the ends of a call's own frame.
std::vector<FrameEnd*> ends_of(WindowCall& call);
// Returns whether a relation has one row, whatever it reads, as an aggregate without keys has.
bool yields_one_row(const RelationGraph& relations, RelationId id);

// Returns whether no two rows have equal values in these columns, as groups have none in all keys.
bool has_unique_rows(const RelationGraph& relations, RelationId id, const ColumnList& columns);

// The column of a relation of one row.
struct SingleValue {
  RelationId relation = 0;
  std::uint32_t column = 0;
  bool operator==(const SingleValue&) const = default;
};
// Returns the value that an aggregate's call has in every group: the least or greatest value of a
// column that inner joins took from a relation of one row. nullopt for any other call.
std::optional<SingleValue> single_value_of_call(const RelationGraph& relations,
                                                const Relation& aggregate, std::size_t call);

// Returns the conditions that AND joins.
std::vector<NodeId> conjuncts_of(const Graph& graph, NodeId predicate);
// Returns whether an expression reads columns from `first` to `end` alone. One that reads none
// does.
bool reads_only(const Graph& graph, NodeId root, std::uint32_t first, std::uint32_t end);

}  // namespace penstock::relation
