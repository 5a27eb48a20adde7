#include "sql/duckdb/stand_ins.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sql/bind/scope.hpp"
#include "sql/duckdb/plan_columns.hpp"
#include "sql/parse/table_function.hpp"

namespace penstock::sql {
namespace {

// A table whose number of rows is not known, such as a CSV file's, counts as this many.
constexpr std::uint64_t rows_if_unknown = 1'000'000;

bool is_any_keyword(const Lexed& lexed, const Token& token,
                    std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return is_keyword_token(lexed, token, word); });
}

// Follows a statement's tokens, and knows where a table may stand: behind FROM and JOIN, and behind
// the commas of a FROM clause.
class TablePlaces {
 public:
  explicit TablePlaces(const Lexed& lexed) : lexed_(lexed) {}

  // Returns whether a table may stand at the token. Call for each in turn.
  bool visit(std::size_t at) {
    const Token& token = lexed_.tokens[at];
    const bool is_here = std::exchange(expects_table_, false);
    if (is_symbol(lexed_, token, "(")) {
      levels_.push_back({is_here, at > 0 && is_call(at)});
      expects_table_ = is_here;
      return false;
    }
    Level& level = levels_.back();
    if (is_symbol(lexed_, token, ")")) {
      if (levels_.size() > 1) levels_.pop_back();
    } else if (is_symbol(lexed_, token, ",")) {
      expects_table_ = level.is_in_from;
    } else if (is_any_keyword(lexed_, token, {"from", "join"})) {
      level.is_in_from = expects_table_ = !level.is_call && !is_distinct_from(at);
      return false;
    } else if (is_keyword_token(lexed_, token, "select")) {
      level = {};
      return false;
    } else if (is_any_keyword(lexed_, token,
                              {"where", "group", "order", "having", "limit", "offset", "union",
                               "intersect", "except", "window", "qualify", "sample", "values"})) {
      level.is_in_from = false;
      return false;
    } else if (is_keyword_token(lexed_, token, "lateral")) {
      expects_table_ = is_here;
    } else if (is_any_keyword(lexed_, token, {"pivot", "unpivot", "table"}) && begins_query(at)) {
      expects_table_ = true;
      return false;
    }
    return is_here;
  }

 private:
  struct Level {
    bool is_in_from = false;
    bool is_call = false;  // of a function: extract(year FROM x)
  };

  bool is_call(std::size_t parenthesis) const {
    const Token& before = lexed_.tokens[parenthesis - 1];
    return before.kind == TokenKind::word &&
           !is_any_keyword(lexed_, before,
                           {"from",    "join",  "in",    "as",     "exists",    "materialized",
                            "on",      "where", "and",   "or",     "not",       "any",
                            "all",     "some",  "union", "except", "intersect", "select",
                            "lateral", "by",    "when",  "then",   "else"});
  }
  bool begins_query(std::size_t at) const {
    return at == 0 || is_symbol(lexed_, lexed_.tokens[at - 1], "(");
  }
  bool is_distinct_from(std::size_t from) const {  // a IS [NOT] DISTINCT FROM b
    return from > 1 && is_keyword_token(lexed_, lexed_.tokens[from - 1], "distinct") &&
           is_any_keyword(lexed_, lexed_.tokens[from - 2], {"is", "not"});
  }

  const Lexed& lexed_;
  std::vector<Level> levels_{1};  // by open parenthesis
  bool expects_table_ = false;
};

// Returns the names that WITH defines, in lower case: a name, AS and a parenthesis.
std::set<std::string> names_of_with(const Lexed& lexed) {
  std::set<std::string> names;
  const auto& tokens = lexed.tokens;
  for (std::size_t i = 0; i < tokens.size(); i++) {
    if (tokens[i].kind != TokenKind::word && tokens[i].kind != TokenKind::quoted) continue;
    std::size_t at = i + 1;
    if (at < tokens.size() && is_symbol(lexed, tokens[at], "("))
      at = after_brackets(lexed, at, tokens.size());
    const auto take = [&](std::string_view word) {
      const bool is_here = at < tokens.size() && is_keyword_token(lexed, tokens[at], word);
      at += is_here;
      return is_here;
    };
    if (!take("as")) continue;
    take("not");
    take("materialized");
    if (at < tokens.size() && is_symbol(lexed, tokens[at], "("))
      names.insert(lower(value_of(lexed, tokens[i])));
  }
  return names;
}

class Rewriter {
 public:
  Rewriter(const Lexed& lexed, StandIns& stand_ins) : lexed_(lexed), stand_ins_(stand_ins) {}

