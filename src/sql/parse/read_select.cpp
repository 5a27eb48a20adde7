#include "sql/parse/read_select.hpp"

#include <algorithm>
#include <utility>

namespace penstock::sql {
namespace {

class SelectReader {
 public:
  SelectReader(const Lexed& lexed, Select& select, int level)
      : lexed_(lexed), expressions_(lexed, level), select_(select) {}

  Status read(Tree tree) {
    const Tree statements = tree["stmts"];
    if (statements.size() == 0) return expressions_.error(0, "the statement is empty");
    if (statements.size() > 1)
      return expressions_.refuse(offset_of(";"), "more than one statement");
    const Tree body = statements.at(0)["stmt"].as("SelectStmt");
    if (!body) return expressions_.refuse(0, "a statement other than SELECT");
    return read_body(body);
  }

  Status read_body(Tree body) {
    PENSTOCK_TRY(refuse_parts(body));
    PENSTOCK_ASSIGN(select_.from, read_from(expressions_, body["fromClause"]));
    PENSTOCK_TRY(expressions_.define_windows(body["windowClause"]));
    PENSTOCK_TRY(read_items(body["targetList"]));
    PENSTOCK_TRY(read_optional(body["whereClause"], select_.where));
    PENSTOCK_TRY(read_optional(body["havingClause"], select_.having));
    PENSTOCK_TRY(read_group(body["groupClause"]));
    PENSTOCK_TRY(read_order(body["sortClause"]));
    PENSTOCK_TRY(read_optional(body["limitCount"], select_.limit));
    return read_optional(body["limitOffset"], select_.offset);
  }

 private:
  std::int64_t offset_of(std::string_view text) const { return expressions_.offset_of(text); }

  Status refuse_parts(Tree body) const {
    const std::string_view set = body["op"].text();
    if (set != "SETOP_NONE" && set != "") {
      const std::string word = set == "SETOP_UNION"       ? "union"
                               : set == "SETOP_INTERSECT" ? "intersect"
                                                          : "except";
      return expressions_.refuse(offset_of(word), word == "union"       ? "UNION"
                                                  : word == "intersect" ? "INTERSECT"
                                                                        : "EXCEPT");
    }
    static constexpr struct {
      const char *field, *token, *what;
    } parts[] = {{"withClause", "with", "WITH"},
                 {"valuesLists", "values", "VALUES"},
                 {"intoClause", "into", "SELECT INTO"},
                 {"lockingClause", "for", "FOR UPDATE and the like"}};
    for (const auto& part : parts)
      if (body[part.field]) return expressions_.refuse(offset_of(part.token), part.what);
    if (body["limitOption"].text() == "LIMIT_OPTION_WITH_TIES")
      return expressions_.refuse(offset_of("ties"), "WITH TIES");
    if (body["groupDistinct"].boolean())
      return expressions_.refuse(offset_of("group"), "GROUP BY DISTINCT");
    const Tree distinct = body["distinctClause"];
    if (!distinct) return {};
    if (distinct.at(0).kind() != "")
      return expressions_.refuse(offset_of("distinct"), "DISTINCT ON");
    select_.distinct = true;
    select_.distinct_offset = offset_of("distinct");
    return {};
  }

  Status read_items(Tree items) {
    if (items.size() == 0) return expressions_.error(offset_of("from"), "the SELECT list is empty");
    for (std::size_t i = 0; i < items.size(); i++) {
      const Tree target = items.at(i).as("ResTarget");
      SelectItem item;
      PENSTOCK_ASSIGN(item.value, expressions_.read(target["val"]));
      item.alias = alias_of(target);
      select_.items.push_back(std::move(item));
    }
    return {};
  }

  // The parser folds an alias to lower case and cuts it at 63 bytes; DuckDB keeps it. It follows
  // AS, or ends its item.
  std::string alias_of(Tree target) const {
    const std::string folded(target["name"].text());
    const Token* token = lexed_.at(target.location());
    if (folded.empty() || token == nullptr) return folded;
    const Token *end = lexed_.tokens.data() + lexed_.tokens.size(), *last = token;
    for (int depth = 0; token != end; last = token++) {
      const std::string text = lower(lexed_.text(*token));
      const bool open = text == "(" || text == "[" || is_keyword_token(lexed_, *token, "case"),
                 close = text == ")" || text == "]" || is_keyword_token(lexed_, *token, "end");
      if (depth == 0 && (text == "," || text == ";" ||
                         (text == "from" && !is_keyword_token(lexed_, *last, "distinct"))))
        break;
      if (depth == 0 && is_keyword_token(lexed_, *token, "as") && token + 1 != end) {
        last = token + 1;
        break;
      }
      depth += open ? 1 : close ? -1 : 0;
    }
    const std::string written = value_of(lexed_, *last);
    return lower(written).starts_with(lower(folded)) ? written : folded;
  }

