// A table of every type, and binding a statement over it.
#pragma once
#include <memory>
#include <string>

#include "penstock/sql.hpp"

namespace penstock::sql_test {

class NoRows : public TableSource {
 public:
  explicit NoRows(Schema schema) : schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return 0; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "binding must not read");
  }
  std::string describe() const override { return "t"; }

 private:
  Schema schema_;
};

// As in record_duckdb.py, each column nullable.
inline Schema every_type() {
  return {{"b", {Kind::boolean}, true},        {"i8", {Kind::int8}, true},
          {"i16", {Kind::int16}, true},        {"i32", {Kind::int32}, true},
          {"i64", {Kind::int64}, true},        {"u8", {Kind::uint8}, true},
          {"u32", {Kind::uint32}, true},       {"u64", {Kind::uint64}, true},
          {"f", {Kind::float32}, true},        {"d", {Kind::float64}, true},
          {"dt", {Kind::date32}, true},        {"ts", {Kind::timestamp}, true},
          {"m", Type::decimal(15, 2), true},   {"s", {Kind::string}, true},
          {"Mixed Case", {Kind::int32}, true}, {"Price", {Kind::float32}, true}};
}

// The same with columns of types that are not read.
inline Schema every_column() {
  Schema schema = every_type();
  schema.push_back({"zoned", {}, true, "TIMESTAMP WITH TIME ZONE"});
  schema.push_back({"bytes", {}, true, "BLOB"});
  return schema;
}

struct Bound {
  Plan plan;
  Result<StepId> result = Status(Code::internal, "not bound");
  std::string opened;  // what the opener was asked for
  BoundSql form;
};

inline Bound bind_statement(std::string_view statement) {
  Bound bound;
  const auto outcome = penstock::bind_statement(
      statement, bound.plan,
      [&](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
        const std::string name = table.text();
        bound.opened = name;
        if (name == "missing" || name == "missing.parquet")
          return Status(Code::io, "no file '" + name + "'");
        return std::shared_ptr<TableSource>(
            std::make_shared<NoRows>(name == "unread" ? every_column() : every_type()));
      });
  if (outcome.ok()) bound.form = *outcome;
  bound.result = outcome.ok() ? Result<StepId>(outcome->rows) : outcome.status();
  return bound;
}

inline std::string steps_of(const Bound& bound) {
  std::string text;
  for (StepId id = *bound.result;; id = bound.plan.step(id).inputs[0]) {
    text = std::string(name_of(bound.plan.step(id).kind)) + (text.empty() ? "" : " > ") + text;
    if (bound.plan.step(id).inputs.empty()) return text;
  }
}

inline std::string columns_of(const Bound& bound) {
  std::string text;
  for (const Field& field : bound.plan.step(*bound.result).schema)
    text += (text.empty() ? "" : "; ") + field.name + " " + name_of(field.type);
  return text;
}

// The last step of a kind; the statement must have bound and hold one.
inline const Step& last_step(const Bound& bound, StepKind kind) {
  StepId id = *bound.result;
  while (bound.plan.step(id).kind != kind) id = bound.plan.step(id).inputs[0];
  return bound.plan.step(id);
}

// "((i8 + 1) > 2)": the predicate of the statement's filter, columns by name.
inline std::string predicate_of(const Bound& bound) {
  const Step& filter = last_step(bound, StepKind::filter);
  return text_of(*filter.graph, filter.predicate, filter.schema);
}

}  // namespace penstock::sql_test