  Rewritten rewrite() {
    result_.pieces.push_back({0, 0});
    TablePlaces places(lexed_);
    const std::set<std::string> hidden = names_of_with(lexed_);
    for (std::size_t i = 0; i < lexed_.tokens.size(); i++) {
      const Token& token = lexed_.tokens[i];
      if (!places.visit(i)) continue;
      if (token.kind != TokenKind::string && hidden.contains(lower(value_of(lexed_, token))))
        continue;
      if (const std::size_t last = last_of_name(i); last > i) {
        const Token& end = lexed_.tokens[last];
        const std::string name = value_of(lexed_, end);
        const bool is_of_main = lower(value_of(lexed_, lexed_.tokens[last - 2])) == "main";
        const std::string prefix = is_of_main ? "" : std::string(information_schema) + ".";
        replace(TableReference(prefix + (is_of_main ? name : lower(name))), stem(name),
                token.offset, end.offset + end.length, false);
      } else if (is_table_function(lexed_, i)) {
        const std::size_t end = after_brackets(lexed_, i + 1, lexed_.tokens.size());
        const auto reference = read_table_function(lexed_, i);
        const Token& closing = lexed_.tokens[end - 1];
        if (reference.ok())
          replace(*reference, std::string(lexed_.text(token)), token.offset,
                  closing.offset + closing.length, true);
      } else if (token.kind != TokenKind::symbol && token.kind != TokenKind::number) {
        const std::string name = value_of(lexed_, token);
        replace(TableReference(name), stem(name), token.offset, token.offset + token.length,
                token.kind == TokenKind::string);
      }
    }
    copy_until(lexed_.statement.size());
    return std::move(result_);
  }

 private:
  // Returns the last token of main.t, memory.main.t or information_schema.tables; the first token
  // of any other name.
  std::size_t last_of_name(std::size_t first) const {
    std::size_t last = first;
    while (last + 2 < lexed_.tokens.size() && is_symbol(lexed_, lexed_.tokens[last + 1], ".") &&
           lexed_.tokens[last + 2].kind != TokenKind::symbol)
      last += 2;
    if (last == first) return first;
    const std::string schema = lower(value_of(lexed_, lexed_.tokens[last - 2]));
    return schema == "main" || schema == information_schema ? last : first;
  }

  void replace(const TableReference& reference, const std::string& name, std::size_t begin,
               std::size_t end, bool is_file) {
    const std::string view = stand_ins_.view_of(reference, name, is_file);
    if (view.empty()) return;
    copy_until(begin);
    result_.pieces.push_back({result_.text.size(), begin, true});
    result_.text += view;
    copied_ = end;
    result_.pieces.push_back({result_.text.size(), end});
  }

  void copy_until(std::size_t end) {
    result_.text += std::string_view(lexed_.statement).substr(copied_, end - copied_);
    copied_ = end;
  }

  const Lexed& lexed_;
  StandIns& stand_ins_;
  Rewritten result_;
  std::size_t copied_ = 0;  // bytes of the text
};

std::string column_of_view(const Field& field, std::uint32_t number) {
  const std::string value = "concat('" + stand_in_mark(number) + "', range)";
  const bool is_text = penstock::is_text(field.type) || !field.unsupported.empty();
  return (is_text ? value : "try_cast(" + value + " AS " + name_of(field.type) + ")") + " AS " +
         in_quotes(field.name, '\"');
}

}  // namespace

Rewritten StandIns::rewrite(const Lexed& text) { return Rewriter(text, *this).rewrite(); }

std::string StandIns::view_of(const TableReference& table, const std::string& name, bool is_file) {
  const std::string text = table.text();
  const auto known = std::ranges::find(texts_, text);
  if (known != texts_.end()) return names_[static_cast<std::size_t>(known - texts_.begin())];
  auto source = open_(table);
  if (!source.ok() && is_file && unread_file_.ok()) unread_file_ = source.status();
  if (!source.ok() || !*source) return "";
  names_.push_back("t" + std::to_string(tables_.size()) + "." + in_quotes(name, '\"'));
  tables_.push_back(std::move(*source));
  texts_.push_back(text);
  return names_.back();
}

// DuckDB writes t0.u where the name wants no quotes. A column of the statement may be called so,
// too, but no table of its FROM.
std::string StandIns::as_written(std::string name) const {
  for (std::size_t i = 0; i < names_.size(); i++) {
    std::string plain = names_[i];
    std::erase(plain, '"');
    for (const std::string& view : {names_[i], plain})
      for (const std::string before : {"FROM ", "JOIN ", ", "}) {
        const std::size_t at = name.find(before + view + " AS ");
        if (at != name.npos)
          name.replace(at + before.size(), view.size(), in_quotes(texts_[i], '"'));
      }
  }
  return name;
}

std::vector<std::string> StandIns::view_statements() const {
  std::vector<std::string> statements;
  for (std::size_t i = 0; i < tables_.size(); i++) {
    const TableSource& table = *tables_[i];
    std::string columns;
    for (std::uint32_t c = 0; c < table.schema().size(); c++)
      columns += (c > 0 ? ", " : "") + column_of_view(table.schema()[c], c);
    const std::int64_t first = first_row_of(i);
    const auto rows = static_cast<std::int64_t>(table.row_count().value_or(rows_if_unknown));
    statements.push_back("CREATE SCHEMA t" + std::to_string(i));
    statements.push_back("CREATE VIEW " + names_[i] + " AS SELECT " + columns + " FROM range(" +
                         std::to_string(first) + ", " + std::to_string(first + rows) + ")");
  }
  return statements;
}

}  // namespace penstock::sql