  Status read_optional(Tree node, SyntaxPtr& into) {
    if (!node) return {};
    PENSTOCK_ASSIGN(into, expressions_.read(node));
    return {};
  }

  Status read_group(Tree keys) {
    for (std::size_t i = 0; i < keys.size(); i++) {
      PENSTOCK_ASSIGN(SyntaxPtr key, expressions_.read(keys.at(i)));
      select_.group_by.push_back(std::move(key));
    }
    return {};
  }

  Status read_order(Tree keys) {
    for (std::size_t i = 0; i < keys.size(); i++) {
      PENSTOCK_ASSIGN(OrderItem item, expressions_.order_item(keys.at(i)));
      select_.order_by.push_back(std::move(item));
    }
    return {};
  }

  const Lexed& lexed_;
  ExpressionReader expressions_;
  Select& select_;
};

// Refuses statements other than SELECT before the parser sees them: its errors would mislead.
Status check_verb(const Lexed& lexed) {
  const auto first = std::find_if(lexed.tokens.begin(), lexed.tokens.end(),
                                  [&](const Token& t) { return lexed.text(t) != "("; });
  if (first == lexed.tokens.end() || lexed.text(*first) == ";")
    return error_at(lexed.statement, 0, Code::invalid, "the statement is empty");
  if (is_keyword_token(lexed, *first, "select") || is_keyword_token(lexed, *first, "with") ||
      is_keyword_token(lexed, *first, "values"))
    return {};
  const std::string verb(lexed.text(*first).substr(0, 40));
  if (is_keyword_token(lexed, *first, "from"))
    return error_at(lexed.statement, first->offset, Code::unsupported,
                    "FROM first is not supported; write SELECT * FROM ...");
  if (first->kind != TokenKind::word)
    return error_at(lexed.statement, first->offset, Code::invalid,
                    "the statement must start with SELECT");
  static constexpr struct {
    std::string_view verb, instead;
  } advice[] = {
      {"describe", " (SELECT * FROM 'file.parquet' LIMIT 0 shows names and types)"},
      {"desc", " (SELECT * FROM 'file.parquet' LIMIT 0 shows names and types)"},
      {"show", " (SELECT * FROM 'file.parquet' LIMIT 0 shows names and types)"},
      {"explain", " (penstock query --explain 'SELECT ...' prints its plan)"},
      {"copy", " (penstock query --output FILE 'SELECT ...' writes its rows to a file)"},
      {"create", " (penstock query --output FILE 'SELECT ...' writes its rows to a file)"},
  };
  std::string message = verb + " is not supported; a statement is one SELECT";
  for (const auto& row : advice)
    if (is_keyword_token(lexed, *first, row.verb)) message += row.instead;
  if (const std::string near = keyword_near(verb); near == "SELECT")
    message += "; did you mean " + near + "?";
  return error_at(lexed.statement, first->offset, Code::unsupported, message);
}

}  // namespace

std::int64_t ExpressionReader::offset_of(std::string_view text) const {
  for (const Token& token : lexed_.tokens)
    if (lower(lexed_.text(token)) == text) return token.offset;
  return 0;
}

Result<std::shared_ptr<const Select>> read_subquery(const Lexed& lexed, Tree body, int level) {
  auto select = std::make_shared<Select>();
  PENSTOCK_TRY(SelectReader(lexed, *select, level).read_body(body));
  return std::shared_ptr<const Select>(std::move(select));
}

Result<Select> read_select(const Lexed& lexed) {
  PENSTOCK_TRY(check_verb(lexed));
  PENSTOCK_ASSIGN(Parsed parsed, parse(lexed));
  Select select;
  PENSTOCK_TRY(SelectReader(lexed, select, 0).read(parsed.tree()));
  return select;
}

}  // namespace penstock::sql
