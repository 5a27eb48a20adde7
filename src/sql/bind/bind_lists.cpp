// Computes the rows of VALUES, which are a table in memory. Its columns are col0, col1 and so on.
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

class ListBinder {
 public:
  ListBinder(BindContext& context, const Select& select)
      : context_(context),
        select_(select),
        names_(context.lexed, context.problems, no_select_, no_tables_) {}

  Result<RelationId> bind() {
    PENSTOCK_TRY(find_types());
    std::vector<std::vector<Scalar>> columns(types_.size());
    for (const std::vector<SyntaxPtr>& list : select_.values) PENSTOCK_TRY(compute(list, columns));
    Table table;
    table.row_count = select_.values.size();
    for (std::size_t i = 0; i < columns.size(); i++) {
      table.names.push_back("col" + std::to_string(i));
      table.columns.push_back(column_of(type_of_column(i), columns[i]));
    }
    return context_.relations.scan(table_source(std::move(table), "values"));
  }

 private:
  // NULL alone is of type INTEGER.
  Type type_of_column(std::size_t column) const {
    return types_[column].value_or(type_of<std::int32_t>());
  }

  Status find_types() {
    types_.resize(select_.values[0].size());
    Failures failures(context_.problems);
    for (const std::vector<SyntaxPtr>& list : select_.values)
      for (std::size_t i = 0; i < list.size(); i++)
        if (!failures.pass(add_type(*list[i], types_[i]))) return failures.status();
    return failures.status();
  }

  Status add_type(const Syntax& syntax, std::optional<Type>& type) {
    if (syntax.kind == SyntaxKind::null) return {};
    Builder builder{Schema()};
    PENSTOCK_ASSIGN(const NodeId node, ExpressionBinder(names_, builder, "VALUES").value(syntax));
    const Type own = builder.type(node);
    const std::optional<Type> both = type ? type_of_both(*type, own) : own;
    if (!both)
      return names_.error(syntax.offset, Code::invalid,
                          "a column of VALUES is " + name_of(*type) + " and " + name_of(own));
    type = both;
    return {};
  }

  Status compute(const std::vector<SyntaxPtr>& list, std::vector<std::vector<Scalar>>& columns) {
    Builder builder{Schema()};
    std::vector<NodeId> roots;
    for (std::size_t i = 0; i < list.size(); i++) {
      PENSTOCK_ASSIGN(const NodeId node,
                      ExpressionBinder(names_, builder, "VALUES").value(*list[i]));
      const Result<NodeId> cast = list[i]->kind == SyntaxKind::null
                                      ? builder.literal(Scalar::null_of(type_of_column(i)))
                                      : cast_to(builder, node, type_of_column(i));
      if (!cast.ok()) return names_.at(*list[i], cast.status());
      roots.push_back(*cast);
    }
    const std::vector<Evaluated> found = evaluate(*builder.graph(), roots, {});
    for (std::size_t i = 0; i < found.size(); i++) {
      if (found[i].fault != Code::ok)
        return fault_status(*builder.graph(), found[i].fault_node, found[i].fault, {});
      columns[i].push_back(found[i].value);
    }
    return {};
  }

  BindContext& context_;
  const Select& select_;
  const Select no_select_ = {};
  const Scope no_tables_ = {};
  Names names_;
  std::vector<std::optional<Type>> types_;
};

}  // namespace

Result<RelationId> bind_lists(BindContext& context, const Select& select) {
  return ListBinder(context, select).bind();
}

}  // namespace penstock::sql
