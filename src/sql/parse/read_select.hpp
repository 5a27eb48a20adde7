// From libpg_query's tree to Syntax. Each place refuses by name what stands there and is not
// supported.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "sql/parse/source_position.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/parse/syntax.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {

SyntaxPointer make_syntax(Form form, std::int64_t offset, std::string name,
                          std::vector<SyntaxPointer> inputs = {});

class ExpressionReader {
 public:
  // `level`: of the SELECT it stands in; 0 is the statement.
  explicit ExpressionReader(const Lexed& lexed, int level = 0) : lexed_(lexed), level_(level) {}
  Result<SyntaxPointer> read(Tree node);
  Result<OrderItem> order_item(Tree node);
  // Of the WINDOW clause, before what uses them is read.
  Status define_windows(Tree windows);
  Status refuse(std::int64_t offset, std::string_view what) const {
    return error_at(lexed_.statement, offset, Code::unsupported, not_supported(what));
  }
  Status error(std::int64_t offset, std::string message) const {
    return error_at(lexed_.statement, offset, Code::invalid, std::move(message));
  }
  const Lexed& lexed() const { return lexed_; }
  // The first token of that spelling; the tree holds no place of most clauses.
  std::int64_t place_of(std::string_view text) const;

 private:
  Result<SyntaxPointer> dispatch(Tree node);
  Result<SyntaxPointer> subquery(Tree body);
  Result<SyntaxPointer> column(Tree body);
  Result<SyntaxPointer> constant(Tree body);
  // read_operator.cpp
  Result<SyntaxPointer> operation(Tree body);
  Result<SyntaxPointer> binary(Tree body, std::string name);
  Result<SyntaxPointer> unary(Tree body, std::string_view name);
  Result<SyntaxPointer> between(Tree body, bool negated);
  Result<SyntaxPointer> like(Tree body, std::string name);
  Result<SyntaxPointer> in_list(Tree body);
  Result<SyntaxPointer> boolean(Tree body);

  Result<SyntaxPointer> case_of(Tree body);
  Result<SyntaxPointer> cast(Tree body);
  Result<SyntaxPointer> cast_to(Tree type_name, std::int64_t offset, SyntaxPointer input);
  Result<SyntaxPointer> interval(Tree body, Tree type_name);
  Result<SyntaxPointer> function(Tree body);
  Result<std::shared_ptr<const WindowSyntax>> window(Tree definition);
  Result<std::shared_ptr<const WindowSyntax>> named_window(std::string_view name,
                                                           std::int64_t offset) const;
  Status window_frame(Tree definition, WindowSyntax& window) const;
  Result<SyntaxPointer> over_inputs(Form form, std::string name, std::int64_t offset, Tree inputs);

  const Lexed& lexed_;
  std::map<std::string, std::shared_ptr<const WindowSyntax>, std::less<>> windows_;  // by name
  const int level_;
  int depth_ = 0;
};

// The tables of FROM, in order.
Result<std::vector<FromTable>> read_from(ExpressionReader& expressions, Tree from);
// A SelectStmt inside another.
Result<std::shared_ptr<const Select>> read_subquery(const Lexed& lexed, Tree body, int level);

}  // namespace penstock::sql
