#include "expr/trace_step.hpp"

#include "expr/operation.hpp"

namespace penstock {
namespace {

bool takes_one(Op op) {
  return op == Op::is_null || op == Op::not_ || op == Op::negate || op == Op::absolute ||
         op == Op::bit_not || expr::is_rounding(op) || expr::is_date_part(op) ||
         expr::is_date_start(op) || op == Op::epoch_microseconds || op == Op::require;
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name)
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

}  // namespace

void Trace::fail(Status status) {
  if (status_.ok()) status_ = status.with("in the " + step_);
}

Result<NodeId> Trace::node_of(const traced::Operand& operand) {
  if (operand.scalar) return builder_.captured(*operand.scalar);
  if (operand.node.trace.get() != this)
    return Status(
        Code::invalid,
        operand.node.trace
            ? "a value of another step is used; a lambda computes with its own row only"
            : "a column is used that belongs to no row; take it from the lambda's parameter");
  return operand.node.id;
}

TracedNode Trace::keep(Result<NodeId> node, Type promised, bool nullable) {
  const std::shared_ptr<Trace> self = shared_from_this();
  if (!node.ok()) {
    fail(node.status());
    return {self, 0};
  }
  const Node& made = builder_.graph()->at(*node);
  if (!(made.type == promised) || (made.nullable && !nullable))
    fail(Status(Code::internal, std::string(name_of(made.op)) + " is " + name_of(made.type) +
                                    (made.nullable ? " with NULL" : "") +
                                    ", and the lambda's static type " + name_of(promised)));
  return {self, *node};
}

Result<NodeId> Trace::build(Op op, std::vector<NodeId> inputs, Type promised) {
  if (expr::is_arithmetic_or_bits(op))
    for (NodeId& input : inputs)
      if (const Type type = builder_.type(input); !(traced::promoted(type) == type)) {
        PENSTOCK_ASSIGN(input, builder_.cast(input, traced::promoted(type)));
      }
  if (takes_one(op)) return builder_.unary(op, inputs[0]);
  if (expr::row_of(op).kind == expr::OperationKind::function)
    return builder_.unary_as(op, inputs[0], promised);
  if (op == Op::cast) return builder_.cast(inputs[0], promised);
  if (op == Op::select) return builder_.select(inputs[0], inputs[1], inputs[2]);
  if (op == Op::coalesce || op == Op::least || op == Op::greatest)
    return builder_.variadic(op, std::move(inputs));
  return builder_.binary(op, inputs[0], inputs[1]);
}

TracedNode Trace::combine(Op op, std::initializer_list<traced::Operand> inputs, Type promised,
                          bool nullable) {
  std::vector<NodeId> ids;
  for (const traced::Operand& input : inputs) {
    Result<NodeId> id = node_of(input);
    if (!id.ok()) fail(id.status());
    if (!status_.ok()) return {shared_from_this(), 0};
    ids.push_back(*id);
  }
  return keep(build(op, std::move(ids), promised), promised, nullable);
}

TracedNode Trace::call(const std::shared_ptr<const CustomFunction>& function,
                       std::initializer_list<traced::Operand> inputs, bool nullable) {
  bool is_named_well = is_identifier(function->name);
  for (const std::string& name : function->parameter_names)
    is_named_well = is_named_well && is_identifier(name);
  if (!is_named_well)
    fail(Status(Code::invalid, "custom function '" + function->name +
                                   "': its name and its parameters' must be C identifiers"));
  std::vector<NodeId> ids;
  for (const traced::Operand& input : inputs) {
    Result<NodeId> id = node_of(input);
    if (!id.ok()) fail(id.status());
    if (!status_.ok()) return {shared_from_this(), 0};
    ids.push_back(*id);
  }
  return keep(builder_.custom(function, std::move(ids)), function->result_type, nullable);
}

TracedNode Trace::bind(std::string_view name, Type type, bool nullable) {
  const std::shared_ptr<Trace> self = shared_from_this();
  const std::string declared = "Col<\"" + std::string(name) + "\", ...>",
                    column = "column '" + std::string(name) + "'";
  Result<NodeId> node = builder_.column(name);
  if (!node.ok()) {
    fail(node.status());
    return {self, 0};
  }
  const Field& field = schema()[builder_.graph()->at(*node).payload];
  if (!field.unsupported.empty())
    fail(Status(Code::unsupported, column + " is of the type " + field.unsupported +
                                       ", which Penstock does not read"));
  else if (!(field.type == type))
    fail(Status(Code::invalid, column + " is " + name_of(field.type) + ", and " + declared +
                                   " declares " + name_of(type)));
  else if (field.nullable && !nullable)
    fail(Status(Code::invalid, column + " may hold NULL, and " + declared + " declares " +
                                   name_of(type) + " without NULL; declare opt<...>"));
  return {self, *node};
}

TracedNode Trace::column(std::uint32_t index, Type type, bool nullable) {
  const std::shared_ptr<Trace> self = shared_from_this();
  if (!status_.ok()) return {self, 0};
  if (index >= schema().size()) {
    fail(Status(Code::internal, "the row has no column " + std::to_string(index)));
    return {self, 0};
  }
  return keep(builder_.column(index), type, nullable);
}

std::shared_ptr<const Graph> Trace::finish() {
  Graph& graph = *builder_.graph();
  for (NodeId id = 0; id < graph.size(); id++)
    if (!graph.at(id).inputs.empty() && can_fault(graph, id))
      graph.sites[id] = {-1, text_of(graph, id, schema()) + " in the " + step_};
  return builder_.graph();
}

namespace traced {
namespace {

thread_local std::shared_ptr<Trace> bound_trace;
thread_local ListingColumns* listing = nullptr;

std::shared_ptr<Trace> trace_of(std::initializer_list<Operand> inputs) {
  for (const Operand& input : inputs)
    if (input.node.trace) return input.node.trace;
  return nullptr;
}

}  // namespace

TracedNode combine(Op op, std::initializer_list<Operand> inputs, Type promised, bool nullable) {
  const std::shared_ptr<Trace> trace = trace_of(inputs);
  return trace ? trace->combine(op, inputs, promised, nullable) : TracedNode();
}

TracedNode call(const std::shared_ptr<const CustomFunction>& function,
                std::initializer_list<Operand> inputs, bool nullable) {
  const std::shared_ptr<Trace> trace = trace_of(inputs);
  return trace ? trace->call(function, inputs, nullable) : TracedNode();
}

TracedNode bind_column(std::string_view name, Type type, bool nullable) {
  return bound_trace ? bound_trace->bind(name, type, nullable) : TracedNode();
}

void list_column(std::string_view name, const TracedNode& node) {
  if (listing) listing->columns.push_back({std::string(name), Operand(node)});
}

BindingRow::BindingRow(const std::shared_ptr<Trace>& trace)
    : outer_(std::exchange(bound_trace, trace)) {}
BindingRow::~BindingRow() { bound_trace = std::move(outer_); }
ListingColumns::ListingColumns() : outer_(std::exchange(listing, this)) {}
ListingColumns::~ListingColumns() { listing = outer_; }

TracedNode column_at(const std::shared_ptr<Trace>& trace, std::uint32_t index, Type type,
                     bool nullable) {
  return trace->column(index, type, nullable);
}

}  // namespace traced
}  // namespace penstock
