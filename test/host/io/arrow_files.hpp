// Parquet files of every physical type, written by Arrow with the properties asked for.
#pragma once
#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <memory>
#include <string>

namespace penstock::test {

// Appends `row_count` values, `value(row)`; every fifth one is NULL where `nulls`.
template <class Builder, class Value>
std::shared_ptr<arrow::Array> arrow_array(Builder&& builder, std::int64_t row_count, bool nulls,
                                          const Value& value) {
  for (std::int64_t row = 0; row < row_count; row++)
    EXPECT_TRUE((nulls && row % 5 == 2 ? builder.AppendNull() : builder.Append(value(row))).ok());
  return builder.Finish().ValueOrDie();
}

inline std::shared_ptr<arrow::Table> physical_types(std::int64_t rows, bool nulls) {
  const auto pool = arrow::default_memory_pool();
  const auto mixed = [](std::int64_t row) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15u >> 40);
  };
  const auto time = [&](arrow::TimeUnit::type unit) {
    return arrow::TimestampBuilder(arrow::timestamp(unit), pool);
  };
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns{
      {"flag", arrow_array(arrow::BooleanBuilder(), rows, nulls,
                           [&](std::int64_t row) { return mixed(row) % 3 == 0; })},
      {"i32", arrow_array(arrow::Int32Builder(), rows, nulls,
                          [&](std::int64_t row) { return static_cast<int>(mixed(row)); })},
      {"i64", arrow_array(arrow::Int64Builder(), rows, nulls,
                          [&](std::int64_t row) { return mixed(row) << 20; })},
      {"f32", arrow_array(arrow::FloatBuilder(), rows, nulls,
                          [&](std::int64_t row) { return static_cast<float>(mixed(row)); })},
      {"f64", arrow_array(arrow::DoubleBuilder(), rows, nulls,
                          [&](std::int64_t row) { return static_cast<double>(mixed(row)); })},
      {"money", arrow_array(arrow::Decimal128Builder(arrow::decimal128(12, 2)), rows, nulls,
                            [&](std::int64_t row) { return arrow::Decimal128(mixed(row)); })},
      {"millis", arrow_array(time(arrow::TimeUnit::MILLI), rows, nulls, mixed)},
      {"nanos", arrow_array(time(arrow::TimeUnit::NANO), rows, nulls, mixed)},
      {"text", arrow_array(arrow::StringBuilder(), rows, nulls, [&](std::int64_t row) {
         return "text " + std::to_string(mixed(row) % 50);
       })}};
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type(), nulls));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(fields), arrays, rows);
}

inline void write_by_arrow(const std::string& path, const arrow::Table& table,
                           std::int64_t group_rows,
                           parquet::WriterProperties::Builder& properties) {
  auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  const auto status =
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, group_rows,
                                 properties.build(), parquet::default_arrow_writer_properties());
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(sink->Close().ok());
}

}  // namespace penstock::test
