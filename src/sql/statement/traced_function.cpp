#include "sql/statement/traced_function.hpp"

#include <array>
#include <vector>

#include "base/exception_boundary.hpp"
#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "plan/schema_source.hpp"
#include "sql/bind/bind_own.hpp"

namespace penstock::sql {
namespace {

// The expression of a plan's one column, over the columns of its one source.
class RowExpression {
 public:
  RowExpression(const Plan& plan, const Schema& columns) : plan_(plan), columns_(columns) {}

  Result<NodeId> root(StepId rows) {
    PENSTOCK_ASSIGN(const std::vector<NodeId> roots, roots_of(rows));
    if (roots.size() != 1) return Status(Code::invalid, "a function has one result");
    return roots[0];
  }
  const std::shared_ptr<Graph>& graph() const { return columns_.graph(); }

 private:
  Result<std::vector<NodeId>> roots_of(StepId id) {
    const Step& step = plan_.step(id);
    std::vector<NodeId> roots;
    if (step.kind == StepKind::source) {
      for (const Field& field : step.schema) {
        PENSTOCK_ASSIGN(roots.emplace_back(), columns_.column(field.name));
      }
      return roots;
    }
    if (step.kind != StepKind::map)
      return Status(Code::unsupported, "a function that is no expression of its parameters");
    PENSTOCK_ASSIGN(const std::vector<NodeId> inputs, roots_of(step.inputs[0]));
    for (const Projection& projection : step.projections)
      roots.push_back(columns_.graph()->import(*step.graph, projection.root, inputs));
    return roots;
  }

  const Plan& plan_;
  Builder columns_;
};

EmissionNames names_of(const Graph& graph, const Schema& parameters) {
  EmissionNames names;
  names.value = [&](std::uint32_t column) { return parameters[column].name; };
  names.valid = [](std::uint32_t) { return std::string(); };
  names.parameter = [&](std::uint32_t index) {
    return plan::constant_literal(graph.parameters[index]);
  };
  names.parameter_valid = [&](std::uint32_t index) {
    return std::string(graph.parameters[index].is_null ? "0u" : "");
  };
  return names;
}

Result<std::string> body_of(const std::string& name, const Graph& graph, NodeId root,
                            const Schema& parameters) {
  PENSTOCK_ASSIGN(const Emission made, emit(graph, std::array{root}, names_of(graph, parameters)));
  const Emission::Root& value = made.roots[0];
  const std::string text = text_of(graph, root, parameters);
  if (value.fault != "0u")
    return Status(Code::unsupported, name + ": a value of " + text +
                                         " can be outside its type, which Kernel C cannot tell; "
                                         "floating-point numbers have no such limit");
  if (value.valid != "1u")
    return Status(Code::unsupported,
                  name + ": " + text + " can be NULL, which no function returns");
  return made.statements + "  return " + value.value + ";";
}

Result<CustomFunction> traced(std::string name, std::string_view statement, Schema parameters) {
  CustomFunction function;
  for (Field& field : parameters) {
    field.nullable = false;
    function.parameter_names.push_back(field.name);
    function.parameter_types.push_back(field.type);
  }
  Plan plan;
  const auto open = [&](const TableReference&) -> Result<std::shared_ptr<TableSource>> {
    return plan::schema_source(parameters);
  };
  PENSTOCK_ASSIGN(const OwnSql bound, bind_own(statement, plan, open));
  RowExpression expression(plan, parameters);
  PENSTOCK_ASSIGN(const NodeId root, expression.root(bound.bound.rows));
  const std::shared_ptr<const Graph> graph = expression.graph();
  PENSTOCK_ASSIGN(function.body, body_of(name, *graph, root, parameters));
  function.name = std::move(name);
  function.result_type = graph->at(root).type;
  function.host = [graph, root](std::span<const Scalar> row) {
    return evaluate(*graph, std::array{root}, row)[0].value;
  };
  return function;
}

}  // namespace

Result<CustomFunction> traced_function(std::string name, std::string_view statement,
                                       Schema parameters) {
  return catch_exceptions(
      [&] { return traced(std::move(name), statement, std::move(parameters)); });
}

}  // namespace penstock::sql
