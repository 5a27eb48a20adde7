// Reads FROM, with commas, JOIN ... ON, LEFT JOIN and USING, as a flat list of tables. Inner joins
// may run in any order, so that parentheses need not be kept.
#include "sql/parse/read_select.hpp"

#include <algorithm>

#include "sql/parse/table_function.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t max_tables = 64;

class FromReader {
 public:
  explicit FromReader(ExpressionReader& expressions)
      : expressions_(expressions), lexed_(expressions.lexed()) {}

  Status read(Tree item) {
    std::vector<Tree>
        joins;  // the outermost first; their left sides nest, as deep as there are tables
    for (; item.kind() == "JoinExpr"; item = joins.back()["larg"]) {
      joins.push_back(item.body());
      if (joins.size() > max_tables) return too_many();
    }
    const std::size_t first = tables_.size();
    PENSTOCK_TRY(read_table(item));
    for (std::size_t i = joins.size(); i-- > 0;) PENSTOCK_TRY(read_join(joins[i], first));
    return {};
  }
  std::vector<FromTable> take() { return std::move(tables_); }

  // Returns the offset of the token after the first FROM.
  std::int64_t table_offset() const {
    for (std::size_t i = 0; i + 1 < lexed_.tokens.size(); i++)
      if (is_keyword_token(lexed_, lexed_.tokens[i], "from")) return lexed_.tokens[i + 1].offset;
    return 0;
  }

 private:
  Status too_many() const {
    return error_at(lexed_.statement, table_offset(), Code::capacity,
                    "more than " + std::to_string(max_tables) + " tables");
  }

  // `left_first`: the first table of its left side.
  Status read_join(Tree join, std::size_t left_first) {
    const std::size_t first = tables_.size();
    const bool has_alias = static_cast<bool>(join["alias"]);
    if (has_alias) refuse("join", "an alias of a JOIN");
    PENSTOCK_TRY(read_nested(join["rarg"]));
    FromTable& table = tables_[first];  // not the last one of those in parentheses
    table.is_joined = true;
    table.form = form_of(join["jointype"].text());
    table.is_natural = join["isNatural"].boolean();
    table.is_refused |= has_alias;
    table.join_first = left_first;
    table.join_last = tables_.size() - 1;
    if (join["quals"]) { PENSTOCK_ASSIGN(table.on, expressions_.read(join["quals"])); }
    const Tree columns = join["usingClause"];
    for (std::size_t i = 0; i < columns.size(); i++)
      table.using_columns.emplace_back(columns.at(i).as("String")["sval"].text());
    if (columns.size() > 0 || table.is_natural) refuse_shared_columns(table, first);
    return {};
  }

  static JoinForm form_of(std::string_view type) {
    return type == "JOIN_LEFT"    ? JoinForm::left
           : type == "JOIN_RIGHT" ? JoinForm::right
           : type == "JOIN_FULL"  ? JoinForm::full
                                  : JoinForm::inner;
  }

  // A shared column is the left side's, which a RIGHT or a FULL JOIN may lack.
  void refuse_shared_columns(FromTable& table, std::size_t first) const {
    const std::string_view word = table.is_natural ? "natural" : "using";
    const std::string name = table.is_natural ? "NATURAL JOIN" : "USING";
    std::string with;
    if (table.form == JoinForm::right) with = "a RIGHT JOIN";
    if (table.form == JoinForm::full) with = "a FULL JOIN";
    if (tables_.size() != first + 1) with = "a JOIN in parentheses";
    if (with.empty()) return;
    refuse(word, name + " with " + with);
    table.is_refused = true;
  }

  Status read_nested(Tree item) {
    if (++depth_ > max_tables) return too_many();
    const Status status = read(item);
    depth_--;
    return status;
  }

  void refuse(std::string_view token, std::string_view what) const {
    static_cast<void>(expressions_.refuse(expressions_.offset_of(token), what));
  }

  // Reads a table. A refused one is kept, so that joins behind it are read.
  Status read_table(Tree item) {
    if (tables_.size() == max_tables) return too_many();
    FromTable table;
    const Status status = read_named(item, table);
    table.is_refused |= !status.ok();
    PENSTOCK_TRY(expressions_.passed(status));
    tables_.push_back(std::move(table));
    return {};
  }

