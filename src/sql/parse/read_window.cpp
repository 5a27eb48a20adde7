// Reads OVER and WINDOW: partition, order and frame.
#include "sql/parse/read_select.hpp"

namespace penstock::sql {
namespace {

// PostgreSQL's frameOptions.
constexpr std::int64_t option_written = 0x1, range = 0x2, rows = 0x4, groups = 0x8,
                       start_unbounded_preceding = 0x20, end_unbounded_following = 0x100,
                       end_current_row = 0x400, exclusions = 0x8000 | 0x10000 | 0x20000;

}  // namespace

Result<OrderItem> ExpressionReader::order_item(Tree node, SyntaxPtr value) {
  const Tree key = node.as("SortBy");
  const std::string_view direction = key["sortby_dir"].text(), nulls = key["sortby_nulls"].text();
  if (direction == "SORTBY_USING") return refuse(key.location(), "ORDER BY ... USING");
  OrderItem item;
  if (value) {
    item.value = std::move(value);
  } else {
    PENSTOCK_ASSIGN(item.value, read(key["node"]));
  }
  item.descending = direction == "SORTBY_DESC";
  item.nulls_first = nulls == "SORTBY_NULLS_FIRST";  // DuckDB puts NULLs last either way
  item.shown = direction == "SORTBY_DESC" ? " DESC" : direction == "SORTBY_ASC" ? " ASC" : "";
  item.shown += nulls == "SORTBY_NULLS_FIRST"  ? " NULLS FIRST"
                : nulls == "SORTBY_NULLS_LAST" ? " NULLS LAST"
                                               : "";
  return item;
}

Status ExpressionReader::define_windows(Tree windows) {
  for (std::size_t i = 0; i < windows.size(); i++) {
    const Tree definition = windows.at(i).as("WindowDef");
    const std::string name(definition["name"].text());
    auto defined = window(definition);
    PENSTOCK_TRY(passed(defined.status()));
    if (!windows_.emplace(name, defined.ok() ? *defined : nullptr).second)
      return error(definition.location(), "window \"" + name + "\" is already defined");
  }
  return {};
}

Result<std::shared_ptr<const WindowSyntax>> ExpressionReader::named_window(
    std::string_view name, std::int64_t offset) const {
  const auto found = windows_.find(name);
  if (found != windows_.end() && found->second == nullptr) return Problems::known();
  if (found != windows_.end()) return found->second;
  return error(offset, "window \"" + std::string(name) + "\" does not exist; WINDOW " +
                           std::string(name) + " AS (...) defines one");
}

// Reads (...), or (name ...), which extends another window.
Result<std::shared_ptr<const WindowSyntax>> ExpressionReader::window(Tree definition) {
  const std::int64_t offset = definition.location();
  auto result = std::make_shared<WindowSyntax>();
  if (definition["refname"]) {
    PENSTOCK_ASSIGN(const auto base, named_window(definition["refname"].text(), offset));
    *result = *base;
    if (definition["partitionClause"] || !result->frame_text.empty() ||
        (definition["orderClause"] && !result->order.empty()))
      return error(offset,
                   "a window that extends another one can add an order and a frame, where that one "
                   "has none");
  }
  for (std::size_t i = 0; i < definition["partitionClause"].size(); i++) {
    PENSTOCK_ASSIGN(SyntaxPtr key, read(definition["partitionClause"].at(i)));
    result->partition.push_back(std::move(key));
  }
  for (std::size_t i = 0; i < definition["orderClause"].size(); i++) {
    PENSTOCK_ASSIGN(OrderItem item, order_item(definition["orderClause"].at(i)));
    result->order.push_back(std::move(item));
  }
  PENSTOCK_TRY(window_frame(definition, *result));
  return std::shared_ptr<const WindowSyntax>(std::move(result));
}

Status ExpressionReader::window_frame(Tree definition, WindowSyntax& window) const {
  const std::int64_t options = definition["frameOptions"].integer();
  if ((options & option_written) == 0) return {};
  if ((options & exclusions) != 0) return refuse(definition.location(), "EXCLUDE in a frame");
  if ((options & start_unbounded_preceding) == 0 ||
      (options & (end_unbounded_following | end_current_row)) == 0)
    return refuse(definition.location(),
                  "a frame other than UNBOUNDED PRECEDING to CURRENT ROW or UNBOUNDED FOLLOWING");
  const bool is_whole = (options & end_unbounded_following) != 0;
  if ((options & groups) != 0 && window.order.empty())
    return error(definition.location(), "GROUPS needs an ORDER BY");
  window.frame = is_whole                ? WindowFrame::partition
                 : (options & rows) != 0 ? WindowFrame::rows
                                         : WindowFrame::peers;
  if ((options & range) != 0 && !is_whole) return {};  // the default
  const bool is_groups =
      (options & groups) != 0 && !is_whole;  // DuckDB shows every whole frame as one of rows
  window.frame_text = std::string(is_groups ? "GROUPS" : "ROWS") +
                      " BETWEEN UNBOUNDED PRECEDING AND " +
                      (is_whole ? "UNBOUNDED FOLLOWING" : "CURRENT ROW");
  return {};
}

}  // namespace penstock::sql
