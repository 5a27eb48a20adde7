// Binds Syntax to nodes of a Graph, over the rows of a table or over its groups.
//
// Builder owns types and promotion. The binder adds what only SQL has: names and aliases, string
// literals that become dates, intervals, CASE and IN, and the position of every error. Over groups
// (`groups` set) a group key or an aggregate is a column, found by its canonical text; any other
// column is an error.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/constant.hpp"
#include "expr/nested_casts.hpp"
#include "penstock/expression.hpp"
#include "sql/bind/scope.hpp"
#include "sql/bind/star_expansion.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {

using expr::Interval, expr::number_literal, expr::parse_as, expr::parse_value, expr::parse_interval,
    expr::microseconds_per_day;

// A bound expression. A string literal or an interval has no node yet: its type depends on the
// other operands.
struct Operand {
  enum class Kind : unsigned char { node, null, string, interval } kind = Kind::node;
  NodeId node = 0;
  std::string string;
  Interval interval;
  // interval: a number of months, of days or of microseconds that is no constant.
  std::optional<NodeId> months = {}, days = {}, microseconds = {};
  bool is_constant_interval() const {
    return kind == Kind::interval && !months && !days && !microseconds;
  }
};

struct DatePart;

// Resolves the names that a statement's expressions can use.
class Names {
 public:
  // `outer` are those of the SELECT around a subquery.
  Names(const Lexed& lexed, Problems& problems, const Select& select, const Scope& scope,
        const Names* outer = nullptr);

  // Returns the scope's column; nullopt if there is none. An error if the qualifier names no table,
  // or if several tables have such a column.
  Result<std::optional<std::uint32_t>> column(const Syntax& syntax) const;
  // Returns the ON of a table with its columns resolved: among the tables of its JOIN, then among
  // those before it. An error where only a later table has the column, or none.
  Result<SyntaxPtr> on_of(const FromTable& table) const;
  // Returns the first SELECT item of that alias; nullopt if there is none.
  std::optional<std::size_t> alias(const Syntax& syntax) const;
  // Refuses names behind a star that its tables lack, and stars that leave no column.
  Status check_stars() const;
  const SyntaxPtr& item(std::size_t index) const { return items_[index].value; }
  const std::vector<SelectItem>& items() const { return items_; }
  Status unknown(const Syntax& syntax) const;
  // Returns the index of the item that a term of `clause` (ORDER BY or GROUP BY) names by number;
  // nullopt where the term is not a number.
  Result<std::optional<std::uint32_t>> ordinal(const Syntax& term, const char* clause) const;
  std::string output_name(const SelectItem& item) const;  // of the result's column

  // Returns a string that is equal for expressions of equal meaning: columns appear by number.
  Result<std::string> canonical(const Syntax& syntax) const;

  // Adds a refusal to the problems. Any other error becomes a problem only when it is kept.
  Status error(std::int64_t offset, Code code, std::string message) const {
    return code == Code::unsupported ? problems_.refuse(offset, std::move(message))
                                     : error_at(lexed_.statement, offset, code, std::move(message));
  }
  // Returns the status with its position, unless it has one already.
  Status at(const Syntax& syntax, const Status& status) const;
  // Checks that the call's function, sum or avg, takes values of this type.
  Status check_addends(const Syntax& call, Type type) const;
  const Lexed& lexed() const { return lexed_; }
  Problems& problems() const { return problems_; }
  const Schema& schema() const { return scope_.schema; }
  const Scope& scope() const { return scope_; }
  const Names* outer() const { return outer_; }
  // Tells whether no table here has a column, and one of a SELECT around has it.
  bool is_outside(const Syntax& column) const;

  // The first alias that cannot be used yet: an item sees only those before it, never its own.
  std::size_t visible_aliases = 0;
  // Expressions bound through aliases so far. Bounded, as each alias may use the one before it
  // twice.
  int alias_expansions = 0;

