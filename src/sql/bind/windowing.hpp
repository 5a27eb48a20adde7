// Binds the window functions of a SELECT's items and ORDER BY, over rows or over groups.
//
// A projection yields the arguments, the keys, and every expression without a window function.
// Windows add their columns to it. The items are bound over those columns, found by their canonical
// text.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "penstock/relation.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

// Returns the function of a name over a window, an aggregate too; nothing where there is none.
std::optional<WindowFunction> window_function_named(std::string_view name);

class Windowing {
 public:
  // `rows` builds over the rows that windows see; `groups` are their columns where they are groups.
  Windowing(Names& names, Builder& rows, const ExpressionBinder::Groups* groups)
      : names_(names), rows_(rows), groups_(groups) {}

  static std::vector<std::string_view> function_names();
  static bool contains_window(const std::vector<SelectItem>& outputs);
  Status bind(const std::vector<SelectItem>& outputs);
  const std::vector<Projection>& projections() const { return projections_; }  // below the windows
  Result<RelationId> add_windows(RelationGraph& relations, RelationId rows);
  // Returns the columns of the last of them.
  const ExpressionBinder::Groups& columns() const { return columns_; }

 private:
  struct Call {
    std::string text;
    WindowCall call;
  };
  struct Pane {
    Window window;
    std::vector<Call> calls;
  };  // of one partition and order

  Status collect(const Syntax& syntax, int depth);
  Status collect_parts(const Syntax& syntax, int depth);
  Result<bool> stands_alone(const Syntax& syntax, int depth);
  std::optional<std::size_t> alias_of(const Syntax& column) const;
  Result<std::uint32_t> column_for(const Syntax& syntax);
  std::uint32_t add_projection(std::string text, const Syntax& syntax, NodeId node);
  Status bind_call(const Syntax& syntax, const std::string& text);
  Status add_call(const Syntax& syntax, const std::string& text);
  Status bind_argument(const Syntax& syntax, WindowCall& call);
  Result<std::uint32_t> filtered_column(const Syntax& syntax);
  Status refuse(const Syntax& syntax, const std::string& what) const {
    return names_.error(syntax.offset, Code::unsupported, not_supported(what));
  }
  Status bind_distance(const Syntax& syntax, WindowCall& call) const;
  Status bind_default(const Syntax& syntax, Type type, WindowCall& call);
  Result<Window> window_of(const WindowSyntax& over);
  Pane& pane_for(Window window);

  Names& names_;
  Builder& rows_;
  const ExpressionBinder::Groups* groups_;
  ExpressionBinder::Groups columns_;
  std::unordered_map<std::string, bool> alone_;  // by canonical text
  std::vector<Projection> projections_;
  std::vector<Pane> panes_;
};

}  // namespace penstock::sql
