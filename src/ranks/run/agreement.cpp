#include "ranks/run/agreement.hpp"

#include "base/hash.hpp"
#include "codec/pages/paged_table.hpp"
#include "ranks/wire/wire.hpp"

namespace penstock::ranks {
namespace {

std::string text_of_sources(const Plan& plan) {
  std::string text;
  for (StepId id = 0; id < plan.size(); id++) {
    const Step& step = plan.step(id);
    if (step.kind != StepKind::source || !step.source) continue;
    const auto rows = step.source->row_count();
    text += step.source->describe() + ": " + (rows ? std::to_string(*rows) : "unknown") + " rows";
    for (const Field& field : step.schema) text += ", " + field.name + " " + name_of(field.type);
    text += "\n";
  }
  return text;
}

// Values are put one by one: the padding of structs differs between ranks.
class PlanWriter {
 public:
  void put(const Plan& plan) {
    to_.put<std::uint64_t>(plan.size());
    for (StepId id = 0; id < plan.size(); id++) put(plan.step(id));
  }
  MessageBytes take() { return to_.take(); }

 private:
  void put(const Step& step) {
    to_.put(step.kind);
    put_all(step.inputs, [&](StepId input) { to_.put(input); });
    put_all(step.schema, [&](const Field& field) { put(field); });
    to_.put(step.graph != nullptr);
    if (step.graph) put(*step.graph);
    to_.put(step.predicate);
    put_all(step.projections, [&](const Projection& projection) {
      to_.put_text(projection.name), to_.put(projection.root);
    });
    put_all(step.aggregates, [&](const AggregateCall& call) { put(call); });
    put_all(step.sort_keys, [&](const SortKey& key) { put(key); });
    to_.put(step.limit), to_.put(step.offset);
    put(step.window);
    put(step.unnesting);
    to_.put(step.join_kind), to_.put(step.left_columns), to_.put(step.right_columns);
    put_all(step.join_keys, [&](const JoinKey& key) { to_.put(key.left), to_.put(key.right); });
  }

  void put(const Graph& graph) {
    to_.put<std::uint64_t>(graph.size());
    for (NodeId id = 0; id < graph.size(); id++) {
      const Node& node = graph.at(id);
      to_.put(node.op), put(node.type), to_.put(node.nullable), to_.put(node.payload);
      put_all(node.inputs, [&](NodeId input) { to_.put(input); });
    }
    put_all(graph.parameters, [&](const Scalar& value) { put(value); });
    put_all(graph.custom_functions, [&](const std::shared_ptr<const CustomFunction>& function) {
      to_.put_text(function->name), to_.put_text(function->body);
    });
  }

  void put(const AggregateCall& call) {
    to_.put(call.function), to_.put(call.argument), to_.put_text(call.name);
    to_.put(call.of_rounded_sum), to_.put(call.distinct), to_.put(call.custom != nullptr);
    if (!call.custom) return;
    to_.put_text(call.custom->name), to_.put_text(call.custom->body), put(call.custom->neutral);
  }

  void put(const Unnesting& unnesting) {
    for (const auto* const columns : {&unnesting.kept, &unnesting.lists})
      put_all(*columns, [&](std::uint32_t column) { to_.put(column); });
    to_.put(unnesting.is_numbered);
  }
  void put(const Window& window) {
    put_all(window.partition, [&](std::uint32_t column) { to_.put(column); });
    put_all(window.order, [&](const SortKey& key) { put(key); });
    put_all(window.calls, [&](const WindowCall& call) {
      to_.put(call.function), to_.put(call.column), to_.put(call.frame), to_.put(call.distance);
      to_.put_text(call.name);
      to_.put(call.otherwise.has_value()), to_.put(call.otherwise.value_or(0));
      to_.put(call.ignores_nulls), to_.put(call.ends.has_value());
      if (call.ends) put(call.ends->first), put(call.ends->last), to_.put(call.ends->excluded);
    });
  }
  void put(const FrameEnd& end) {
    to_.put(end.kind), to_.put(end.offset), to_.put(end.is_before);
    to_.put(end.column.has_value()), to_.put(end.column.value_or(0));
  }

  void put(const Scalar& value) {
    put(value.type), to_.put(value.is_null), to_.put(value.integer), to_.put(value.real);
    to_.put_text(value.text);
  }
  void put(const Field& field) {
    to_.put_text(field.name), put(field.type), to_.put(field.nullable);
  }
  void put(const SortKey& key) {
    to_.put(key.column), to_.put(key.descending), to_.put(key.nulls_first);
  }
  void put(const Type& type) {
    to_.put(type.kind), to_.put(type.precision), to_.put(type.scale);
    to_.put_text(type.logical == LogicalType::none ? "" : name_of(type));
  }

  template <class Values, class Put> void put_all(const Values& values, const Put& put_one) {
    to_.put<std::uint64_t>(values.size());
    for (const auto& value : values) put_one(value);
  }

  WireWriter to_;
};

MessageBytes bytes_of_cuts(const std::vector<plan::Cut>& cuts) {
  WireWriter to;
  for (const plan::Cut& cut : cuts) to.put(cut.step), to.put(cut.base), to.put(cut.row_limit);
  return to.take();
}

// Shares end where row groups do.
MessageBytes bytes_of_row_groups(const Plan& plan, const std::vector<plan::Cut>& cuts) {
  WireWriter to;
  for (const plan::Cut& cut : cuts) {
    const auto table = plan.step(cut.base).source->pages();
    to.put(table != nullptr);
    if (!table) continue;
    const std::span<const std::uint64_t> first_rows = table->first_rows();
    to.put<std::uint64_t>(first_rows.size());
    to.put_bytes(first_rows.data(), first_rows.size_bytes());
  }
  return to.take();
}

void put_hash(WireWriter& to, const MessageBytes& bytes) {
  const Hash128 hash = content_hash(std::span<const std::byte>(bytes));
  to.put_bytes(&hash, sizeof hash);
}

}  // namespace

MessageBytes bytes_to_agree_on(const Plan& plan, const std::vector<plan::Cut>& cuts,
                               const RunOptions& options) {
  WireWriter to;
  to.put_text(text_of_sources(plan));
  PlanWriter steps;
  steps.put(plan);
  put_hash(to, steps.take());
  put_hash(to, bytes_of_row_groups(plan, cuts));
  put_hash(to, bytes_of_cuts(cuts));
  to.put(options.fast_math);
  return to.take();
}

Status compare_with_first(const MessageBytes& of_rank, const MessageBytes& of_first) {
  if (of_rank == of_first) return {};
  WireReader here(of_rank), first(of_first);
  const std::string tables = here.get_text(), first_tables = first.get_text();
  if (tables != first_tables)
    return {Code::invalid,
            "it sees other tables than rank 0:\n" + tables + "and rank 0:\n" + first_tables};
  const auto differs = [&] { return here.get<Hash128>() != first.get<Hash128>(); };
  if (differs()) return {Code::invalid, "it has another statement than rank 0"};
  if (differs())
    return {Code::invalid, "it sees files with other row groups than rank 0:\n" + tables};
  if (differs())
    return {Code::invalid, "it sees files with other statistics than rank 0:\n" + tables};
  return {Code::invalid, "it has another setting of fast math than rank 0"};
}

}  // namespace penstock::ranks
