#include "sql/parse/lexer.hpp"

#include <algorithm>
#include <utility>

#include "base/unicode.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/parse/statement_form.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t statement_limit_bytes = 4u << 20;
// Limit of a parse tree's depth; a sum of 1,000 terms has 999 levels. libpg_query prints the tree
// recursively (about 200 bytes of stack per level), and the binder and the emitters recurse, too
// (some KiB per level under a sanitizer), on a thread of 8 MiB.
constexpr std::uint32_t nesting_limit = 1100;

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_word(char c) { return starts_word(c) || is_digit(c) || c == '$'; }
bool is_operator(char c) {
  return std::string_view("~!@#^&|`?+-*/%<>=").find(c) != std::string_view::npos;
}

class Lexer {
 public:
  explicit Lexer(std::string_view statement) : text_(statement) {
    lexed_.statement = std::string(statement);
    lexed_.rewritten = lexed_.statement;
  }

  Result<Lexed> run() {
    PENSTOCK_TRY(check_bytes());
    PENSTOCK_TRY(read_tokens());
    return std::move(lexed_);
  }

  Status read_tokens() {
    while (true) {
      PENSTOCK_TRY(skip_blanks());
      if (at_ == text_.size()) return {};
      PENSTOCK_TRY(token());
    }
  }
  std::vector<Token> take_tokens() { return std::move(lexed_.tokens); }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  Status open_error(std::size_t offset, const char* what) const {
    return error_at(text_, static_cast<std::int64_t>(offset), Code::invalid,
                    std::string(what) + " is not closed");
  }

  Status check_bytes() const {
    if (text_.size() > statement_limit_bytes)
      return Status(Code::capacity, "the statement has " + std::to_string(text_.size()) +
                                        " bytes; the limit is " +
                                        std::to_string(statement_limit_bytes));
    for (std::size_t i = 0; i < text_.size();) {
      const std::uint32_t length = utf8_length(text_.substr(i));
      const auto offset = static_cast<std::int64_t>(i);
      if (length == 0)
        return error_at(text_, offset, Code::invalid, "the statement is not UTF-8 here");
      if (text_[i] == '\0')
        return error_at(text_, offset, Code::invalid, "the statement holds a NUL byte");
      i += length;
    }
    return {};
  }