 private:
  struct TableRange {
    std::size_t begin, end;
  };
  // Returns the column of that name; nullopt where none of these tables has it.
  Result<std::optional<std::uint32_t>> column_among(const Syntax& syntax, TableRange tables) const;
  Result<std::uint32_t> column_of_on(const Syntax& syntax, const FromTable& table) const;
  Result<SyntaxPtr> with_columns_found(const SyntaxPtr& syntax, const FromTable& table) const;
  void expand(const Syntax& star, const StarChanges& changes);
  Status unknown_table(const Syntax& syntax) const;
  bool has_table(std::string_view qualifier) const;

  const Lexed& lexed_;
  Problems& problems_;
  const Scope& scope_;
  const Names* const outer_;
  std::vector<SelectItem> items_;  // '*' expanded
  std::vector<StarProblem> star_problems_;
};

// Hides the aliases of items from `count` on while it lives.
class VisibleAliases {
 public:
  VisibleAliases(Names& names, std::size_t count)
      : names_(names),
        before_(std::exchange(names.visible_aliases, std::min(count, names.items().size()))) {}
  ~VisibleAliases() { names_.visible_aliases = before_; }
  VisibleAliases(const VisibleAliases&) = delete;
  VisibleAliases& operator=(const VisibleAliases&) = delete;

 private:
  Names& names_;
  const std::size_t before_;
};

// Returns the functions that can be bound, in order.
const std::vector<std::string>& known_functions();

// The columns of groups or of windows, by the canonical text of the expression that each has.
struct GroupColumns {
  static constexpr std::uint32_t failed = ~std::uint32_t{0};  // the expression could not be bound
  std::unordered_map<std::string, std::uint32_t> by_text;
  // Whether a key could not be bound: it may have been any column.
  bool lacks_keys = false;

  std::optional<std::uint32_t> find(const std::string& text) const {
    const auto found = by_text.find(text);
    return found == by_text.end() ? std::nullopt : std::optional(found->second);
  }
};

class ExpressionBinder {
 public:
  using Groups = GroupColumns;
  // `clause` is the clause that errors name: "WHERE".
  ExpressionBinder(Names& names, Builder& builder, std::string clause,
                   const Groups* groups = nullptr)
      : names_(names), builder_(builder), clause_(std::move(clause)), groups_(groups) {}

  Result<NodeId> value(const Syntax& syntax);      // literals as their own type
  Result<NodeId> predicate(const Syntax& syntax);  // cast to BOOLEAN where DuckDB casts

  // Binds an argument of a user's function, cast to its type. `place` is of the error: " as x".
  Result<NodeId> user_argument(const Syntax& syntax, Type type, const std::string& function,
                               const std::string& place = "");

  static bool is_string_call(const Syntax& syntax);
  static std::vector<std::string> string_function_names();
  static bool is_date_call(std::string_view name);
  static bool is_interval_call(std::string_view name);
  static std::vector<std::string> interval_function_names();
  static std::vector<std::string> date_function_names();
  static std::vector<std::string> nested_function_names();

