// Reads libpg_query's tree as Syntax. Each reader refuses by name what is not supported.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "sql/parse/problems.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/parse/syntax.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

SyntaxPtr make_syntax(SyntaxKind kind, std::int64_t offset, std::string name,
                      std::vector<SyntaxPtr> inputs = {});

// Returns the last part of an operator's name.
std::string operator_name(Tree name);

// Returns where an expression begins, for nodes without a location in the tree.
std::int64_t first_location(Tree node);

// State that all SELECTs of one statement share while it is read.
struct ReadContext {
  const Lexed& lexed;
  Problems& problems;
  std::span<const std::string> functions;            // that the binder knows, in order
  const UserFunctions* users;                        // may be null
  std::vector<std::shared_ptr<const Select>> parts;  // see Select
  std::set<std::string> tables_named;                // see Select
};

class ExpressionReader {
 public:
  // `level` is the depth of its SELECT; the statement's is 0.
  ExpressionReader(ReadContext& context, int level)
      : context_(context), lexed_(context.lexed), level_(level) {}
  // Reads an expression. A placeholder stands for one that is refused.
  Result<SyntaxPtr> read(Tree node);
  // `value` stands for a key that is no expression, such as ALL.
  Result<OrderItem> order_item(Tree node, SyntaxPtr value = nullptr);
  // Reads a SELECT inside of this one, which begins at `offset`.
  Result<std::shared_ptr<const Select>> nested(Tree select, std::int64_t offset);
  // Reads one inside of a refused part, to find what else is not supported.
  Status read_body(Tree select);
  // Reads the WINDOW clause; call it before the expressions that use its names are read.
  Status define_windows(Tree windows);
  // Adds a refusal, and returns its error, which the caller passes over or returns.
  Status refuse(std::int64_t offset, std::string_view what) const {
    return refuse_as(offset, not_supported(what));
  }
  Status refuse_as(std::int64_t offset, std::string sentence) const {
    return context_.problems.refuse(offset, std::move(sentence));
  }
  Status error(std::int64_t offset, std::string message) const {
    return error_at(lexed_.statement, offset, Code::invalid, std::move(message));
  }
  // Keeps a problem, so that reading goes on; returns it if reading cannot go on.
  Status passed(const Status& status) const {
    return context_.problems.pass(status) ? Status() : status;
  }
  ReadContext& context() const { return context_; }
  const Lexed& lexed() const { return lexed_; }
  int level() const { return level_; }
  // Returns the offset of the first token of that spelling: the tree lacks most clauses' offsets.
  std::int64_t offset_of(std::string_view text) const;
  std::int64_t place_of_values(Tree lists) const;
  // Returns where a SELECT begins.
  std::int64_t place_of_select(Tree select) const;
  // Returns the names in `name (a, b)` behind a place as they are written; `folded` has them in
  // lower case.
  std::vector<std::string> column_names(std::int64_t place, std::string_view name,
                                        Tree folded) const;

 private:
  Result<SyntaxPtr> dispatch(Tree node);
  Result<SyntaxPtr> subquery(Tree body);
  Status read_compared(Tree body, Syntax& syntax);
  Result<std::vector<SyntaxPtr>> row_of(Tree node);
  Result<SyntaxPtr> column(Tree body);
  Result<SyntaxPtr> constant(Tree body);
  // read_operator.cpp
  Result<SyntaxPtr> operation(Tree body);
  Result<SyntaxPtr> binary(Tree body, std::string name);
  Result<SyntaxPtr> equal_rows(std::int64_t offset, const std::vector<SyntaxPtr>& left,
                               const std::vector<SyntaxPtr>& right);
  Result<SyntaxPtr> unary(Tree body, std::string_view name);
  Result<SyntaxPtr> between(Tree body, bool negated);
  Result<SyntaxPtr> like(Tree body, std::string name);
  Result<SyntaxPtr> in_list(Tree body);
  Result<SyntaxPtr> boolean(Tree body);

  Result<SyntaxPtr> case_of(Tree body);
  Result<SyntaxPtr> cast(Tree body);
  Result<SyntaxPtr> cast_to(Tree type_name, std::int64_t offset, SyntaxPtr input);
  Result<SyntaxPtr> interval(Tree body, Tree type_name);
  Result<SyntaxPtr> function(Tree body);
  Result<SyntaxPtr> regular(Tree body, std::string_view name);
  Result<SyntaxPtr> similar(Tree body, std::string_view name);
  SyntaxPtr extracted_unit(const Syntax& unit) const;
  // Notes the user's function that a call is of.
  void find_user(Syntax& call) const;
  Status read_parts(Tree call, Syntax& syntax);
  Status refuse_parts(Tree call, const std::string& name) const;
  bool is_function(const std::string& name) const;
  Result<std::shared_ptr<const WindowSyntax>> window(Tree definition);
  Result<std::shared_ptr<const WindowSyntax>> named_window(std::string_view name,
                                                           std::int64_t offset) const;
  Status window_frame(Tree definition, WindowSyntax& window) const;
  Result<SyntaxPtr> over_inputs(SyntaxKind kind, std::string name, std::int64_t offset,
                                Tree inputs);

  ReadContext& context_;
  const Lexed& lexed_;
  std::map<std::string, std::shared_ptr<const WindowSyntax>, std::less<>> windows_;  // by name
  const int level_;
  int depth_ = 0;
};

// Reads the terms of GROUP BY, and their sets.
Status read_grouping(ExpressionReader& expressions, Tree terms, Select& select);
// Reads the tables of FROM, in order.
Result<std::vector<FromTable>> read_from(ExpressionReader& expressions, Tree from);
// Reads a SelectStmt inside another.
Result<std::shared_ptr<const Select>> read_subquery(ReadContext& context, Tree body, int level);

}  // namespace penstock::sql
