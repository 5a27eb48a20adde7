// Columns of Parquet files as Arrow arrays in device memory: the values of Arrow's own reader, for
// every type, encoding, compression, version of pages and pattern of NULLs.
#include "on_device/io/array_files.hpp"

#include <filesystem>

#include "kernel_c/host_device.hpp"

namespace penstock::test {
namespace {

using Encodings = parquet::Encoding;
using Codec = parquet::Compression;

enum class NullRows : unsigned char { none, some, runs, all };

bool is_null_row(NullRows nulls, std::int64_t row) {
  return nulls == NullRows::all || (nulls == NullRows::some && row % 5 == 2) ||
         (nulls == NullRows::runs && row / 70 % 3 == 1);
}

std::uint64_t mixed(std::int64_t row) {
  return static_cast<std::uint64_t>(row / 3) * 0x9e3779b97f4a7c15u >> 34;
}

// Few values, each three times in a row, so that indices have runs of both kinds.
std::uint64_t value_of_row(std::int64_t row) { return row < 1500 ? mixed(row) % 97 : mixed(row); }

template <class Builder, class Value>
std::shared_ptr<arrow::Array> built(Builder&& builder, std::int64_t rows, NullRows nulls,
                                    const Value& value) {
  for (std::int64_t row = 0; row < rows; row++)
    EXPECT_TRUE((is_null_row(nulls, row) ? builder.AppendNull() : builder.Append(value(row))).ok());
  return builder.Finish().ValueOrDie();
}

template <class Builder, class T>
std::shared_ptr<arrow::Array> numbers(std::int64_t rows, NullRows nulls) {
  return built(Builder(), rows, nulls,
               [](std::int64_t row) { return static_cast<T>(value_of_row(row) - 40); });
}

std::shared_ptr<arrow::Array> times(arrow::TimeUnit::type unit, std::int64_t rows, NullRows nulls) {
  return built(
      arrow::TimestampBuilder(arrow::timestamp(unit), arrow::default_memory_pool()), rows, nulls,
      [](std::int64_t row) { return static_cast<std::int64_t>(value_of_row(row) * 1000); });
}

// Empty ones, short ones, and some that are longer than what a group copies at once.
std::string string_of_row(std::int64_t row) {
  const std::uint64_t value = value_of_row(row);
  if (value % 7 == 0) return "";
  return std::string(value % 61 == 5 ? 9001 : value % 23, static_cast<char>('a' + value % 26)) +
         (value % 3 == 0 ? "é日😀" : "");
}

std::shared_ptr<arrow::Table> table_of(std::int64_t rows, NullRows nulls) {
  const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns = {
      {"flag", built(arrow::BooleanBuilder(), rows, nulls,
                     [](std::int64_t row) { return value_of_row(row) % 3 == 0; })},
      {"i8", numbers<arrow::Int8Builder, std::int8_t>(rows, nulls)},
      {"u16", numbers<arrow::UInt16Builder, std::uint16_t>(rows, nulls)},
      {"i32", numbers<arrow::Int32Builder, std::int32_t>(rows, nulls)},
      {"i64", numbers<arrow::Int64Builder, std::int64_t>(rows, nulls)},
      {"f32", numbers<arrow::FloatBuilder, float>(rows, nulls)},
      {"f64", numbers<arrow::DoubleBuilder, double>(rows, nulls)},
      {"date", numbers<arrow::Date32Builder, std::int32_t>(rows, nulls)},
      {"money", built(arrow::Decimal128Builder(arrow::decimal128(12, 2)), rows, nulls,
                      [](std::int64_t row) { return arrow::Decimal128(value_of_row(row)); })},
      {"cents", built(arrow::Decimal128Builder(arrow::decimal128(9, 2)), rows, nulls,
                      [](std::int64_t row) {
                        return arrow::Decimal128(static_cast<std::int64_t>(mixed(row) % 900) - 450);
                      })},
      {"millis", times(arrow::TimeUnit::MILLI, rows, nulls)},
      {"micros", times(arrow::TimeUnit::MICRO, rows, nulls)},
      {"nanos", times(arrow::TimeUnit::NANO, rows, nulls)},
      {"text", built(arrow::StringBuilder(), rows, nulls, string_of_row)}};
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type(), nulls != NullRows::none));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(fields), arrays, rows);
}

