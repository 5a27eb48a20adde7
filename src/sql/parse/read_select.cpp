#include "sql/parse/read_select.hpp"

#include <algorithm>
#include <utility>

#include "sql/parse/star_changes.hpp"

namespace penstock::sql {
namespace {

class SelectReader {
 public:
  SelectReader(ReadContext& context, Select& select, int level)
      : lexed_(context.lexed), expressions_(context, level), select_(select) {}

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
    select_.is_refused = body["larg"] || body["valuesLists"];
    if (select_.is_refused) return {};
    PENSTOCK_ASSIGN(select_.from, read_from(expressions_, body["fromClause"]));
    select_.is_refused = std::ranges::any_of(select_.from, &FromTable::is_refused);
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

  void refuse(std::string_view token, std::string_view what) const {
    static_cast<void>(expressions_.refuse(offset_of(token), what));
  }

  // Refuses what is no plain SELECT; the SELECTs in it are read for what else they lack.
  Status refuse_parts(Tree body) {
    const std::string_view set = body["op"].text();
    if (set == "SETOP_UNION") refuse("union", "UNION");
    if (set == "SETOP_INTERSECT") refuse("intersect", "INTERSECT");
    if (set == "SETOP_EXCEPT") refuse("except", "EXCEPT");
    for (const char* side : {"larg", "rarg"})
      if (body[side]) PENSTOCK_TRY(expressions_.read_body(body[side]));
    const Tree tables = body["withClause"]["ctes"];
    for (std::size_t i = 0; i < tables.size(); i++) {
      const Tree table = tables.at(i).as("CommonTableExpr");
      expressions_.context().refused_tables.emplace(lower(table["ctename"].text()));
      PENSTOCK_TRY(expressions_.read_body(table["ctequery"].as("SelectStmt")));
    }
    refuse_clauses(body);
    return {};
  }

  void refuse_clauses(Tree body) {
    static constexpr struct {
      const char *field, *token, *what;
    } parts[] = {{"withClause", "with", "WITH"},
                 {"valuesLists", "values", "VALUES"},
                 {"intoClause", "into", "SELECT INTO"},
                 {"lockingClause", "for", "FOR UPDATE and the like"}};
    for (const auto& part : parts)
      if (body[part.field]) refuse(part.token, part.what);
    if (body["limitOption"].text() == "LIMIT_OPTION_WITH_TIES") refuse("ties", "WITH TIES");
    if (body["groupDistinct"].boolean()) refuse("group", "GROUP BY DISTINCT");
    const Tree distinct = body["distinctClause"];
    const bool is_on = distinct && distinct.at(0).kind() != "";
    if (is_on) refuse("distinct", "DISTINCT ON");
    select_.distinct = distinct && !is_on;
    select_.distinct_offset = offset_of("distinct");
  }

  Status read_items(Tree items) {
    if (items.size() == 0) return expressions_.error(offset_of("from"), "the SELECT list is empty");
    StarReader stars(lexed_, select_);
    for (std::size_t i = 0; i < items.size(); i++) {
      const Tree target = items.at(i).as("ResTarget");
      SelectItem item;
      PENSTOCK_ASSIGN(item.value, expressions_.read(target["val"]));
      item.alias = alias_of(target);
      PENSTOCK_TRY(stars.add(std::move(item)));
    }
    return {};
  }

  // Tells whether a word ends the SELECT list: FROM, or the clause behind it where FROM came first.
  bool ends_items(const Token& token) const {
    static constexpr std::string_view words[] = {"from",   "where", "group",    "having", "window",
                                                 "order",  "limit", "offset",   "fetch",  "union",
                                                 "except", "into",  "intersect"};
    return std::ranges::any_of(
        words, [&](std::string_view word) { return is_keyword_token(lexed_, token, word); });
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
      if (depth == 0 && (text == "," || text == ";" || (close && text != "end") ||
                         (ends_items(*token) && !is_keyword_token(lexed_, *last, "distinct"))))
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
    select_.groups_by_all = keys.size() == 1 && is_all(keys.at(0));
    if (select_.groups_by_all) return {};
    for (std::size_t i = 0; i < keys.size(); i++) {
      PENSTOCK_ASSIGN(SyntaxPtr key, expressions_.read(keys.at(i)));
      select_.group_by.push_back(std::move(key));
    }
    return {};
  }

  // Tells whether a key is the ALL of GROUP BY ALL or ORDER BY ALL.
  bool is_all(Tree key) const {
    const Token* token = lexed_.at(key.as("ColumnRef").location());
    return token != nullptr && is_keyword_token(lexed_, *token, "all");
  }

  Status read_order(Tree keys) {
    select_.orders_by_all = keys.size() == 1 && is_all(keys.at(0).as("SortBy")["node"]);
    for (std::size_t i = 0; i < keys.size(); i++) {
      const SyntaxPtr all =
          select_.orders_by_all
              ? make_syntax(SyntaxKind::star, keys.at(i).as("SortBy")["node"].body().location(), "")
              : nullptr;
      Result<OrderItem> item = expressions_.order_item(keys.at(i), all);
      PENSTOCK_TRY(expressions_.passed(item.status()));
      if (item.ok()) select_.order_by.push_back(std::move(item).value());
    }
    return {};
  }

  const Lexed& lexed_;
  ExpressionReader expressions_;
  Select& select_;
};

}  // namespace

std::int64_t ExpressionReader::offset_of(std::string_view text) const {
  for (std::size_t i = lexed_.form.first; i < lexed_.form.end; i++)
    if (lower(lexed_.text(lexed_.tokens[i])) == text) return lexed_.tokens[i].offset;
  return 0;
}

Result<std::shared_ptr<const Select>> read_subquery(ReadContext& context, Tree body, int level) {
  auto select = std::make_shared<Select>();
  PENSTOCK_TRY(SelectReader(context, *select, level).read_body(body));
  return std::shared_ptr<const Select>(std::move(select));
}

Result<Select> read_select(const Lexed& lexed, Problems& problems,
                           std::span<const std::string> functions) {
  PENSTOCK_ASSIGN(Parsed parsed, parse(lexed, problems));
  Select select;
  ReadContext context{lexed, problems, functions, {}, {}};
  PENSTOCK_TRY(SelectReader(context, select, 0).read(parsed.tree()));
  select.parts = std::move(context.parts);
  return select;
}

}  // namespace penstock::sql