 private:
  Result<Operand> bind(const Syntax& syntax);
  Result<Operand> dispatch(const Syntax& syntax);
  Result<Operand> conform(const Syntax& syntax, Operand operand);
  Result<Operand> column(const Syntax& syntax);
  Result<Operand> group_column(std::uint32_t column);
  Status placeholder(const Syntax& syntax);
  Status check_readable(const Syntax& syntax, const Field& field) const;
  Result<Operand> through_alias(std::size_t item);
  Result<Operand> value_of(const Syntax& syntax);
  Result<Operand> cast(const Syntax& syntax);
  Result<NodeId> cast_of_string(const Syntax& syntax, NodeId input);
  Result<NodeId> try_cast(const Syntax& syntax, NodeId input);
  Result<Operand> case_of(const Syntax& syntax);
  Result<Operand> operation(const Syntax& syntax);
  Result<Operand> function(const Syntax& syntax);
  Result<Operand> datetime_arithmetic(const Syntax& syntax, const Operand& left,
                                      const Operand& right);
  Result<NodeId> sum_with_interval(const Syntax& syntax, NodeId datetime, const Operand& span,
                                   bool is_added);
  Result<Operand> interval_of(const Syntax& syntax);
  Result<NodeId> interval_node(const Syntax& syntax, const Operand& operand);
  bool is_temporal_operation(const std::string& name, const std::vector<Operand>& inputs) const;
  Result<Operand> temporal_operation(const Syntax& syntax, const std::vector<Operand>& inputs);
  Result<NodeId> negated_interval(const Syntax& syntax, NodeId interval);
  Result<NodeId> temporal_pair(const Syntax& syntax, NodeId left, NodeId right);
  Result<NodeId> interval_arithmetic(const Syntax& syntax, NodeId left, NodeId right);
  Result<NodeId> scaled_interval(const Syntax& syntax, NodeId interval, NodeId factor);
  Result<NodeId> moved_moment(const Syntax& syntax, NodeId moment, NodeId interval);
  Result<NodeId> moment_difference(const Syntax& syntax, NodeId left, NodeId right);
  Result<NodeId> date_and_time(const Syntax& syntax, NodeId date, NodeId time);
  Result<NodeId> session_zone_literal(const Syntax& syntax);
  Result<NodeId> converted(const Syntax& syntax, NodeId value, Type type);
  Result<NodeId> local_moment(const Syntax& syntax, NodeId value);
  Result<NodeId> zone_call(const Syntax& syntax);
  Result<NodeId> at_time_zone(const Syntax& syntax);
  Result<NodeId> instant_of_parts(const Syntax& syntax);
  Result<NodeId> age(const Syntax& syntax);
  Result<NodeId> moved_date(const Syntax& syntax);
  Result<NodeId> part_of_instant(const Syntax& syntax, std::string_view part, NodeId instant);
  Result<NodeId> part_of_time(const Syntax& syntax, std::string_view part, NodeId time);
  Result<NodeId> part_of_interval(const Syntax& syntax, std::string_view part, NodeId interval);
  Result<NodeId> count_of_microseconds(const Syntax& syntax, NodeId value);
  Result<NodeId> start_of_instant(const Syntax& syntax, Op start, NodeId instant);
  Result<NodeId> microseconds_between(NodeId from, NodeId to);
  Result<NodeId> instant_difference(const Syntax& syntax, Op start, NodeId from, NodeId to);
  Result<NodeId> time_bucket(const Syntax& syntax);
  Result<NodeId> bucket_of(const Syntax& syntax, const Interval& width, NodeId timestamp,
                           std::optional<NodeId> origin);
  Result<NodeId> bucket_in_zone(const Syntax& syntax, const Interval& width, NodeId instant);
  Status align_for_difference(const Syntax& syntax, const DatePart& part, NodeId& from, NodeId& to);
  Result<NodeId> interval_trunc(const Syntax& syntax, std::string_view part, const DatePart& row,
                                NodeId interval);
  Result<NodeId> date_subtraction(const Syntax& syntax, std::string_view part);

