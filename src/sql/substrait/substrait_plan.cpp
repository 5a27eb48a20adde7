#include "sql/substrait/substrait_plan.hpp"

#include "sql/substrait/plan_bytes.hpp"
#include "sql/substrait/substrait_reader.hpp"

namespace penstock::sql {
namespace {

SubstraitPlan header_of(const Tree& plan) {
  SubstraitPlan header;
  header.is_datafusion = plan["version"]["producer"].text() == "datafusion";
  const Tree extensions = plan["extensions"];
  for (std::size_t i = 0; i < extensions.size(); i++)
    if (const Tree function = extensions.at(i)["extensionFunction"])
      header.functions[number_of(function["functionAnchor"])] = function["name"].text();
  return header;
}

// The last root is the result: relations before it may be those that it refers to.
Result<Tree> root_of_plan(const Tree& relations) {
  Tree root;
  for (std::size_t i = 0; i < relations.size(); i++) {
    if (!relations.at(i)["root"]) continue;
    if (root) return Status(Code::unsupported, "several results of one plan are not supported");
    root = relations.at(i)["root"];
  }
  if (!root) return Status(Code::invalid, "the plan has no root");
  return root;
}

}  // namespace

bool is_substrait(const Tree& plan) { return static_cast<bool>(plan["relations"]); }

Result<StepId> bind_substrait(const Tree& plan, Plan& steps, const TableOpener& open) {
  PENSTOCK_ASSIGN(const Tree root, root_of_plan(plan["relations"]));
  const Lexed no_statement;
  Problems problems(no_statement.statement);
  RelationGraph relations;
  SubstraitReader reader(no_statement, relations, header_of(plan), plan["relations"], open,
                         problems);
  const Result<SubstraitRows> rows = reader.read(root["input"]);
  problems.pass(rows.status());
  PENSTOCK_TRY(problems.status());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < root["names"].size(); i++)
    names.emplace_back(root["names"].at(i).text());
  PENSTOCK_ASSIGN(const RelationId result, reader.with_stated_types(*rows, names));
  PENSTOCK_TRY(problems.status());
  return lower(relations, result, steps);
}

Result<StepId> bind_substrait_bytes(std::string_view bytes, Plan& steps, const TableOpener& open) {
  PENSTOCK_ASSIGN(const nlohmann::json plan, decode_plan(bytes));
  return bind_substrait(Tree(&plan), steps, open);
}

}  // namespace penstock::sql
