#include "sql/parse/read_select.hpp"

#include <algorithm>
#include <utility>

#include "sql/parse/star_changes.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t max_common_tables = 64;

// Returns the nearest such word among a few tokens before this one, or nullptr.
const Token* token_before(const Lexed& lexed, const Token& token, std::string_view word) {
  constexpr std::ptrdiff_t few = 64;
  const Token* const begin = lexed.tokens.data();
  const Token* const end = &token - std::min(few, &token - begin);
  for (const Token* at = &token; at != end; at--)
    if (is_keyword_token(lexed, *at, word)) return at;
  return is_keyword_token(lexed, *end, word) ? end : nullptr;
}

class SelectReader {
 public:
  SelectReader(ReadContext& context, Select& select, int level)
      : lexed_(context.lexed), context_(context), expressions_(context, level), select_(select) {}

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
    PENSTOCK_TRY(read_with(body["withClause"]));
    refuse_clauses(body);
    if (body["larg"]) return read_set(body);
    if (body["valuesLists"]) return read_values(body);
    PENSTOCK_ASSIGN(select_.from, read_from(expressions_, body["fromClause"]));
    select_.is_refused = std::ranges::any_of(select_.from, &FromTable::is_refused);
    PENSTOCK_TRY(expressions_.define_windows(body["windowClause"]));
    PENSTOCK_TRY(read_distinct(body["distinctClause"]));
    PENSTOCK_TRY(read_items(body["targetList"]));
    PENSTOCK_TRY(read_optional(body["whereClause"], select_.where));
    PENSTOCK_TRY(read_optional(
        body["havingClause"], is_qualify(body["havingClause"]) ? select_.qualify : select_.having));
    PENSTOCK_TRY(read_group(body["groupClause"]));
    return read_end(body);
  }

 private:
  std::int64_t offset_of(std::string_view text) const { return expressions_.offset_of(text); }

  void refuse(std::string_view token, std::string_view what) const {
    static_cast<void>(expressions_.refuse(offset_of(token), what));
  }

  // Reads what ends a SELECT, or the rows of two SELECTs.
  Status read_end(Tree body) {
    PENSTOCK_TRY(read_order(body["sortClause"]));
    PENSTOCK_TRY(read_optional(body["limitCount"], select_.limit));
    return read_optional(body["limitOffset"], select_.offset);
  }

  // ORDER BY and LIMIT behind a set operation are those of a SELECT of all its rows.
  Status read_set(Tree body) {
    static constexpr struct {
      std::string_view name, token;
      SetKind kind;
    } forms[] = {{"SETOP_UNION", "union", SetKind::unite},
                 {"SETOP_INTERSECT", "intersect", SetKind::intersect},
                 {"SETOP_EXCEPT", "except", SetKind::except}};
    auto set = std::make_shared<SetOperation>();
    for (const auto& form : forms) {
      if (form.name != body["op"].text()) continue;
      set->kind = form.kind;
      set->offset = place_of_set(form.token, body["rarg"]);
    }
    set->all = body["all"].boolean();
    const int level = expressions_.level();
    PENSTOCK_ASSIGN(set->left, read_subquery(context_, body["larg"], level));
    PENSTOCK_ASSIGN(set->right, read_subquery(context_, body["rarg"], level));
    for (const auto& side : {set->left, set->right}) {
      context_.parts.push_back(side);
      select_.is_refused |= side->is_refused;
    }
    Select rows;
    const std::int64_t offset = set->offset;
    rows.set = std::move(set);
    return read_behind(body, std::move(rows), offset);
  }

  // Reads the lists of VALUES.
  Status read_values(Tree body) {
    Select rows;
    const std::int64_t offset = expressions_.place_of_select(body);
    for (std::size_t i = 0; i < body["valuesLists"].size(); i++) {
      const Tree items = body["valuesLists"].at(i).as("List")["items"];
      std::vector<SyntaxPtr>& list = rows.values.emplace_back();
      for (std::size_t k = 0; k < items.size(); k++) {
        PENSTOCK_ASSIGN(list.emplace_back(), expressions_.read(items.at(k)));
      }
      if (list.size() != rows.values[0].size())
        return expressions_.error(list.empty() ? offset : list[0]->offset,
                                  "VALUES lists must all be the same length");
    }
    return read_behind(body, std::move(rows), offset);
  }

  // Takes rows as they are, or SELECT * FROM them where more clauses stand behind.
  Status read_behind(Tree body, Select rows, std::int64_t offset) {
    if (!body["sortClause"] && !body["limitCount"] && !body["limitOffset"]) {
      select_.set = std::move(rows.set);
      select_.values = std::move(rows.values);
      return {};
    }
    FromTable all;
    all.offset = offset;
    all.subquery = std::make_shared<const Select>(std::move(rows));
    select_.from.push_back(std::move(all));
    select_.items.push_back(
        {make_syntax(SyntaxKind::star, expressions_.place_of_select(body), ""), ""});
    return read_end(body);
  }

  // Returns the place of the word before the right side.
  std::int64_t place_of_set(std::string_view word, Tree right) const {
    const std::int64_t place = expressions_.place_of_select(right);
    const Token* select = lexed_.at(place);
    const Token* found = select == nullptr ? nullptr : token_before(lexed_, *select, word);
    return found == nullptr ? place : found->offset;
  }

  Status read_with(Tree with) {
    const Tree tables = with["ctes"];
    const bool is_recursive = with["recursive"].boolean();
    if (tables.size() > max_common_tables)
      return error_at(lexed_.statement, offset_of("with"), Code::capacity,
                      "WITH defines more than " + std::to_string(max_common_tables) + " names");
    for (std::size_t i = 0; i < tables.size(); i++) {
      const Tree table = tables.at(i).as("CommonTableExpr");
      PENSTOCK_TRY(expressions_.passed(read_common_table(table, is_recursive)));
    }
    return {};
  }

  Status read_common_table(Tree table, bool is_recursive) {
    CommonTable read;
    read.is_recursive = is_recursive;
    const Token* token = lexed_.at(table.location());
    read.name = token == nullptr ? std::string(table["ctename"].text()) : value_of(lexed_, *token);
    read.offset = table.location();
    for (const CommonTable& before : select_.with)
      if (lower(before.name) == lower(read.name))
        return expressions_.error(read.offset, "WITH defines \"" + read.name + "\" twice");
    const Tree body = table["ctequery"].as("SelectStmt");
    if (!body) return expressions_.refuse(read.offset, "WITH of a statement other than SELECT");
    PENSTOCK_ASSIGN(read.select, expressions_.nested(body, read.offset));
    read.columns =
        expressions_.column_names(read.offset, table["ctename"].text(), table["aliascolnames"]);
    select_.with.push_back(std::move(read));
    return {};
  }

  void refuse_clauses(Tree body) {
    static constexpr struct {
      const char *field, *token, *what;
    } parts[] = {{"intoClause", "into", "SELECT INTO"},
                 {"lockingClause", "for", "FOR UPDATE or the like"}};
    for (const auto& part : parts)
      if (body[part.field]) refuse(part.token, part.what);
    if (body["limitOption"].text() == "LIMIT_OPTION_WITH_TIES") refuse("ties", "WITH TIES");
    if (body["groupDistinct"].boolean()) refuse("group", "GROUP BY DISTINCT");
  }

  Status read_distinct(Tree keys) {
    const bool is_on = keys && keys.at(0).kind() != "";
    select_.distinct = keys && !is_on;
    select_.distinct_offset = offset_of("distinct");
    for (std::size_t i = 0; is_on && i < keys.size(); i++) {
      PENSTOCK_ASSIGN(select_.distinct_on.emplace_back(), expressions_.read(keys.at(i)));
    }
    return {};
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
    static constexpr std::string_view words[] = {"from",    "where",  "group", "having",   "window",
                                                 "qualify", "order",  "limit", "offset",   "fetch",
                                                 "union",   "except", "into",  "intersect"};
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

  // Tells whether a HAVING of the tree was written as QUALIFY: it stands before the expression,
  // which may be in parentheses.
  bool is_qualify(Tree having) const {
    const auto behind =
        std::ranges::lower_bound(lexed_.tokens, first_location(having), {},
                                 [](const Token& token) { return std::int64_t{token.offset}; });
    int depth = 0;
    for (auto at = behind - lexed_.tokens.begin(); having && at-- > 0;) {
      const Token& token = lexed_.tokens[static_cast<std::size_t>(at)];
      if (is_symbol(lexed_, token, ")")) depth++;
      if (is_symbol(lexed_, token, "(") && depth > 0) depth--;
      if (depth > 0) continue;
      if (is_keyword_token(lexed_, token, "having")) return false;
      if (std::ranges::find(lexed_.qualify, token.offset) != lexed_.qualify.end()) return true;
    }
    return false;
  }

  Status read_group(Tree keys) {
    select_.groups_by_all = keys.size() == 1 && is_all(keys.at(0));
    if (select_.groups_by_all) return {};
    return read_grouping(expressions_, keys, select_);
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
  ReadContext& context_;
  ExpressionReader expressions_;
  Select& select_;
};

}  // namespace

