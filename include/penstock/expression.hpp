// Typed expressions: a hash-consed graph of operations on the columns of one row.
//
// C++ lambdas (trace.hpp) and SQL build the same graph through Builder, which owns the promotion
// table, the NULL rules and the error messages. Nodes are type-exact: Builder inserts every cast,
// so a kernel emitter and the host interpreter only see inputs of the types an operation states.
// The semantics follow DuckDB 2.0:
//
// - NULL: an operation is NULL if an input is, except and_/or_ (Kleene), is_null, select (a NULL
// condition takes the
//   second branch), coalesce, and least/greatest (NULLs are skipped).
// - Integers and decimals never wrap: overflow, division by zero in integer_divide and modulo, and
// a cast out of range are
//   faults. A fault flows with its value like NULL does and ends the query only if the value
//   reaches a result, a predicate or an aggregate of a row that passed the filters. A NULL value
//   never carries a fault. and_/or_: an input that decides alone (FALSE for and_) hides the other's
//   fault; otherwise the first fault wins over NULL. select and coalesce carry the faults of the
//   inputs they looked at. With several faults, the first input counts.
// - Floats: IEEE arithmetic; comparison is a total order with NaN equal to NaN and above infinity,
// -0.0 equal to 0.0.
// - Casts from float to integer round half to even; between decimals, and from decimal to integer,
// half away from zero.
//
//     Builder b({{"price", {Kind::float32}, false}});
//     PENSTOCK_ASSIGN(NodeId price, b.column("price"));
//     PENSTOCK_ASSIGN(NodeId twice, b.binary(Op::multiply, price, b.literal(Scalar::of(2))));
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/status.hpp"

namespace penstock {

using Int128 = __int128;

// One value: in `integer` for integers, dates, timestamps, decimals and booleans; in `real` for
// floats; in `text` for strings.
struct Scalar {
  Type type;
  bool is_null = false;
  Int128 integer = 0;
  double real = 0;  // a float32 is held exactly
  std::string text;

