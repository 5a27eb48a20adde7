// The syntax tree of a SELECT: the part of PostgreSQL's tree that Penstock supports, with the
// statement's own spelling of names and literals. The readers refused everything else by name.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/plan.hpp"
#include "penstock/status.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/problems.hpp"

namespace penstock::sql {

enum class SyntaxKind : unsigned char {
  column,  // name, qualifier
  star,    // qualifier
  number,  // name: the literal as written, with its sign
  string,
  boolean,
  null,
  value,        // scalar
  interval,     // name: the text; qualifier: the unit, or ""; star: written as a number
  cast,         // inputs[0], type, name: the type as DuckDB prints it
  operation,    // name: "+", "//", "neg", "=", "and", "is null", "between", "in", "is true"...
  case_of,      // inputs: condition, value, condition, value, ..., else
  function,     // name in lower case; star, filter
  exists,       // subquery
  in_subquery,  // inputs, subquery; name: "=", or the comparison of ANY
  value_of,     // subquery: the value of its one row
  grouping,     // GROUPING(): inputs
  refused,      // a placeholder; name: of an aggregate, else ""; inputs: what it has of expressions
};

struct Select;
struct Syntax;
using SyntaxPtr = std::shared_ptr<const Syntax>;
struct WindowSyntax;

struct Syntax {
  SyntaxKind kind = SyntaxKind::null;
  std::int64_t offset =
      -1;  // bytes into the statement: an operator's own place, otherwise the first byte
  std::string name, qualifier;
  std::vector<SyntaxPtr> inputs;
  Type type;                                 // cast
  std::optional<std::uint32_t> index;        // of a column that * stands for
  bool star = false;                         // count(*); see interval
  SyntaxPtr filter;                          // of an aggregate
  std::shared_ptr<const WindowSyntax> over;  // of a window function
  std::shared_ptr<const Select> subquery;
  // The user's function, or aggregate, that a call is of.
  std::shared_ptr<const CustomFunction> user_function;
  std::shared_ptr<const CustomReduction> user_reduction;
  bool distinct = false;            // of an aggregate: f(DISTINCT x)
  bool is_try = false;              // of a cast: NULL where it fails
  Scalar scalar = {};               // value
  std::optional<Type> stated = {};  // the type that a planner found; the binder casts to it
  bool keeps_digits = false;        // but for a decimal of its scale, which may have fewer digits
};

struct SelectItem {
  SyntaxPtr value;
  std::string alias;  // "" when there is none
};

// The clauses behind the star of a SELECT list: EXCLUDE (a), REPLACE (a + 1 AS a), RENAME (a AS b).
struct StarChanges {
  struct Name {
    std::string name, alias;
    std::int64_t offset = -1;
  };
  std::vector<Name> excluded, renamed;
  std::vector<SelectItem> replaced;
};

struct OrderItem {
  SyntaxPtr value;
  bool descending = false, nulls_first = false;
  std::string shown = {};  // " DESC NULLS FIRST", as written
};

// OVER (PARTITION BY ... ORDER BY ...), or the WINDOW of that name.
struct WindowSyntax {
  std::vector<SyntaxPtr> partition;
  std::vector<OrderItem> order;
  WindowFrame frame = WindowFrame::peers;
  std::string frame_text;  // as DuckDB prints one that is not the default
};

enum class JoinForm : unsigned char { inner, left, right, full };

// A table of FROM: all are joined, by what ON, USING and WHERE say.
struct FromTable {
  TableReference table;                    // what the opener is asked for
  std::string name, alias;                 // of the file or table function; what qualifies columns
  std::shared_ptr<const Select> subquery;  // of a derived table
  std::vector<std::string> columns;        // new names of its first columns
  std::int64_t offset = -1;
  bool quoted = false;
  // The JOIN whose right side begins with this table. A comma before it is none.
  bool is_joined = false, is_natural = false;
  JoinForm form = JoinForm::inner;
  SyntaxPtr on;
  std::size_t join_first = 0;  // the first table of the JOIN with this ON; this table's side of
                               // it ends with join_last
  std::size_t join_last = 0;
  std::vector<std::string> using_columns;
  bool is_refused = false;  // it is not known which columns it has, or how it is joined
};

// A name that WITH defines.
struct CommonTable {
  std::string name;
  std::int64_t offset = -1;
  std::shared_ptr<const Select> select;
  std::vector<std::string> columns;  // new names of its first columns
  bool is_recursive = false;         // WITH RECURSIVE: the right side of a UNION may read it
};

// UNION, INTERSECT or EXCEPT of two SELECTs.
enum class SetKind : unsigned char { unite, intersect, except };
struct SetOperation {
  SetKind kind = SetKind::unite;
  bool all = false;
  std::shared_ptr<const Select> left, right;
  std::int64_t offset = -1;
};

struct Select {
  std::vector<CommonTable> with;
  std::shared_ptr<const SetOperation> set;  // then it has no clause but WITH
  // The rows of VALUES; then it has no clause but WITH, too. All are as long.
  std::vector<std::vector<SyntaxPtr>> values;
  std::vector<FromTable> from;  // none: one row without columns
  bool distinct = false;
  std::vector<SyntaxPtr> distinct_on;  // DISTINCT ON: the first row of each
  std::int64_t distinct_offset = -1;
  std::vector<SelectItem> items;
  std::map<std::size_t, StarChanges> star_changes;  // by the number of the star's item
  SyntaxPtr where, having, qualify;
  std::vector<SyntaxPtr> group_by;
  bool groups_by_all = false;  // by each item without an aggregate
  // Each a list of terms of group_by by number. None: one set of all.
  std::vector<std::vector<std::uint32_t>> grouping_sets;
  std::vector<OrderItem> order_by;
  bool orders_by_all = false;  // by each item; the one of order_by says how
  SyntaxPtr limit, offset;     // constant expressions
  bool is_refused = false;     // so that it cannot be bound
  // In the statement's SELECT: all SELECTs inside of it, also in refused parts.
  std::vector<std::shared_ptr<const Select>> parts;
  // In the statement's SELECT: the names of all tables that FROM has anywhere, in lower case.
  std::set<std::string> tables_named;
};

// Returns the conditions that AND joins, or the condition itself.
std::vector<SyntaxPtr> conjuncts(const SyntaxPtr& condition);
SyntaxPtr conjunction(const std::vector<SyntaxPtr>& conditions);  // nullptr where there are none

// Parses and reads one statement; `lexed` is of the same statement. Calls of functions that are not
// among `functions` are refused, as they cannot be bound. `users`: functions that come on top.
Result<Select> read_select(const Lexed& lexed, Problems& problems,
                           std::span<const std::string> functions,
                           const UserFunctions* users = nullptr);

// Returns DuckDB's name of a column that has no alias: "(price * 2)", "count_star()", "CASE  WHEN
// ((a > 1)) THEN (1) ELSE NULL END".
std::string display(const Syntax& syntax);
std::string display(const Select& select);        // "SELECT max(a) FROM t"
std::string display_name(std::string_view name);  // in quotes where it needs them

bool is_aggregate(const Syntax& syntax);  // also one that is refused
bool contains_aggregate(const Syntax& syntax);
// Returns the parts of an expression: its inputs, and the partition, order and FILTER of a window.
std::vector<SyntaxPtr> parts_of(const Syntax& syntax);

}  // namespace penstock::sql