struct Form {
  NullRows nulls = NullRows::none;
  parquet::ParquetDataPageVersion version = parquet::ParquetDataPageVersion::V1;
  Codec::type codec = Codec::UNCOMPRESSED;
  Encodings::type encoding = Encodings::PLAIN;  // PLAIN_DICTIONARY: dictionaries
  bool has_int96 = false, has_integer_decimals = false;
  std::int64_t rows = 2500;
};

// Gives each column the encoding where its type has it.
void set_encodings(const Form& form, parquet::WriterProperties::Builder& properties) {
  if (form.encoding == Encodings::PLAIN_DICTIONARY) return;
  properties.disable_dictionary();
  std::vector<std::string> columns;
  if (form.encoding == Encodings::RLE) columns = {"flag"};
  if (form.encoding == Encodings::DELTA_BINARY_PACKED)
    columns = {"i8", "u16", "i32", "i64", "date", "millis", "micros"};
  if (form.encoding == Encodings::BYTE_STREAM_SPLIT)
    columns = {"i32", "i64", "f32", "f64", "money", "micros"};
  for (const std::string& column : columns) properties.encoding(column, form.encoding);
}

void write_form(const std::string& path, const Form& form) {
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(900)
      ->write_batch_size(64)
      ->version(parquet::ParquetVersion::PARQUET_2_6)
      ->data_page_version(form.version)
      ->disable_statistics()
      ->compression(form.codec);
  if (form.has_integer_decimals) properties.enable_store_decimal_as_integer();
  set_encodings(form, properties);
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (form.has_int96) arrow_properties.enable_deprecated_int96_timestamps();
  const auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table_of(form.rows, form.nulls),
                                         arrow::default_memory_pool(), sink, 1000,
                                         properties.build(), arrow_properties.build())
                  .ok());
  ASSERT_TRUE(sink->Close().ok());
}

void expect_form(const std::shared_ptr<Device>& device, const Form& form,
                 const DeviceArrayOptions& options = {}) {
  SCOPED_TRACE(testing::Message() << "NULLs " << int(form.nulls) << ", version "
                                  << int(form.version) << ", codec " << form.codec << ", encoding "
                                  << form.encoding);
  const Folder folder;
  ASSERT_NO_FATAL_FAILURE(write_form(folder / "t.parquet", form));
  ASSERT_NO_FATAL_FAILURE(expect_arrays_of_arrow(device, folder / "t.parquet", options));
}

constexpr Encodings::type encodings[] = {Encodings::PLAIN, Encodings::PLAIN_DICTIONARY,
                                         Encodings::RLE, Encodings::DELTA_BINARY_PACKED,
                                         Encodings::BYTE_STREAM_SPLIT};

TEST(DeviceArrays, EveryEncodingWithEveryPatternOfNullsHasArrowsValues) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Encodings::type encoding : encodings)
      for (const NullRows nulls : {NullRows::none, NullRows::some, NullRows::runs, NullRows::all})
        for (const auto version :
             {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2})
          ASSERT_NO_FATAL_FAILURE(
              expect_form(device, {.nulls = nulls, .version = version, .encoding = encoding}));
  });
}

TEST(DeviceArrays, EveryEncodingOfEveryCompressionHasArrowsValues) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Encodings::type encoding : encodings)
      for (const Codec::type codec : {Codec::SNAPPY, Codec::GZIP, Codec::ZSTD, Codec::LZ4})
        for (const NullRows nulls : {NullRows::none, NullRows::some})
          ASSERT_NO_FATAL_FAILURE(
              expect_form(device, {.nulls = nulls, .codec = codec, .encoding = encoding}));
  });
}

