// Puts the pieces of a SELECT that begins with FROM into PostgreSQL's order, and names derived
// tables.
#include <algorithm>
#include <array>

#include "sql/parse/lexer.hpp"

namespace penstock::sql {
namespace {

// The words that end a SELECT list or a FROM.
constexpr std::array<std::string_view, 12> clause_words = {
    "where", "group",  "having", "window", "qualify",   "order",
    "limit", "offset", "fetch",  "union",  "intersect", "except"};

class Rearranger {
 public:
  explicit Rearranger(Lexed& lexed) : lexed_(lexed), written_(std::move(lexed.rewritten)) {
    lexed_.rewritten.clear();
  }

  void run() {
    const StatementForm& form = lexed_.form;
    const std::string select = "SELECT * FROM ";
    if (form.is_table) insert(select, form.first);
    const std::size_t first_byte = form.is_table ? lexed_.tokens[form.first].offset : 0;
    copy(first_byte, begin_of(form.first));
    emit(form.first, form.end);
    copy(begin_of(form.end), written_.size());
  }

 private:
  std::size_t begin_of(std::size_t token) const {
    return token < lexed_.tokens.size() ? lexed_.tokens[token].offset : written_.size();
  }

  void insert(const std::string& text, std::size_t token) {
    lexed_.pieces.push_back({lexed_.rewritten.size(), begin_of(token), true});
    lexed_.rewritten += text;
  }
  // Copies bytes as they are, with names behind the derived tables that end among them.
  void copy(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const auto next = std::ranges::upper_bound(lexed_.unnamed, begin);
      const bool has_name = next != lexed_.unnamed.end() && *next <= end;
      const std::size_t stop = has_name ? *next : end;
      lexed_.pieces.push_back({lexed_.rewritten.size(), begin, false});
      lexed_.rewritten += written_.substr(begin, stop - begin);
      begin = stop;
      if (!has_name) continue;
      lexed_.pieces.push_back({lexed_.rewritten.size(), stop - 1, true});
      lexed_.rewritten += " " + std::string(unnamed_alias) + " ";
    }
  }

  // Returns the first token of these words outside of brackets, or `end`.
  template <class Words>
  std::size_t find(std::size_t from, std::size_t end, const Words& words) const {
    for (std::size_t i = from; i < end; i++) {
      const std::string_view text = lexed_.text(lexed_.tokens[i]);
      if (text == "(" || text == "[" || text == "{") {
        i = after_brackets(lexed_, i, end) - 1;
      } else if (text == ")" || text == ";") {
        return i;
      } else if (std::ranges::any_of(words, [&](std::string_view word) {
                   return is_keyword_token(lexed_, lexed_.tokens[i], word);
                 })) {
        return i;
      }
    }
    return end;
  }

  // Writes the tokens [first, end), with each SELECT among them in order.
  void emit(std::size_t first, std::size_t end) {
    std::size_t from = first;
    while (from < end && !is_leading_from(lexed_, from)) from++;
    copy(begin_of(first), begin_of(from));
    if (from == end) return;
    const std::size_t level_end = find(from + 1, end, std::array<std::string_view, 0>());
    const std::size_t select = find(from + 1, level_end, std::array<std::string_view, 1>{"select"});
    if (select == level_end) {
      insert("SELECT * ", from);
      keep_leading(from, level_end);
    } else {
      const std::size_t clauses = find(select + 1, level_end, clause_words);
      emit(select, clauses);
      insert(" ", from);
      keep_leading(from, select);
      emit(clauses, level_end);
    }
    emit(level_end, end);
  }

  // Writes FROM itself, and the tokens behind it.
  void keep_leading(std::size_t from, std::size_t end) {
    copy(begin_of(from), begin_of(from + 1));
    emit(from + 1, end);
  }

  Lexed& lexed_;
  const std::string written_;
};

}  // namespace

bool is_leading_from(const Lexed& lexed, std::size_t at) {
  if (!is_keyword_token(lexed, lexed.tokens[at], "from")) return false;
  if (at == lexed.form.first) return true;
  if (at < lexed.form.first || !is_symbol(lexed, lexed.tokens[at - 1], "(")) return false;
  return at < 2 || !is_keyword_token(lexed, lexed.tokens[at - 2], "trim");
}

void rearrange(Lexed& lexed) {
  bool is_needed = lexed.form.is_table || !lexed.unnamed.empty();
  for (std::size_t i = lexed.form.first; i < lexed.form.end; i++)
    is_needed = is_needed || is_leading_from(lexed, i);
  if (is_needed) Rearranger(lexed).run();
}

std::int64_t Lexed::place_of(std::int64_t offset) const {
  if (offset < 0 || pieces.empty()) return offset;
  const auto at = static_cast<std::size_t>(offset);
  const auto after = std::ranges::upper_bound(pieces, at, {}, &Piece::begin);
  const Piece& piece = after == pieces.begin() ? pieces.front() : *std::prev(after);
  return static_cast<std::int64_t>(piece.offset + (piece.is_inserted ? 0 : at - piece.begin));
}

}  // namespace penstock::sql
