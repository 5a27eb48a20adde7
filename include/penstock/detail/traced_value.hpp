// The values of traced lambdas: each has a static type and stands for a node of a Graph.
//
// A Value<T> knows its type T, and whether it may be NULL (Value<opt<T>>), at compile time; what it
// stands for is one node of the step's Graph. Col<"name", T> is a Value that finds its column in
// the row by name:
//
//     struct Row { Col<"price", float> price; Col<"quantity",
//         opt<std::int32_t>> quantity; Col<"shipped", date> shipped; };
//
// T is bool, an integer of 8 to 64 bits, float, double, date, timestamp, decimal<P, S> with up to
// 18 digits, or str.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "penstock/detail/value_type.hpp"

namespace penstock {

// The graph under construction while a step's lambda runs. The first error stays; what comes after
// it does nothing.
class Trace;

// The node that a Value stands for.
struct TracedNode {
  std::shared_ptr<Trace> trace;  // null outside a trace: using such a value is an error of the step
  NodeId id = 0;
};

// T: canonical, maybe opt. Copies refer to the same node.
template <class T> class Value : public TracedNode {
 public:
  using traced_type = T;
  Value() = default;
  template <std::same_as<TracedNode> Node>  // exactly: a Value is a TracedNode too
  explicit Value(Node node) : TracedNode(std::move(node)) {}
  // Converts T to opt<T>.
  template <class U>
    requires std::same_as<opt<U>, T>
  Value(const Value<U>& value) : TracedNode(value) {}

  // Refuses uses that need the value during tracing. The message says what to write instead.
  template <class U>
    requires std::is_arithmetic_v<U>
  operator U() const {
    static_assert(!std::same_as<U, bool> || traced::never<U>,
                  "use select(condition, a, b): a traced value is not known while tracing");
    static_assert(std::same_as<U, bool> || traced::never<U>,
                  "a traced value has no number while tracing: keep it in 'auto', or convert it "
                  "with cast<T>(x)");
    return U();
  }

  auto has_value() const;                                  // not NULL
  template <class U> auto value_or(const U& other) const;  // coalesce(*this, other)
};

namespace traced {

template <class T>
consteval auto traced_type_of() {  // of a Value (or Col) its T, of a scalar the canonical type
  if constexpr (requires { typename T::traced_type; })
    return std::type_identity<typename T::traced_type>();
  else
    return std::type_identity<canonical_t<T>>();
}
template <class T> using type_behind = typename decltype(traced_type_of<std::decay_t<T>>())::type;

template <class T>
concept Traced = std::derived_from<std::decay_t<T>, TracedNode> &&
                 requires { typename std::decay_t<T>::traced_type; };
template <class T>
concept Usable =
    Traced<T> || !std::is_void_v<type_behind<T>>;  // a traced value or a scalar that can become one

template <class T> inline constexpr Type type_v = type_of_value<type_behind<T>>();
template <class T> inline constexpr bool nullable_v = is_opt<type_behind<T>>;
template <class... T> inline constexpr bool any_nullable = (nullable_v<T> || ...);

// An input of an operation: a node, or a scalar that becomes a parameter.
class Operand {
 public:
  template <Usable T> Operand(const T& value) {
    if constexpr (Traced<T>)
      node = value;
    else
      scalar = scalar_of(value);
  }
  explicit Operand(TracedNode from) : node(std::move(from)) {}
  TracedNode node;
  std::optional<Scalar> scalar;
};

// Adds an operation to the trace its traced inputs belong to. Integers narrower than 32 bits are
// promoted first if `op` is arithmetic. The node must get the type that the lambda's static
// types promised; anything else is an error of the trace.
TracedNode combine(Op op, std::initializer_list<Operand> inputs, Type promised, bool nullable);
TracedNode call(const std::shared_ptr<const CustomFunction>& function,
                std::initializer_list<Operand> inputs, bool nullable);

// Returns the column of a Col while a row is constructed, otherwise no node.
TracedNode bind_column(std::string_view name, Type type, bool nullable);
// Notes every copy of a Col. The members of a row are listed by copying the row.
void list_column(std::string_view name, const TracedNode& node);

// One output of a lambda. The name is empty if the lambda gave none.
struct Output {
  std::string name;
  Operand value;
};

// ---- for the duration of a scope, on this thread: columns of a row struct find their nodes; or a
// copied row names its columns ----

class BindingRow {
 public:
  explicit BindingRow(const std::shared_ptr<Trace>& trace);
  ~BindingRow();
  BindingRow(const BindingRow&) = delete;

 private:
  std::shared_ptr<Trace> outer_;
};
class ListingColumns {
 public:
  ListingColumns();
  ~ListingColumns();
  ListingColumns(const ListingColumns&) = delete;
  std::vector<Output> columns;

 private:
  ListingColumns* outer_;
  friend void list_column(std::string_view name, const TracedNode& node);
};

// Returns the input's column by its index. Its type is known from the step before.
TracedNode column_at(const std::shared_ptr<Trace>& trace, std::uint32_t index, Type type,
                     bool nullable);

}  // namespace traced

template <FixedString name, class T> class Col : public Value<traced::canonical_t<T>> {
  using Type_ = traced::canonical_t<T>;
  static_assert(
      !std::is_void_v<Type_>,
      "Col: this type is not supported; use bool, an integer of 8 to 64 bits, float, double, date, "
      "timestamp, decimal<P, S>, str, or opt<...> of these");

 public:
  Col()
      : Value<Type_>(traced::bind_column(name.view(), traced::type_of_value<Type_>(),
                                         traced::is_opt<Type_>)) {}
  Col(const Col& other) : Value<Type_>(other) { traced::list_column(name.view(), *this); }
  Col& operator=(const Col&) = default;
  // Sets a column of the struct that a map's lambda returns.
  template <class U>
  Col(const Value<U>& value) : Value<Type_>(static_cast<const TracedNode&>(value)) {
    static_assert(traced::type_of_value<U>() == traced::type_of_value<Type_>(),
                  "Col: the value has another type than the column; write cast<T>(x)");
    static_assert(
        !traced::is_opt<U> || traced::is_opt<Type_>,
        "Col: the value may be NULL; declare the column opt<T>, or write coalesce(x, value)");
  }
};

}  // namespace penstock