  Status combined_string(const Syntax& syntax, const std::string& text, Type type) const;
  Result<NodeId> equal_types(const Syntax& syntax, Op op, Operand left, Operand right);
  Result<NodeId> cut_quotient(const Syntax& syntax, const Operand& left, const Operand& right);
  Result<NodeId> comparison(const Syntax& syntax, Op op, const Operand& left, const Operand& right);
  Status align_for_comparison(const Syntax& syntax, NodeId& a, NodeId& b);
  Result<NodeId> distinct(const Syntax& syntax, bool negate);
  Result<NodeId> logical(const Syntax& syntax);
  Result<NodeId> chain(const Syntax& syntax, Op op, std::vector<NodeId> nodes);
  Result<NodeId> between(const Syntax& syntax);
  Result<NodeId> in_list(const Syntax& syntax);
  Result<NodeId> variadic(const Syntax& syntax, Op op);
  Result<NodeId> date_call(const Syntax& syntax);
  Result<NodeId> date_part(const Syntax& syntax, std::string_view part, const Syntax& input);
  Result<NodeId> date_trunc(const Syntax& syntax, std::string_view part);
  Result<NodeId> date_format(const Syntax& syntax);
  Result<NodeId> date_name(const Syntax& syntax, Op part, std::int64_t first,
                           std::span<const std::string_view> names);
  Result<NodeId> epoch(NodeId input);
  Result<NodeId> milliseconds(NodeId microseconds);
  Result<NodeId> date_difference(const Syntax& syntax, std::string_view part);
  Result<NodeId> divided(NodeId count, std::int64_t by);
  Result<NodeId> boundaries(Op start, NodeId date);
  Result<NodeId> months(Op start, NodeId date);
  Result<NodeId> rounded(const Syntax& syntax);
  Result<NodeId> rounded_product(NodeId value, double power);
  Result<NodeId> rounded_integer(const Syntax& syntax, NodeId input);
  Result<NodeId> sign(const Syntax& syntax);
  Result<NodeId> composed(const Syntax& syntax);
  Result<NodeId> floor_modulo(const Syntax& syntax);
  Result<NodeId> constant_or_null(const Syntax& syntax);
  Result<NodeId> extreme_text(Op op, const std::vector<NodeId>& texts);
  Result<NodeId> rounded_digits(const Syntax& syntax);
  Result<NodeId> rounded_decimal(NodeId input, int digits, bool is_cut);
  Result<NodeId> fault(const Syntax& syntax);
  Result<NodeId> call(const Syntax& syntax);
  Result<NodeId> user_call(const Syntax& syntax);
  Result<NodeId> string_call(const Syntax& syntax);
  Result<std::vector<NodeId>> in_one_form(std::vector<NodeId> nodes);
  // bind_nested.cpp
  Result<NodeId> nested_call(const Syntax& syntax);
  Result<NodeId> nested_call(const Syntax& syntax, std::vector<NodeId> inputs);
  static bool has_lambda(const Syntax& syntax);
  Result<NodeId> lambda_call(const Syntax& syntax);
  Result<NodeId> nested_part(const Syntax& syntax, NodeId input);
  Result<NodeId> nested_cast_of(const Syntax& syntax, NodeId input);
  bool is_nested_node(NodeId node) const { return is_nested(builder_.type(node)); }
  std::string_view overload(const Syntax& syntax, const std::vector<Operand>& inputs,
                            const std::vector<NodeId>& nodes) const;
  Status check_date_text(const Syntax& syntax, const std::vector<NodeId>& nodes);
  Result<NodeId> formatted(const Syntax& syntax);
  Status check_text_beside(const Syntax& syntax, NodeId a, NodeId b) const;
  Status check_field(const Syntax& syntax, Type type) const;
  Status check_letter(const Syntax& input, Type type, char letter);
  Result<NodeId> formatted_value(const Syntax& input, NodeId value, const std::string& format);
  Result<NodeId> text_part(const Syntax& syntax);
  Result<NodeId> concatenation(const Syntax& syntax);
  Result<NodeId> joined(const Syntax& syntax, std::optional<NodeId> column,
                        const std::string& separator, const std::vector<std::string>& before,
                        const std::vector<std::string>& behind);
  Result<NodeId> joined_rows(const Syntax& syntax, const std::string& separator,
                             const std::vector<NodeId>& strings);
  Result<std::vector<Operand>> operands(const Syntax& syntax, std::size_t first = 0);

  // Makes the operand a node; a string literal takes the type of the operand beside it.
  Result<NodeId> coerce(const Syntax& syntax, const Operand& operand,
                        std::optional<Type> beside = std::nullopt);
  std::optional<Type> type_of_operand(const Operand& operand) const;
  Result<NodeId> located(
      const Syntax& syntax,
      Result<NodeId> node);  // adds the position to an error, and a Site to a node
  Status refuse(const Syntax& syntax, const std::string& what) const {
    return names_.error(syntax.offset, Code::unsupported, not_supported(what));
  }
  Status wrong(const Syntax& syntax, std::string message) const {
    return names_.error(syntax.offset, Code::invalid, std::move(message));
  }
  Status argument_count(const Syntax& syntax, std::size_t wanted) const;
  std::optional<Scalar> constant(NodeId node) const;

  Names& names_;
  Builder& builder_;
  std::string clause_;
  const Groups* groups_;
  int depth_ = 0, alias_depth_ = 0;
};

}  // namespace penstock::sql
