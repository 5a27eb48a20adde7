#include <algorithm>

#include "penstock/sql.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock {
namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {
    tokens_ = sql::tokens_until_open(text, is_open_);
  }

  std::vector<StatementText> split() {
    for (const sql::Token& token : tokens_) {
      if (text_.substr(token.offset, token.length) == ";")
        end_statement(token.offset, true);
      else if (!is_begun_)
        begin_ = token.offset, is_begun_ = true;
    }
    if (is_begun_ || is_open_) end_statement(text_.size(), false);
    return std::move(statements_);
  }

 private:
  void end_statement(std::size_t end, bool has_semicolon) {
    // An unclosed piece without a token before it, such as a comment, is a statement of its own: a
    // shell reads on, and a file's error names it.
    if (!is_begun_ && !has_semicolon) begin_ = first_other_than_blank(after_last_);
    if (is_begun_ || !has_semicolon) {
      const auto lines =
          std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin_), '\n');
      statements_.push_back({std::string(text_.substr(begin_, end - begin_)),
                             static_cast<std::uint32_t>(lines + 1), has_semicolon});
    }
    after_last_ = end + 1;
    is_begun_ = false;
  }

  std::size_t first_other_than_blank(std::size_t from) const {
    return std::min(text_.find_first_not_of(" \t\r\n\f\v", from), text_.size());
  }

  std::string_view text_;
  std::vector<sql::Token> tokens_;
  std::vector<StatementText> statements_;
  std::size_t begin_ = 0, after_last_ = 0;
  bool is_begun_ = false, is_open_ = false;
};

}  // namespace

std::vector<StatementText> split_statements(std::string_view text) {
  return Splitter(text).split();
}

}  // namespace penstock
