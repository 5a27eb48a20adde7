// The columns of a relation that stands for an operator of DuckDB's plan.
//
// DuckDB plans over stand-ins of tables: views over range(first, last). A stand-in's column is
// try_cast(concat('p3:', range) AS type), with the number of the table's column in it. No file is
// opened by DuckDB, and it knows how many rows each table has.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/relation.hpp"
#include "sql/duckdb/plan_json.hpp"

namespace penstock::sql {

// The first row number of the stand-in of table i is (i + 1) * stand_in_rows. Tables have fewer
// rows.
constexpr std::int64_t stand_in_rows = 1'000'000'000'000;
constexpr std::int64_t first_row_of(std::size_t table) {
  return (static_cast<std::int64_t>(table) + 1) * stand_in_rows;
}
std::string stand_in_mark(std::uint32_t column);  // "p3:"

// The meaning of a column of the plan in the relation.
struct PlanColumn {
  enum class Kind : unsigned char {
    value,
    row_number,  // of a stand-in
    row_text,    // the row number as text
    marked       // the text with the mark of a column
  };
  Kind kind = Kind::value;
  std::uint32_t column = 0;       // value: of the relation; marked: of the table
  std::uint32_t first = 0;        // of a stand-in: where its table's columns begin in the relation
  const Schema* table = nullptr;  // of a stand-in: the columns of its table
  // The name of the column where a plan has not found its place: below a table function.
  std::int64_t table_index = -1, column_index = -1;

  // Returns the column of the relation with its values; nullopt for a row number.
  std::optional<std::uint32_t> place() const {
    if (kind == Kind::value) return column;
    const bool is_text = kind == Kind::marked && penstock::is_text((*table)[column].type);
    return is_text ? std::optional(first + column) : std::nullopt;
  }
  // Returns why there is no such place.
  Status unread() const;
  PlanColumn moved(std::uint32_t by) const {
    PlanColumn result = *this;
    (kind == Kind::value ? result.column : result.first) += by;
    return result;
  }
};

struct PlanRows {
  RelationId relation = 0;
  std::vector<PlanColumn> columns;
};

// Gives the columns that an operator makes the names that the plan has for them.
void name_columns(const Tree& plan, std::vector<PlanColumn>& columns);

// Returns the column that an expression over stand-ins means; nullopt for any other expression.
std::optional<PlanColumn> column_meant(const Tree& expression,
                                       const std::vector<PlanColumn>& columns);

}  // namespace penstock::sql
