// Types and values against DuckDB 2.0. expression_duckdb.py asks DuckDB for the expected values and
// writes them to expression_duckdb.hpp; these tests need no DuckDB. Three departures are ours, and
// are stated here: a decimal that DuckDB gives 19 to 38 digits has 18 (more digits are a fault);
// HUGEINT and INTERVAL are refused; and NaN prints without a sign.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "host/expr/expression_duckdb.hpp"
#include "penstock/expression.hpp"

namespace penstock {
namespace {

Type type_from(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(Kind::int128); k++)
    if (const Type type{static_cast<Kind>(k)}; type.kind != Kind::decimal && name == name_of(type))
      return type;
  EXPECT_EQ(name.substr(0, 8), "DECIMAL(") << name;
  const std::size_t comma = name.find(',');
  return Type::decimal(std::stoi(std::string(name.substr(8))),
                       std::stoi(std::string(name.substr(comma + 1))));
}

// Numbers as SQL types them: 1 INTEGER or BIGINT or wider, 1.50 DECIMAL(3,2), 1e3 DOUBLE.
Scalar number_from(const std::string& text) {
  if (text.find('e') != std::string::npos) return Scalar::of(std::strtod(text.c_str(), nullptr));
  Int128 value = 0;
  int scale = 0, digits = 0;
  bool after_point = false;
  for (char c : text) {
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    value = value * 10 + (c - '0');
    digits++;
    scale += after_point;
  }
  if (text[0] == '-') value = -value;
  if (after_point) {
    if (digits > 18)
      return Scalar::of(std::strtod(
          text.c_str(), nullptr));  // DuckDB's DECIMAL(19..38), which only casts meet here
    return Scalar::of(Type::decimal(digits, scale), value);
  }
  if (value > INT64_MAX) return Scalar::of(Type{Kind::uint64}, value);
  return Scalar::of(Type{value >= INT32_MIN && value <= INT32_MAX ? Kind::int32 : Kind::int64},
                    value);
}

Scalar date_from(const std::string& text) {
  const auto part = [&](std::size_t at, std::size_t size) {
    return std::stoll(text.substr(at, size));
  };
  std::int64_t days = 0;
  for (std::int64_t year = 1970; year < part(0, 4); year++)
    days += year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
  EXPECT_EQ(text.substr(4, 6), "-12-01");
  days += 334 + (part(0, 4) % 4 == 0 ? 1 : 0);
  if (text.size() == 10) return Scalar::of(Type{Kind::date32}, days);
  const std::int64_t seconds = part(11, 2) * 3600 + part(14, 2) * 60 + part(17, 2);
  return Scalar::of(Type{Kind::timestamp}, (days * 86400 + seconds) * 1000000 + part(20, 3) * 1000);
}

Scalar column_value(const DuckColumn& column) {
  const Type type = type_from(column.type);
  const std::string text = column.value;
  if (type.kind == Kind::boolean) return Scalar::of(true);
  if (type.kind == Kind::string) return Scalar::of(text);
  if (type.kind == Kind::date32 || type.kind == Kind::timestamp) return date_from(text);
  Scalar value = number_from(text);
  if (is_float(type)) return Scalar::of(type, std::strtod(text.c_str(), nullptr));
  for (int scale = value.type.scale; scale < type.scale; scale++) value.integer *= 10;
  return Scalar::of(type, value.integer);
}

struct DuckRow {
  Schema schema;
  std::vector<Scalar> values;
};
DuckRow duck_row() {
  DuckRow row;
  for (const DuckColumn& column : duck_columns) {
    row.schema.push_back({column.name, type_from(column.type), false});
    row.values.push_back(column_value(column));
  }
  return row;
}

// Reads "(add t 1)" into a builder.
class Reader {
 public:
  Reader(Builder& builder, std::string text) : builder_(builder), text_(std::move(text)) {}

  Result<NodeId> read() {
    if (text_[at_] != '(') return leaf(word());
    at_++;
    const std::string name = word();
    Result<NodeId> result = name == "cast" ? read_cast() : read_operation(name);
    if (at_ < text_.size() && text_[at_] == ')') at_++;
    skip();
    return result;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') at_++;
  }
  std::string word() {
    std::string result;
    int depth = 0;  // DECIMAL(4,2) is one word
    for (; at_ < text_.size() && (depth > 0 || (text_[at_] != ' ' && text_[at_] != ')')); at_++) {
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
      result += text_[at_];
    }
    skip();
    return result;
  }

