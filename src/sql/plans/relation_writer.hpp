// Adds relations for the operators of a foreign plan: what the readers of all formats share.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/relation.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/problems.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

// A relation, and the columns of it that are meant.
struct RelationColumns {
  RelationId relation = 0;
  std::vector<std::uint32_t> columns = {};
};

class RelationWriter {
 public:
  // `statement` has the places that problems show; "" where a plan has no statement.
  RelationWriter(const Lexed& statement, RelationGraph& relations, Problems& problems)
      : lexed_(statement), relations_(relations), problems_(problems) {}

  const Schema& schema(RelationId id) const { return relations_.at(id).schema; }
  std::uint32_t width(RelationId id) const { return static_cast<std::uint32_t>(schema(id).size()); }
  RelationGraph& relations() { return relations_; }
  Problems& problems() { return problems_; }

  // Binds an expression over the builder's columns, which the syntax names by number.
  Result<NodeId> bind(Builder& builder, const Syntax& syntax, const char* clause);
  // The same. One that cannot be bound becomes NULL of a type, and a problem.
  Result<NodeId> bind_or_null(Builder& builder, const Syntax& syntax, Type type,
                              const char* clause);
  // Casts to a type. A cast that there is not leaves the value as it is, and is a problem.
  Result<NodeId> cast_or_keep(Builder& builder, NodeId node, Type type);
  // Keeps the rows for which all conditions are true.
  Result<RelationId> filtered(RelationId input, Builder& builder,
                              const std::vector<NodeId>& conditions);
  // Returns the relation with these columns alone. Names may be fewer.
  Result<RelationId> with_columns(const RelationColumns& rows,
                                  const std::vector<std::string>& names);
  // Returns the columns of the left side, then those of the right one.
  Schema pair_of(RelationId left, RelationId right) const;
  // Returns a table of values, by column.
  RelationId values(const std::vector<Type>& types, const std::vector<std::vector<Scalar>>& columns,
                    std::size_t row_count);
  // Computes the values of expressions over no row.
  static Result<std::vector<Scalar>> constants(const Builder& builder,
                                               const std::vector<NodeId>& roots);

 protected:
  const Lexed& lexed_;
  RelationGraph& relations_;
  Problems& problems_;
};

// Computes columns over a relation's rows, behind those that it has.
class ComputedColumns {
 public:
  ComputedColumns(RelationWriter& writer, RelationId input)
      : writer_(writer), input_(input), builder_(writer.schema(input)) {}
  // Returns the column with a value: one of the relation, or a new one.
  std::uint32_t add(NodeId value);
  Builder& builder() { return builder_; }
  // Returns the type of a column that add() has returned.
  Type type(std::uint32_t column) const;
  NodeId node(std::uint32_t column);  // its values, in the builder
  // Returns the relation with all of them.
  Result<RelationId> finish();

 protected:
  RelationWriter& writer_;

 private:
  const RelationId input_;
  Builder builder_;
  std::vector<NodeId> added_;
};

}  // namespace penstock::sql