TEST(DeviceArrays, TimestampsOf96BitsAndDecimalsOfIntegersHaveArrowsValues) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Encodings::type encoding : {Encodings::PLAIN, Encodings::PLAIN_DICTIONARY})
      for (const NullRows nulls : {NullRows::none, NullRows::some})
        ASSERT_NO_FATAL_FAILURE(expect_form(device, {.nulls = nulls,
                                                     .encoding = encoding,
                                                     .has_int96 = true,
                                                     .has_integer_decimals = true}));
  });
}

TEST(DeviceArrays, OffsetsOf64BitsSayTheSame) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const NullRows nulls : {NullRows::none, NullRows::runs, NullRows::all})
      ASSERT_NO_FATAL_FAILURE(expect_form(device,
                                          {.nulls = nulls, .encoding = Encodings::PLAIN_DICTIONARY},
                                          {.has_large_offsets = true}));
  });
}

TEST(DeviceArrays, RowGroupsBecomeBatchesOfTheRowsAskedFor) {
  const Folder folder;
  write_form(folder / "t.parquet", {.rows = 4500});
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    const auto source = open_table(folder / "t.parquet");
    const auto reader = DeviceArrayReader::open(device, *source, {4}, {.batch_rows = 2000});
    ASSERT_TRUE(reader.ok()) << reader.status().text();
    for (const std::uint64_t rows : {2000u, 2000u, 500u}) {
      const auto arrays = (*reader)->next();
      ASSERT_TRUE(arrays.ok() && *arrays);
      EXPECT_EQ((*arrays)->row_count, rows);
    }
    for (int i = 0; i < 2; i++) {
      const auto none = (*reader)->next();
      ASSERT_TRUE(none.ok());
      EXPECT_FALSE(*none);
    }
    EXPECT_OK(cells_of_device(device, folder / "t.parquet"));
  });
}

TEST(DeviceArrays, AFileWithoutRowsHasNoArrays) {
  on_each_shared([](const std::shared_ptr<Device>& device) { expect_form(device, {.rows = 0}); });
}

TEST(DeviceArrays, WhatTheHostAloneDecodesIsRefusedByName) {
  const Folder folder;
  write_form(folder / "t.parquet", {.codec = Codec::BROTLI, .rows = 100});
  write_file(folder / "t.csv", "a\n1\n");
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    const auto pages = cells_of_device(device, folder / "t.parquet");
    EXPECT_EQ(pages.status().code(), Code::unsupported);
    EXPECT_EQ(pages.status().message(),
              "column 'flag' of 't.parquet' is not decoded on a device: it is compressed by Brotli "
              "in row group 0");
    const auto text = cells_of_device(device, folder / "t.csv");
    EXPECT_EQ(text.status().code(), Code::unsupported);
  });
}

TEST(DeviceArrays, ADamagedPageIsAnErrorThatNamesItsPlace) {
  const Folder folder;
  write_form(folder / "t.parquet", {.encoding = Encodings::PLAIN});
  std::string bytes = read_file(folder / "t.parquet");
  const auto at = bytes.rfind("é日");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\xff';
  write_file(folder / "damaged.parquet", bytes);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    const auto cells = cells_of_device(device, folder / "damaged.parquet");
    EXPECT_EQ(cells.status().code(), Code::corrupt);
    EXPECT_NE(cells.status().text().find("column 'text', row group 2, page"), std::string::npos)
        << cells.status().text();
  });
}

TEST(DeviceArrays, KernelsAreFreeOfRacesAndOfReadsOutside) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const kernel::HostDeviceOptions& options :
       {kernel::HostDeviceOptions{.max_group_size = 64},
        kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}})
    for (const NullRows nulls : {NullRows::none, NullRows::some})
      ASSERT_NO_FATAL_FAILURE(
          expect_form(kernel::make_host_device(options),
                      {.nulls = nulls, .encoding = Encodings::PLAIN_DICTIONARY, .rows = 1200}));
}

}  // namespace
}  // namespace penstock::test