  Status read_named(Tree item, FromTable& read) {
    static constexpr struct {
      const char *kind, *token, *what;
    } refused[] = {{"RangeTableSample", "tablesample", "TABLESAMPLE"},
                   {"RangeTableFunc", "from", "a table function"}};
    if (item.kind() == "RangeSubselect") return read_derived(item.body(), read);
    for (const auto& row : refused)
      if (item.kind() == row.kind)
        return expressions_.refuse(expressions_.offset_of(row.token), row.what);
    if (item.kind() == "RangeFunction") return refuse_function(item.body());
    const Tree table = item.as("RangeVar");
    const Token* token = lexed_.at(table.location());
    if (!table || token == nullptr) return expressions_.refuse(table_offset(), "this form of FROM");
    // DuckDB's own schema has the names of this session.
    const std::string schema = lower(table["schemaname"].text());
    const bool is_of_information = schema == information_schema;
    const bool is_known = is_of_information || schema == "main";
    if (is_known) token += table["catalogname"] ? 4 : 2;
    if (!is_known && (table["schemaname"] || table["catalogname"])) {
      const std::string file =
          std::string(table["schemaname"].text()) + "." + std::string(table["relname"].text());
      return expressions_.error(
          token->offset,
          "a table of a schema is unknown here; if a file is meant, write FROM '" + file + "'");
    }
    read.name = value_of(lexed_, *token);
    expressions_.context().tables_named.insert(lower(read.name));
    read.columns = columns_of(token->offset, table["alias"]);
    const auto at = static_cast<std::size_t>(token - lexed_.tokens.data());
    if (is_table_function(lexed_, at)) {
      PENSTOCK_ASSIGN(read.table, read_table_function(lexed_, at));
    } else {
      read.table = read.name;
    }
    read.offset = token->offset;
    read.quoted = token->kind != TokenKind::word || is_table_function(lexed_, at);
    read.alias = std::string(table["alias"]["aliasname"].text());
    if (is_of_information) {
      if (read.alias.empty()) read.alias = read.name;
      read.table = TableReference(schema + "." + lower(read.name));
    }
    for (const char* word : {"asof", "positional", "semi", "anti"})
      if (lower(read.alias) == word && joins_behind(*token, word))
        return expressions_.refuse(token->offset, upper(word) + " JOIN");
    return {};
  }

  // (SELECT ...) [AS] alias [(column, ...)]. DuckDB calls the first one without an alias
  // unnamed_subquery, and the next unnamed_subquery2.
  Status read_derived(Tree derived, FromTable& read) {
    const Tree select = derived["subquery"].as("SelectStmt");
    read.offset = expressions_.place_of_select(select);
    if (derived["lateral"].boolean()) {
      PENSTOCK_TRY(expressions_.read_body(select));
      return expressions_.refuse(expressions_.offset_of("lateral"), "LATERAL");
    }
    PENSTOCK_ASSIGN(read.subquery, expressions_.nested(select, read.offset));
    read.alias = std::string(derived["alias"]["aliasname"].text());
    if (read.alias.empty() || read.alias == unnamed_alias) {
      read.alias = unnamed_alias;
      if (++unnamed_ > 1) read.alias += std::to_string(unnamed_);
    }
    read.columns = columns_of(read.offset, derived["alias"]);
    read.is_refused = read.subquery->is_refused;
    return {};
  }

  std::vector<std::string> columns_of(std::int64_t place, Tree alias) const {
    return expressions_.column_names(place, alias["aliasname"].text(), alias["colnames"]);
  }

  // Tells whether the word follows the table as an alias, without AS, and JOIN follows it.
  bool joins_behind(const Token& table, std::string_view word) const {
    const auto at = static_cast<std::size_t>(&table - lexed_.tokens.data()) + 1;
    return at + 1 < lexed_.form.end && is_keyword_token(lexed_, lexed_.tokens[at], word) &&
           is_keyword_token(lexed_, lexed_.tokens[at + 1], "join");
  }
  static std::string upper(std::string_view word) {
    std::string text(word);
    for (char& c : text) c = static_cast<char>(c - 32);
    return text;
  }

  Status refuse_function(Tree function) const {
    const Tree call = function["functions"].at(0)["List"]["items"].at(0).as("FuncCall");
    const Token* token = lexed_.at(call.location());
    if (!call || token == nullptr) return expressions_.refuse(table_offset(), "a table function");
    return expressions_.refuse_as(token->offset, table_function_not_supported(lexed_.text(*token)));
  }

  ExpressionReader& expressions_;
  const Lexed& lexed_;
  std::vector<FromTable> tables_;
  std::size_t depth_ = 0;
  int unnamed_ = 0;  // derived tables without an alias
};

}  // namespace

Result<std::vector<FromTable>> read_from(ExpressionReader& expressions, Tree from) {
  FromReader reader(expressions);
  for (std::size_t i = 0; i < from.size(); i++) PENSTOCK_TRY(reader.read(from.at(i)));
  return reader.take();
}

}  // namespace penstock::sql
