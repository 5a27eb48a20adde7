// Reads the expressions of Substrait's plans as Syntax, which ExpressionBinder binds: a function is
// supported in a plan if it is in a statement.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sql/parse/problems.hpp"
#include "sql/substrait/substrait_functions.hpp"
#include "sql/substrait/substrait_types.hpp"

namespace penstock::sql {

struct SubstraitPlan {
  std::map<std::int64_t, std::string> functions;  // names by anchor
  bool is_datafusion = false;  // made by DataFusion, which leaves types of aggregates out
};

// Columns that stand for an expression: of a subquery, or of a window function.
using StandingColumns = std::map<const void*, SubstraitColumn>;

// Returns the expressions inside of an expression, in order.
std::vector<Tree> inputs_of_substrait(const Tree& expression);
// Returns the number of the column that an expression is; -1: it is none.
std::int64_t field_of_selection(const Tree& expression);
// Returns the name of a function without its signature; "" where the plan has none.
std::string_view function_of(const SubstraitPlan& plan, const Tree& call);
// Names a column that no expression may read.
std::string untyped_column(std::string_view name);
// Adds the parts of an AND.
void add_conjuncts(const SubstraitPlan& plan, const Tree& expression, std::vector<Tree>& parts);

class SubstraitExpressions {
 public:
  // `schema`: of the relation, whose names errors show.
  SubstraitExpressions(const SubstraitPlan& plan, const StandingColumns& standing,
                       const Schema& schema, Problems& problems)
      : plan_(plan), standing_(standing), schema_(schema), problems_(problems) {}

  // `columns` are those that the expression's fields count; the syntax has the relation's.
  TypedSyntax read(const Tree& expression, const std::vector<SubstraitColumn>& columns);

 private:
  using Columns = std::vector<SubstraitColumn>;
  TypedSyntax dispatch(const Tree& expression, const Columns& columns);
  TypedSyntax refused(const std::string& what);
  TypedSyntax column(const SubstraitColumn& column);
  TypedSyntax selection(const Tree& expression, const Columns& columns);
  TypedSyntax literal(const Tree& expression);
  TypedSyntax cast(const Tree& expression, const Columns& columns);
  TypedSyntax case_of(const Tree& expression, const Columns& columns);
  TypedSyntax one_of(const Tree& expression, const Columns& columns);
  TypedSyntax call(const Tree& expression, const Columns& columns);
  // Returns the inputs of a call that the binder takes; nothing where they were refused.
  std::optional<std::vector<SyntaxPtr>> inputs_of_call(const Tree& call, const Columns& columns);
  TypedSyntax operation_or_call(const SubstraitFunction& row, std::vector<SyntaxPtr> inputs,
                                std::optional<Type> type);

  const SubstraitPlan& plan_;
  const StandingColumns& standing_;
  const Schema& schema_;
  Problems& problems_;
  int depth_ = 0;
};

}  // namespace penstock::sql