  Status skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(peek()))
        at_++;
      else if (looking_at("--"))
        at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
      else if (looking_at("/*"))
        PENSTOCK_TRY(skip_comment());
      else
        break;
    }
    return {};
  }

  Status skip_comment() {
    const std::size_t start = at_;
    for (std::size_t depth = 0; at_ < text_.size();) {
      if (looking_at("/*"))
        depth++, at_ += 2;
      else if (looking_at("*/")) {
        at_ += 2;
        if (--depth == 0) return {};
      } else
        at_++;
    }
    return open_error(start, "the comment");
  }

  void add(TokenKind kind, std::size_t start) {
    lexed_.tokens.push_back(
        {kind, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(at_ - start)});
  }

  Status token() {
    const std::size_t start = at_;
    if ((peek() == 'e' || peek() == 'E') && peek(1) == '\'') {
      at_++;
      return escaped(start);
    }
    if (peek() == '\'') return quoted(start, '\'', false, TokenKind::string);
    if (peek() == '"') return quoted(start, '"', false, TokenKind::quoted);
    if (peek() == '$' && (starts_word(peek(1)) || peek(1) == '$')) return dollar_quoted();
    if (starts_word(peek())) {
      while (continues_word(peek())) at_++;
      add(TokenKind::word, start);
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      number(start);
    } else if (is_operator(peek())) {
      operation(start);
    } else {
      at_++;
      add(TokenKind::symbol, start);
    }
    return {};
  }

  Status quoted(std::size_t start, char quote, bool backslashes, TokenKind kind) {
    for (at_++; at_ < text_.size(); at_++) {
      if (backslashes && peek() == '\\')
        at_++;
      else if (peek() == quote && peek(1) == quote)
        at_++;
      else if (peek() == quote) {
        at_++;
        add(kind, start);
        return {};
      }
    }
    at_ = text_.size();
    return open_error(start, kind == TokenKind::string ? "the string" : "the quoted name");
  }

  // A string with escapes, and its continuations: each begins with a quote on a later line.
  Status escaped(std::size_t start) {
    PENSTOCK_TRY(quoted(start, '\'', true, TokenKind::string));
    for (std::size_t end = at_;; end = at_) {
      PENSTOCK_TRY(skip_blanks());
      const std::string_view between = text_.substr(end, at_ - end);
      const bool goes_on = peek() == '\'' && between.find_first_of("\n\r") != between.npos &&
                           between.find("/*") == between.npos;
      if (!goes_on) {
        at_ = end;
        return {};
      }
      lexed_.tokens.pop_back();
      PENSTOCK_TRY(quoted(start, '\'', true, TokenKind::string));
    }
  }

  Status dollar_quoted() {
    const std::size_t start = at_;
    std::size_t end = at_ + 1;
    while (end < text_.size() && (starts_word(text_[end]) || is_digit(text_[end]))) end++;
    if (end == text_.size() || text_[end] != '$') {  // not a quote: a stray dollar
      at_++;
      add(TokenKind::symbol, start);
      return {};
    }
    const std::string_view tag = text_.substr(start, end + 1 - start);
    const std::size_t close = text_.find(tag, end + 1);
    if (close == std::string_view::npos) return open_error(start, "the dollar-quoted string");
    at_ = close + tag.size();
    add(TokenKind::string, start);
    return {};
  }

  void number(std::size_t start) {
    while (is_digit(peek()) || continues_word(peek()) || peek() == '.') {
      const bool exponent = (peek() == 'e' || peek() == 'E') &&
                            (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
      at_ += exponent ? 2 : 1;
    }
    add(TokenKind::number, start);
  }

  void operation(std::size_t start) {
    static constexpr struct {
      std::string_view from, to;
    } spellings[] = {{"//", "% "}, {"**", "^ "}, {"==", "= "}};
    for (const auto& spelling : spellings) {
      if (!looking_at(spelling.from)) continue;
      lexed_.rewritten.replace(at_, 2, spelling.to);
      at_ += 2;
      add(TokenKind::symbol, start);
      return;
    }
    do at_++;
    while (is_operator(peek()) && !looking_at("--") && !looking_at("/*"));
    // PostgreSQL's manual, section 4.1.3: a sign ends an operator only if the operator contains a
    // character that standard SQL's operators lack, so that `a*-1` is two operators.
    const auto stands_alone = [&] {
      return text_.substr(start, at_ - start).find_first_of("~!@#^&|`?%") == std::string_view::npos;
    };
    while (at_ - start > 1 && (text_[at_ - 1] == '+' || text_[at_ - 1] == '-') && stands_alone())
      at_--;
    add(TokenKind::symbol, start);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Lexed lexed_;
};

// Computes an upper bound of the parse tree's depth. Inside a bracket or a CASE each token nests at
// worst in the one before, but the operand after an operator is no deeper than the operator. A
// comma, AND, OR, WHEN, THEN and ELSE start a sibling. A token after a closed bracket may hold all
// that is in the bracket.
class Nesting {
 public:
  // Returns the token at which the limit is passed, or nullptr.
  const Token* find(const Lexed& lexed) {
    for (const Token& token : lexed.tokens) {
      step(lexed, token);
      if (total_ + levels_.back().own() > nesting_limit) return &token;
    }
    return nullptr;
  }

 private:
  struct Level {
    std::uint32_t base = 0, segment = 0, deepest = 0;
    std::uint32_t own() const { return base + segment; }
    std::uint32_t depth() const { return base + std::max(segment, deepest); }
  };

  void open() {
    total_ += levels_.back().own();
    levels_.push_back({});
  }
  void close() {
    if (levels_.size() == 1) return;
    const std::uint32_t inside = levels_.back().depth();
    levels_.pop_back();
    total_ -= levels_.back().own();
    levels_.back().segment += inside;
  }
  void sibling() {
    levels_.back().deepest = std::max(levels_.back().deepest, levels_.back().segment);
    levels_.back().segment = 0;
  }

  void step(const Lexed& lexed, const Token& token) {
    const std::string_view text = lexed.text(token);
    const bool is_operand = std::exchange(
        is_after_operator_, token.kind == TokenKind::symbol && is_operator(text.front()));
    if (token.kind == TokenKind::symbol) {
      if (text == "," || text == ";") return sibling();
      levels_.back().segment++;
      if (text == "(" || text == "[") open();
      if (text == ")" || text == "]") close();
    } else if (token.kind == TokenKind::word) {
      const std::string word = lower(text);
      if (word == "and" || word == "or" || word == "when" || word == "then" || word == "else")
        return sibling();
      const bool sets = word == "union" || word == "intersect" || word == "except" ||
                        word == "join" || word == "select";
      if (sets)
        levels_.back().base += 3;
      else if (!is_operand)
        levels_.back().segment++;
      if (word == "case") open();
      if (word == "end") close();
    } else if (!is_operand) {
      levels_.back().segment++;
    }
  }

  bool is_after_operator_ = false;
  std::vector<Level> levels_ = std::vector<Level>(1);
  std::uint32_t total_ = 0;  // of the levels below the last
};

}  // namespace

bool is_keyword_token(const Lexed& lexed, const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::word && token.length == keyword.size() &&
         lower(lexed.text(token)) == keyword;
}

bool is_symbol(const Lexed& lexed, const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && lexed.text(token) == symbol;
}

std::size_t after_brackets(const Lexed& lexed, std::size_t open, std::size_t end) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < end; i++) {
    const std::string_view text = lexed.text(lexed.tokens[i]);
    if (lexed.tokens[i].kind != TokenKind::symbol) continue;
    if (text == "(" || text == "[" || text == "{") depth++;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) return i + 1;
  }
  return end;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

std::string value_of(const Lexed& lexed, const Token& token) {
  const std::string_view text = lexed.text(token);
  if ((token.kind != TokenKind::quoted && token.kind != TokenKind::string) || text.size() < 2 ||
      text.front() != text.back() || text.front() == '$')
    return std::string(text);
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); i++) {
    result += text[i];
    if (text[i] == text.front()) i++;
  }
  return result;
}

const Token* Lexed::at(std::int64_t offset) const {
  const auto found = std::lower_bound(tokens.begin(), tokens.end(), offset,
                                      [](const Token& t, std::int64_t o) { return t.offset < o; });
  return found != tokens.end() && found->offset == offset ? &*found : nullptr;
}

std::vector<Token> tokens_until_open(std::string_view text, bool& is_open) {
  Lexer lexer(text);
  is_open = !lexer.read_tokens().ok();
  return lexer.take_tokens();
}

Result<Lexed> lex(std::string_view statement) {
  PENSTOCK_ASSIGN(Lexed lexed, Lexer(statement).run());
  if (const Token* deep = Nesting().find(lexed))
    return error_at(
        statement, deep->offset, Code::capacity,
        "the statement nests deeper than " + std::to_string(nesting_limit) + " levels here");
  PENSTOCK_TRY(find_form(lexed));
  rewrite(lexed);
  rewrite_select_lists(lexed);
  rewrite_qualify(lexed);
  rearrange(lexed);
  return lexed;
}

}  // namespace penstock::sql