  Result<NodeId> leaf(const std::string& text) {
    if (text == "NULL") return builder_.literal(Scalar::null_of({Kind::int32}));
    if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))
      return builder_.literal(number_from(text));
    return builder_.column(text);
  }

  Result<NodeId> read_cast() {
    const Type type = type_from(word());
    PENSTOCK_ASSIGN(const NodeId input, read());
    return builder_.cast(input, type);
  }

  Result<NodeId> read_operation(const std::string& name) {
    std::vector<NodeId> inputs;
    while (at_ < text_.size() && text_[at_] != ')') {
      PENSTOCK_ASSIGN(const NodeId input, read());
      inputs.push_back(input);
    }
    Op op = Op::column;
    for (int o = 0; o <= static_cast<int>(Op::custom); o++)
      if (name_of(static_cast<Op>(o)) == name) op = static_cast<Op>(o);
    EXPECT_NE(op, Op::column) << name;
    if (op == Op::select) return builder_.select(inputs[0], inputs[1], inputs[2]);
    if (op == Op::coalesce || op == Op::least || op == Op::greatest)
      return builder_.variadic(op, inputs);
    return inputs.size() == 1 ? builder_.unary(op, inputs[0])
                              : builder_.binary(op, inputs[0], inputs[1]);
  }

  Builder& builder_;
  std::string text_;
  std::size_t at_ = 0;
};

std::string expected_type(const std::string& duck) {
  if (duck.substr(0, 8) == "DECIMAL(" && std::stoi(duck.substr(8)) > 18)
    return "DECIMAL(18" + duck.substr(duck.find(','));
  return duck == "HUGEINT" || duck == "INTERVAL" ? "REFUSED" : duck;
}

TEST(DuckDB, TypesOfEveryPairOfColumnTypesAreEqual) {
  for (const DuckMatrix& matrix : duck_matrices) {
    std::string_view types = matrix.types;
    for (const DuckColumn& right : duck_columns) {
      const std::string duck(types.substr(0, types.find(' ')));
      types.remove_prefix(std::min(types.size(), duck.size() + 1));
      const std::string text =
          std::string("(") + matrix.op + " " + matrix.left + " " + right.name + ")";
      Builder builder(duck_row().schema);
      const Result<NodeId> node = Reader(builder, text).read();
      // DuckDB reads numbers out of strings at run time; strings meet only strings here, to be
      // compared or chosen.
      const bool with_string =
          std::string_view(matrix.left) == "st" || std::string_view(right.name) == "st";
      const std::string_view op = matrix.op;
      const std::string expected = with_string && op != "equal" && op != "coalesce" ? "REFUSED"
                                   : with_string && std::string_view(matrix.left) != right.name
                                       ? "REFUSED"
                                       : expected_type(duck);
      EXPECT_EQ(node.ok() ? name_of(builder.type(*node)) : "REFUSED", expected)
          << text << " in DuckDB: " << duck;
    }
  }
}

TEST(DuckDB, TypesValuesAndFaultsAreEqual) {
  const DuckRow row = duck_row();
  for (const DuckValue& duck : duck_values) {
    Builder builder(row.schema);
    const Result<NodeId> node = Reader(builder, duck.expression).read();
    const std::string type = expected_type(duck.type);
    if (type == "REFUSED") {
      EXPECT_FALSE(node.ok()) << duck.expression;
      continue;
    }
    ASSERT_TRUE(node.ok()) << duck.expression << ": " << node.status().text();
    const Evaluated result = evaluate(*builder.graph(), {&*node, 1}, row.values)[0];
    if (type == "FAULT") {
      EXPECT_EQ(name_of(result.fault), duck.value) << duck.expression;
      continue;
    }
    EXPECT_EQ(result.fault, Code::ok) << duck.expression;
    EXPECT_EQ(name_of(builder.type(*node)), type) << duck.expression;
    std::string expected = duck.value ? duck.value : "NULL";
    if (expected == "-nan") expected = "nan";
    EXPECT_EQ(text_of(result.value), expected) << duck.expression;
  }
}

}  // namespace
}  // namespace penstock