std::int64_t ExpressionReader::offset_of(std::string_view text) const {
  for (std::size_t i = lexed_.form.first; i < lexed_.form.end; i++)
    if (lower(lexed_.text(lexed_.tokens[i])) == text) return lexed_.tokens[i].offset;
  return 0;
}

std::int64_t ExpressionReader::place_of_select(Tree select) const {
  while (select["larg"]) select = select["larg"];
  if (select["valuesLists"]) return place_of_values(select["valuesLists"]);
  const Tree item = select["targetList"].at(0).as("ResTarget");
  const Token* token = item ? lexed_.at(item.location()) : nullptr;
  if (token == nullptr) return offset_of("select");
  const Token* word = token_before(lexed_, *token, "select");
  return word == nullptr ? token->offset : word->offset;
}

std::int64_t ExpressionReader::place_of_values(Tree lists) const {
  const std::int64_t item = first_location(lists.at(0).as("List")["items"].at(0));
  const Token* token = lexed_.at(item);
  const Token* word = token == nullptr ? nullptr : token_before(lexed_, *token, "values");
  return word == nullptr ? std::max<std::int64_t>(item, 0) : word->offset;
}

std::vector<std::string> ExpressionReader::column_names(std::int64_t place, std::string_view name,
                                                        Tree folded) const {
  const auto is_meant = [&](std::size_t at, std::string_view meant) {
    return at < lexed_.form.end &&
           lower(value_of(lexed_, lexed_.tokens[at])).starts_with(lower(meant));
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < folded.size(); i++)
    names.emplace_back(folded.at(i).as("String")["sval"].text());
  if (names.empty()) return names;
  const auto behind = std::ranges::lower_bound(
      lexed_.tokens, place, {}, [](const Token& token) { return std::int64_t{token.offset}; });
  auto first = static_cast<std::size_t>(behind - lexed_.tokens.begin());
  for (; first < lexed_.form.end; first++) {
    bool is_list = is_meant(first, name) && is_meant(first + 1, "(");
    for (std::size_t i = 0; is_list && i < names.size(); i++)
      is_list = is_meant(first + 2 + 2 * i, names[i]);
    if (!is_list) continue;
    for (std::size_t i = 0; i < names.size(); i++)
      names[i] = value_of(lexed_, lexed_.tokens[first + 2 + 2 * i]);
    break;
  }
  return names;
}

Result<std::shared_ptr<const Select>> read_subquery(ReadContext& context, Tree body, int level) {
  auto select = std::make_shared<Select>();
  PENSTOCK_TRY(SelectReader(context, *select, level).read_body(body));
  return std::shared_ptr<const Select>(std::move(select));
}

Result<Select> read_select(const Lexed& lexed, Problems& problems,
                           std::span<const std::string> functions, const UserFunctions* users) {
  PENSTOCK_ASSIGN(Parsed parsed, parse(lexed, problems));
  Select select;
  ReadContext context{lexed, problems, functions, users, {}, {}};
  PENSTOCK_TRY(SelectReader(context, select, 0).read(parsed.tree()));
  select.parts = std::move(context.parts);
  select.tables_named = std::move(context.tables_named);
  return select;
}

}  // namespace penstock::sql