  static Scalar null_of(Type type) {
    Scalar s;
    s.type = type;
    s.is_null = true;
    return s;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static Scalar of(T value) {
    Scalar s;
    s.type = type_of<T>();
    if constexpr (std::is_floating_point_v<T>)
      s.real = value;
    else
      s.integer = value;
    return s;
  }
  static Scalar of(Type type, Int128 integer) {
    Scalar s;
    s.type = type;
    s.integer = integer;
    return s;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static Scalar of(Type type, T value) {
    if constexpr (std::is_floating_point_v<T>)
      return of(type, static_cast<double>(value));
    else
      return of(type, static_cast<Int128>(value));
  }
  static Scalar of(Type type, double real) {
    Scalar s;
    s.type = type;
    s.real = real;
    return s;
  }
  static Scalar of(std::string text) { return of(Type{Kind::string}, std::move(text)); }
  static Scalar of(Type type, std::string text) {  // strings, and what is packed as one
    Scalar s;
    s.type = type;
    s.text = std::move(text);
    return s;
  }
};
std::string text_of(const Scalar& value);  // as results print it: "1.10", "1998-12-01", "NULL"

using NodeId = std::uint32_t;

enum class Op : unsigned char {
  column,     // payload: index into the row's schema
  parameter,  // payload: index into Graph::parameters; a literal or captured scalar, an argument of
              // the kernel
  // arithmetic: both inputs and the result have one type (integer, float, decimal;
  // decimals may differ in precision, which is capped at 18, or 38: beyond it is a fault)
  add,
  subtract,        // also date32 with int32 -> date32, and date32 - date32 -> int64
  multiply,        // decimal: scales add up
  divide,          // float32 or float64 only
  integer_divide,  // integers, truncates; zero divisor: fault
  modulo,  // sign of the dividend; integers and decimals: zero divisor is a fault; floats: fmod
  negate,
  absolute,
  // bits: integers
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,  // second input has the type of the first; left: a bit lost or a negative input is a
                // fault
  // comparison: both inputs of one type, or decimals, int64 and uint64 in any mixture and of any
  // scales (compared by value); boolean result. Strings: equal and not_equal only
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  and_,
  or_,
  not_,
  is_null,
  select,  // inputs: boolean, then, else
  coalesce,
  least,
  greatest,  // two or more inputs of one type
  cast,      // to the node's type
  // functions of one float32 or float64; floor to truncate also of a decimal, with a result of
  // scale 0
  square_root,
  floor,
  ceiling,
  round,  // round: half away from zero
  truncate,
  exponential,
  logarithm,
  logarithm10,
  sine,
  cosine,
  tangent,
  power,  // two float64
  // parts of a date32 or timestamp, int64 result; of an infinite one: a fault
  year,
  quarter,
  month,
  day,
  day_of_week /* Sunday 0 */,
  iso_day_of_week,
  day_of_year,
  week,  // ISO 8601's, as iso_year
  iso_year,
  year_week,  // iso_year * 100 + week
  decade,
  century,
  millennium,
  era,  // 0 before the year 1, otherwise 1
  hour,
  minute,
  second,
  millisecond,  // with the seconds
  microsecond,  // with the seconds
  // the start of what a timestamp lies in, a timestamp; an infinite one stays
  start_of_millennium,
  start_of_century,
  start_of_decade,
  start_of_year,
  start_of_iso_year,
  start_of_quarter,
  start_of_month,
  start_of_week,  // Monday
  start_of_day,
  start_of_hour,
  start_of_minute,
  start_of_second,
  start_of_millisecond,
  epoch_microseconds,  // of a timestamp since 1970, int64
  require,             // a boolean; FALSE is a fault
  // 128 bits (int128, wide decimals) as halves that aggregates read: int64, uint64; and again
  high_half,
  low_half,
  from_halves,  // high and low half, or sums of them, both int128; to the node's type
  custom,       // payload: index into Graph::custom_functions
};
std::string_view name_of(Op op);

struct Node {
  Op op = Op::column;
  Type type;
  bool nullable = false;
  std::uint32_t payload = 0;
  std::vector<NodeId> inputs;
  bool operator==(const Node&) const = default;
};

// A scalar function given as Kernel C and as C++: the emitter prints `body` as a function's body
// over `parameter_names`
// (`return x * x;`), the interpreter calls `host`. Not called for a NULL input: the result is then
// NULL. Without a body it is a function of strings, which the host computes for a column's strings
// (expr/string_functions.hpp).
struct CustomFunction {
  std::string name;  // a C identifier
  std::vector<std::string> parameter_names;
  std::vector<Type> parameter_types;  // fixed-width types
  Type result_type;
  std::string body;
  std::function<Scalar(std::span<const Scalar>)> host;
};

// A reduction by the user: `body` is Kernel C that combines `a` and `b` of `type` ("return a > b ?
// a : b;").
struct CustomReduction {
  std::string name;
  Type type;
  Scalar neutral;  // combine(neutral, x) == x
  std::string body;
  std::function<Scalar(const Scalar&, const Scalar&)> host;
  bool associative = false, commutative = false;  // both are needed; Plan::reduce refuses otherwise
};

// The origin of a parameter. A literal is SQL's: its type adapts to the other side if its value
// fits (tinyint + 1 is TINYINT), a literal NULL takes any type, and operations on literals alone
// are computed once by Builder. A fixed parameter is a literal that has found its type. A captured
// scalar keeps its type, and equal ones stay apart, so that new values never change a kernel's
// source.
enum class ParameterOrigin : unsigned char { literal, fixed, captured };

// The position in the user's statement or program that a node came from, for faults and type
// errors.
struct Site {
  std::int32_t offset = -1;
  std::string text;
  bool is_message = false;  // the text is the whole error of a fault
};

class Graph {
 public:
  // Equal nodes get equal ids. Inputs must exist already. `nullable` is read for columns only, and
  // derived for the rest.
  NodeId add(Node node);
  NodeId parameter(Scalar value, ParameterOrigin origin = ParameterOrigin::fixed);
  std::uint32_t custom(
      const std::shared_ptr<const CustomFunction>& function);  // its index, the payload of a call
  const Node& at(NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  // Copies `root` of another graph into this one and replaces its column i by columns[i]; steps
  // fuse by it.
  NodeId import(const Graph& from, NodeId root, std::span<const NodeId> columns);
  // Copies one node that is not a column; its input i is copies[i] here.
  NodeId import_node(const Graph& from, NodeId id, std::span<const NodeId> copies);

  std::vector<Scalar> parameters;
  std::vector<ParameterOrigin> parameter_origins;  // beside parameters
  std::vector<std::uint64_t>
      parameter_identities;  // beside parameters: tells captured scalars apart, through import too
  std::vector<std::shared_ptr<const CustomFunction>> custom_functions;
  std::unordered_map<NodeId, Site> sites;

 private:
  std::vector<Node> nodes_;
  std::unordered_multimap<std::size_t, NodeId> index_;
};
// "((price * 2) > 1000)"; columns by the schema's names.
std::string text_of(const Graph& graph, NodeId root, const Schema& schema);
// Tells whether evaluating the node can end in a fault (so that an emitter tracks it).
bool can_fault(const Graph& graph, NodeId node);

// Returns the error that ends a query when `node` faults with `code`: "division by zero in (a //
// b)".
Status fault_status(const Graph& graph, NodeId node, Code code, const Schema& schema);

// Builds type-exact nodes over a schema. Errors name the operation and the types: "cannot add
// VARCHAR and INTEGER".
class Builder {
 public:
  explicit Builder(Schema schema, std::shared_ptr<Graph> graph = std::make_shared<Graph>());

  Result<NodeId> column(std::string_view name);  // the error lists the nearest names
  NodeId column(std::uint32_t index);
  NodeId literal(Scalar value);   // of a SQL statement: its type adapts, see ParameterOrigin
  NodeId captured(Scalar value);  // a scalar of the program: keeps its type
  // Functions (square_root, exponential...) of any number are DOUBLE, as in SQL; floor, ceiling,
  // round and truncate keep float types; round and truncate keep integers, floor and ceiling make
  // them DOUBLE; decimals lose their scale.
  Result<NodeId> unary(Op op, NodeId input);
  // The same after a cast to `type`: how C++'s sqrt(float) stays a float32.
  Result<NodeId> unary_as(Op op, NodeId input, Type type);
  Result<NodeId> binary(Op op, NodeId left,
                        NodeId right);  // arithmetic, bits, comparison, and_, or_, power
  Result<NodeId> cast(NodeId input, Type type);
  Result<NodeId> select(NodeId condition, NodeId then, NodeId otherwise);
  // Chooses the value of the first condition that is true. There is one value more than conditions:
  // it is chosen if none is true.
  Result<NodeId> first_true(std::span<const NodeId> conditions, std::vector<NodeId> values);
  Result<NodeId> variadic(Op op, std::vector<NodeId> inputs);  // coalesce, least, greatest
  Result<NodeId> custom(std::shared_ptr<const CustomFunction> function, std::vector<NodeId> inputs);
  // Calls a function of strings by its name in string_functions(): like, lower, substring... A call
  // with constants alone is computed at once.
  Result<NodeId> string_function(std::string_view name, std::vector<NodeId> inputs);
  // Casts a string. One that is not of the type is a fault, or NULL with `is_try`.
  Result<NodeId> string_cast(NodeId input, Type type, bool is_try);
  // Joins halves of 128 bits: int128 or a wide decimal.
  Result<NodeId> from_halves(NodeId high, NodeId low, Type type);
  // Returns TRUE, or the fault `message` where the condition is FALSE.
  Result<NodeId> require(NodeId condition, std::string message);
  // Writes a date or timestamp as text: strftime. The format is checked.
  Result<NodeId> date_format(NodeId input, std::string format);
  // Casts a value of any type to a string, as results print it.
  Result<NodeId> cast_to_string(NodeId input);

  const Schema& schema() const { return schema_; }
  const std::shared_ptr<Graph>& graph() const { return graph_; }
  const Type& type(NodeId id) const { return graph_->at(id).type; }

 private:
  Result<NodeId> with_fault(std::string_view name, NodeId call, std::vector<NodeId> inputs);

  Schema schema_;
  std::shared_ptr<Graph> graph_;
};
// Returns the type that both sides are cast to before comparison and in select; an error if
// there is none. Arithmetic may be wider: see promotion.cpp.
Result<Type> common_type(Type a, Type b);

// A value, or why there is none.
struct Evaluated {
  Scalar value;
  Code fault = Code::ok;
  NodeId fault_node = 0;
};
// Evaluates every root for one row: the host reference. Returns faults beside the values, as a
// kernel does.
std::vector<Evaluated> evaluate(const Graph& graph, std::span<const NodeId> roots,
                                std::span<const Scalar> row);
Scalar scalar_at(const Column& column, std::uint64_t row);
// Builds a column of `type` from scalars (each NULL or of that type).
Column column_of(Type type, std::span<const Scalar> values);

}  // namespace penstock
