// Traces one step's lambda: the graph that it builds, and its first error.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>

#include "penstock/detail/trace.hpp"

namespace penstock {

class Trace : public std::enable_shared_from_this<Trace> {
 public:
  // `step` names the step in errors: "filter at main.cpp:12".
  Trace(Schema schema, std::string step) : builder_(std::move(schema)), step_(std::move(step)) {}

  TracedNode combine(Op op, std::initializer_list<traced::Operand> inputs, Type promised,
                     bool nullable);
  TracedNode call(const std::shared_ptr<const CustomFunction>& function,
                  std::initializer_list<traced::Operand> inputs, bool nullable);
  TracedNode bind(std::string_view name, Type type, bool nullable);
  TracedNode column(std::uint32_t index, Type type, bool nullable);
  // Returns the node of an operation's input or of the lambda's result; a scalar becomes a
  // parameter.
  Result<NodeId> node_of(const traced::Operand& operand);

  void fail(Status status);
  const Status& status() const { return status_; }
  const Schema& schema() const { return builder_.schema(); }
  const std::string& step() const { return step_; }
  // Returns the graph after the lambda; nodes that can fault get their position in the program.
  std::shared_ptr<const Graph> finish();

 private:
  TracedNode keep(Result<NodeId> node, Type promised, bool nullable);
  Result<NodeId> build(Op op, std::vector<NodeId> inputs, Type promised);

  Builder builder_;
  std::string step_;
  Status status_;
};

}  // namespace penstock
