// Arrays that a device decoded, beside the arrays of Arrow's own reader.
#pragma once
#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <cstring>
#include <optional>
#include <random>

#include "host/io/io_files.hpp"
#include "on_device/device/device_fixture.hpp"
#include "penstock/device_arrays.hpp"

namespace penstock::test {

// The bytes of each row's value.
using Cells = std::vector<std::optional<std::string>>;

template <class T> std::string bytes_of_value(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string microseconds(const arrow::Array& array, std::int64_t row) {
  const std::int64_t value = static_cast<const arrow::TimestampArray&>(array).Value(row);
  switch (static_cast<const arrow::TimestampType&>(*array.type()).unit()) {
    case arrow::TimeUnit::MILLI: return bytes_of_value(value * 1000);
    case arrow::TimeUnit::NANO: return bytes_of_value(value / 1000);
    default: return bytes_of_value(value);
  }
}

inline std::string cell_of_arrow(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return bytes_of_value(static_cast<const arrow::BooleanArray&>(array).Value(row));
    case arrow::Type::STRING: return static_cast<const arrow::StringArray&>(array).GetString(row);
    case arrow::Type::TIMESTAMP: return microseconds(array, row);
    case arrow::Type::DECIMAL128: {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
      return bytes_of_value(arrow::Decimal128(decimals.GetValue(row)).low_bits());
    }
    default: break;
  }
  const auto width = array.type()->byte_width();
  return {reinterpret_cast<const char*>(array.data()->buffers[1]->data()) +
              (array.offset() + row) * width,
          static_cast<std::size_t>(width)};
}

inline Cells cells_of_arrow(const arrow::ChunkedArray& column) {
  Cells cells;
  for (const auto& array : column.chunks())
    for (std::int64_t row = 0; row < array->length(); row++)
      cells.push_back(array->IsNull(row) ? std::nullopt
                                         : std::optional(cell_of_arrow(*array, row)));
  return cells;
}

inline std::shared_ptr<arrow::Table> read_by_arrow(const std::string& path) {
  parquet::arrow::FileReaderBuilder builder;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  EXPECT_TRUE(builder.OpenFile(path).ok() && builder.Build(&reader).ok());
#if ARROW_VERSION_MAJOR >= 24
  return reader->ReadTable().ValueOrDie();
#else
  std::shared_ptr<arrow::Table> table;
  EXPECT_TRUE(reader->ReadTable(&table).ok());
  return table;
#endif
}

inline std::string downloaded(Device& device, const std::shared_ptr<Buffer>& buffer,
                              std::uint64_t bytes) {
  std::string text(bytes, '\0');
  const auto queue = device.queue();
  EXPECT_OK((*queue)->download(text.data(), *buffer, bytes));
  EXPECT_OK((*queue)->finish());
  return text;
}

inline std::uint64_t number_at(const std::string& bytes, std::uint64_t index, std::uint32_t width) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + index * width, width);
  return number;
}

inline bool bit_at(const std::string& bits, std::uint64_t row) {
  return (bits[row / 8] >> row % 8 & 1) != 0;
}

inline void append_cells(Device& device, const DeviceArray& array, Cells& cells) {
  const std::uint64_t rows = array.row_count;
  const std::string values = downloaded(device, array.values, array.value_bytes);
  const std::string validity =
      array.validity ? downloaded(device, array.validity, (rows + 7) / 8) : "";
  std::string offsets;
  if (array.offsets) offsets = downloaded(device, array.offsets, (rows + 1) * array.offset_bytes);
  std::uint64_t nulls = 0;
  for (std::uint64_t row = 0; row < rows; row++) {
    if (array.validity && !bit_at(validity, row)) {
      cells.emplace_back();
      nulls++;
    } else if (array.offsets) {
      const std::uint64_t begin = number_at(offsets, row, array.offset_bytes);
      cells.push_back(
          values.substr(begin, number_at(offsets, row + 1, array.offset_bytes) - begin));
    } else if (array.type.kind == Kind::boolean) {
      cells.push_back(bytes_of_value(bit_at(values, row)));
    } else {
      const std::size_t width = width_bytes(array.type);
      cells.push_back(values.substr(row * width, width));
    }
  }
  EXPECT_EQ(nulls, array.null_count);
}

// Reads all columns of a file into a device's memory and back.
inline Result<std::vector<Cells>> cells_of_device(const std::shared_ptr<Device>& device,
                                                  const std::string& path,
                                                  const DeviceArrayOptions& options = {}) {
  PENSTOCK_ASSIGN(const auto source, open_table(path));
  const std::vector<std::uint32_t> columns = all_columns(*source);
  std::vector<Cells> cells(columns.size());
  PENSTOCK_ASSIGN(const auto reader, DeviceArrayReader::open(device, source, columns, options));
  for (;;) {
    PENSTOCK_ASSIGN(const auto arrays, reader->next());
    if (!arrays) return cells;
    for (std::size_t i = 0; i < cells.size(); i++) {
      EXPECT_EQ(arrays->columns[i].row_count, arrays->row_count);
      append_cells(*device, arrays->columns[i], cells[i]);
    }
  }
}

// Expects every value of a file to equal the value that Arrow reads.
inline void expect_arrays_of_arrow(const std::shared_ptr<Device>& device, const std::string& path,
                                   const DeviceArrayOptions& options = {}) {
  const auto cells = cells_of_device(device, path, options);
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  const auto table = read_by_arrow(path);
  for (int i = 0; i < table->num_columns(); i++) {
    const Cells expected = cells_of_arrow(*table->column(i));
    const Cells& found = (*cells)[static_cast<std::size_t>(i)];
    ASSERT_EQ(found.size(), expected.size()) << table->field(i)->name();
    for (std::size_t row = 0; row < found.size(); row++)
      ASSERT_EQ(found[row], expected[row]) << table->field(i)->name() << ", row " << row;
  }
}

}  // namespace penstock::test
