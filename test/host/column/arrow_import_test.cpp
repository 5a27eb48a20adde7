// The C Data Interface without any Arrow library: structs built by hand, as a producer would.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <new>
#include <stdexcept>

#include "penstock/arrow_c.hpp"

namespace penstock {
namespace {

// One column's array and schema over memory that the test keeps; counts releases.
struct Producer {
  std::deque<std::vector<std::byte>> memory;
  std::vector<const void*> buffers;
  ArrowArray child{}, dictionary{}, root{};
  ArrowSchema child_schema{}, dictionary_schema{}, root_schema{};
  ArrowArray* child_pointer = &child;
  ArrowSchema* child_schema_pointer = &child_schema;
  std::vector<const void*> dictionary_buffers;
  const void* root_buffers[1] = {nullptr};
  std::string format;
  int releases = 0;

  template <class T> const void* keep(std::vector<T> values) {
    memory.emplace_back(values.size() * sizeof(T) + 1);
    if (!values.empty())
      std::memcpy(memory.back().data(), values.data(), values.size() * sizeof(T));
    return memory.back().data();
  }
  void column(std::string column_format, std::int64_t length, std::int64_t offset,
              std::vector<const void*> column_buffers, std::int64_t null_count = -1) {
    format = std::move(column_format);
    buffers = std::move(column_buffers);
    child.length = length;
    child.offset = offset;
    child.null_count = null_count;
    child.n_buffers = static_cast<std::int64_t>(buffers.size());
    child.buffers = buffers.data();
    child_schema.format = format.c_str();
    child_schema.name = "x";
    child_schema.flags = 2;
    root.length = length;
    root.n_buffers = 1;
    root.buffers = root_buffers;
    root.n_children = root_schema.n_children = 1;
    root.children = &child_pointer;
    root_schema.children = &child_schema_pointer;
    root_schema.format = "+s";
    root.private_data = root_schema.private_data = this;
    root.release = [](ArrowArray* array) {
      static_cast<Producer*>(array->private_data)->releases++;
      array->release = nullptr;
    };
    root_schema.release = [](ArrowSchema* schema) {
      static_cast<Producer*>(schema->private_data)->releases++;
      schema->release = nullptr;
    };
  }
  void entries(std::int64_t length, std::vector<const void*> with) {
    dictionary_buffers = std::move(with);
    dictionary.length = length;
    dictionary.n_buffers = static_cast<std::int64_t>(dictionary_buffers.size());
    dictionary.null_count = -1;
    dictionary.buffers = dictionary_buffers.data();
    dictionary_schema.format = "u";
    child.dictionary = &dictionary;
    child_schema.dictionary = &dictionary_schema;
  }
  Result<Table> import() { return import_table(&root, &root_schema); }
};

template <class T> std::vector<T> values_of(const Table& table) {
  const Column& column = table.columns[0];
  return {column.values.as<T>(), column.values.as<T>() + column.row_count};
}

TEST(ArrowImport, OffsetsOfParentAndChildAddUp) {
  Producer producer;
  producer.column("l", 6, 1,
                  {nullptr, producer.keep(std::vector<std::int64_t>{9, 9, 9, 1, 2, 3, 9})});
  producer.root.offset = 2;
  producer.root.length = 3;
  const auto table = producer.import();
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(values_of<std::int64_t>(*table), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(ArrowImport, SharesMemoryAndReleasesOnceWithTheLastColumn) {
  Producer producer;
  const void* memory = producer.keep(std::vector<std::int64_t>{1, 2, 3});
  producer.column("l", 3, 0, {nullptr, memory});
  {
    auto table = producer.import();
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(static_cast<const void*>(table->columns[0].values.data), memory);
    const Column kept = table->columns[0];
    *table = Table();
    EXPECT_EQ(producer.releases, 1);  // the schema
  }
  EXPECT_EQ(producer.releases, 2);
}

TEST(ArrowImport, BothStructsAreConsumedOnError) {
  Producer producer;
  producer.column("tiM", 1, 0, {nullptr, producer.keep(std::vector<std::int32_t>{1})});
  EXPECT_FALSE(producer.import().ok());
  EXPECT_EQ(producer.releases, 2);
  EXPECT_EQ(producer.root.release, nullptr);
}

TEST(ArrowImport, BitOffsetsOfValuesAndValidity) {
  Producer producer;
  producer.column("b", 10, 5,
                  {producer.keep(std::vector<std::uint8_t>{0b11011111, 0b01111111}),
                   producer.keep(std::vector<std::uint8_t>{0b10100000, 0b00000101})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok());
  const Column& column = table->columns[0];
  const int values[] = {1, 0, 1, 1, 0, 1, 0, 0, 0, 0}, valid[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (std::uint64_t row = 0; row < 10; row++) {
    EXPECT_EQ(column.boolean(row), values[row] == 1) << row;
    EXPECT_EQ(column.is_valid(row), valid[row] == 1) << row;
  }
}

TEST(ArrowImport, ValidityWithoutAnyNullIsDropped) {
  Producer producer;
  producer.column("i", 3, 0,
                  {producer.keep(std::vector<std::uint8_t>{0b11110111}),
                   producer.keep(std::vector<std::int32_t>{1, 2, 3})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE(table->columns[0].validity.empty());
}

TEST(ArrowImport, TimestampsScaleToMicroseconds) {
  for (const auto& [format, value] : std::vector<std::pair<std::string, std::int64_t>>{
           {"tss:", 7}, {"tsm:", 7'000}, {"tsu:", 7'000'000}, {"tsn:", 7'000'000'000}}) {
    Producer producer;
    producer.column(format, 1, 0, {nullptr, producer.keep(std::vector<std::int64_t>{value})});
    const auto table = producer.import();
    ASSERT_TRUE(table.ok()) << format;
    EXPECT_EQ(values_of<std::int64_t>(*table), std::vector<std::int64_t>{7'000'000}) << format;
    EXPECT_EQ(table->columns[0].type, Type{Kind::timestamp});
  }
}

TEST(ArrowImport, TimestampsThatDoNotFitMicrosecondsAreRefused) {
  for (const auto& [format, value] : std::vector<std::pair<std::string, std::int64_t>>{
           {"tss:", INT64_MAX / 1000}, {"tsm:", INT64_MIN}, {"tsn:", 1001}}) {
    Producer producer;
    producer.column(format, 1, 0, {nullptr, producer.keep(std::vector<std::int64_t>{value})});
    EXPECT_FALSE(producer.import().ok()) << format;
  }
}

TEST(ArrowImport, AMissingTimestampMayHoldAnything) {
  Producer producer;
  producer.column("tsn:", 2, 0,
                  {producer.keep(std::vector<std::uint8_t>{2}),
                   producer.keep(std::vector<std::int64_t>{1001, 2000})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(table->columns[0].values.as<std::int64_t>()[1], 2);
}

TEST(ArrowImport, WideDecimalsNarrowOnlyWithinRange) {
  for (const bool fits : {true, false}) {
    Producer producer;
    producer.column("d:18,2", 2, 0,
                    {nullptr, producer.keep(std::vector<__int128>{
                                  -12345, fits ? __int128{999} : __int128{1} << 70})});
    const auto table = producer.import();
    ASSERT_EQ(table.ok(), fits);
    if (fits) {
      EXPECT_EQ(values_of<std::int64_t>(*table), (std::vector<std::int64_t>{-12345, 999}));
    }
  }
}

TEST(ArrowImport, NarrowDecimalsWiden) {
  Producer producer;
  producer.column("d:9,3,32", 2, 1, {nullptr, producer.keep(std::vector<std::int32_t>{0, -5, 7})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(values_of<std::int64_t>(*table), (std::vector<std::int64_t>{-5, 7}));
  EXPECT_EQ(table->columns[0].type, Type::decimal(9, 3));
}

template <class Index> void indices_widen(const std::string& format) {
  Producer producer;
  producer.column(format, 3, 1, {nullptr, producer.keep(std::vector<Index>{0, 2, 0, 1})});
  producer.entries(3, {nullptr, producer.keep(std::vector<std::int32_t>{0, 1, 3, 6}),
                       producer.keep(std::vector<char>{'a', 'b', 'b', 'c', 'c', 'c'})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok()) << format << table.status().text();
  EXPECT_EQ(table->columns[0].string(0), "ccc") << format;
  EXPECT_EQ(table->columns[0].string(1), "a") << format;
  EXPECT_EQ(table->columns[0].string(2), "bb") << format;
}

TEST(ArrowImport, DictionaryIndicesOfEveryWidth) {
  indices_widen<std::int8_t>("c");
  indices_widen<std::uint8_t>("C");
  indices_widen<std::int16_t>("s");
  indices_widen<std::uint16_t>("S");
  indices_widen<std::int32_t>("i");
  indices_widen<std::uint32_t>("I");
  indices_widen<std::int64_t>("l");
  indices_widen<std::uint64_t>("L");
}

TEST(ArrowImport, AnIndexOutsideItsDictionaryIsRefused) {
  for (const std::int8_t index : {std::int8_t{1}, std::int8_t{-1}}) {
    Producer producer;
    producer.column("c", 1, 0, {nullptr, producer.keep(std::vector<std::int8_t>{index})});
    producer.entries(1, {nullptr, producer.keep(std::vector<std::int32_t>{0, 1}),
                         producer.keep(std::vector<char>{'a'})});
    EXPECT_FALSE(producer.import().ok());
  }
}

TEST(ArrowImport, AMissingDictionaryEntryIsAMissingValue) {
  Producer producer;
  producer.column("c", 2, 0, {nullptr, producer.keep(std::vector<std::int8_t>{1, 0})});
  producer.entries(2, {producer.keep(std::vector<std::uint8_t>{1}),
                       producer.keep(std::vector<std::int32_t>{0, 1, 1}),
                       producer.keep(std::vector<char>{'a'})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE(table->columns[0].is_valid(0));
  EXPECT_TRUE(table->columns[0].is_valid(1));
}

TEST(ArrowImport, StringViewsInlineAndOutOfLine) {
  struct View {
    std::int32_t size;
    char text[12];
  };
  View inline_view{3, "abc"}, far_view{13, {}};
  const std::int32_t buffer = 0, offset = 2;
  std::memcpy(far_view.text + 4, &buffer, 4);
  std::memcpy(far_view.text + 8, &offset, 4);
  const std::string far = "..thirteen byte";
  Producer producer;
  producer.column("vu", 2, 0,
                  {nullptr, producer.keep(std::vector<View>{inline_view, far_view}),
                   producer.keep(std::vector<char>(far.begin(), far.end())),
                   producer.keep(std::vector<std::int64_t>{15})});
  const auto table = producer.import();
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(table->columns[0].string(0), "abc");
  EXPECT_EQ(table->columns[0].string(1), "thirteen byte");
}

TEST(ArrowImport, RefusedFormatsAreNamed) {
  for (const auto& [format, name] :
       std::vector<std::pair<std::string, std::string>>{{"tsx:UTC", "TIMESTAMP"},
                                                        {"d:39,20", "DECIMAL(39,20)"},
                                                        {"d:76,2,256", "256 bits"},
                                                        {"+vl", "LIST VIEW"},
                                                        {"+s", "STRUCT"},
                                                        {"w:0", "FIXED SIZE BLOB"},
                                                        {"tDn", "DURATION"},
                                                        {"e", "HALF FLOAT"},
                                                        {"n", "NULL"},
                                                        {"what", "'what'"},
                                                        {"d:9999999999,1", "'d:9999999999,1'"}}) {
    Producer producer;
    producer.column(format, 1, 0, {nullptr, producer.keep(std::vector<std::int64_t>{1, 1, 1, 1})});
    const auto table = producer.import();
    ASSERT_FALSE(table.ok()) << format;
    EXPECT_EQ(table.status().code(), Code::unsupported);
    EXPECT_NE(table.status().text().find(name), std::string::npos) << table.status().text();
    EXPECT_NE(table.status().text().find("'x'"), std::string::npos) << table.status().text();
  }
}

TEST(ArrowImport, WrongLengthsAndBufferCountsAreRefused) {
  {
    Producer producer;
    producer.column("l", 3, 0, {nullptr, producer.keep(std::vector<std::int64_t>{1, 2, 3})});
    producer.root.length = 4;
    EXPECT_FALSE(producer.import().ok());
  }
  {
    Producer producer;
    producer.column("l", 3, 0, {nullptr});
    EXPECT_FALSE(producer.import().ok());
  }
  {
    Producer producer;
    producer.column("l", 3, 0, {nullptr, nullptr});
    EXPECT_FALSE(producer.import().ok());
  }
  {
    Producer producer;
    producer.column("l", -1, 0, {nullptr, nullptr});
    EXPECT_FALSE(producer.import().ok());
  }
}

TEST(ArrowImport, NoRowsMayComeWithoutBuffers) {
  for (const char* format : {"u", "U", "l", "b", "tss:", "d:5,1"}) {
    Producer producer;
    producer.column(format, 0, 0,
                    format[0] == 'u' || format[0] == 'U'
                        ? std::vector<const void*>{nullptr, nullptr, nullptr}
                        : std::vector<const void*>{nullptr, nullptr});
    const auto table = producer.import();
    ASSERT_TRUE(table.ok()) << format;
    EXPECT_EQ(table->row_count, 0u);
  }
}

TEST(ArrowExport, ComesBackEqualAndOutlivesTheTable) {
  ArrowArray array{};
  ArrowSchema schema{};
  {
    Column decimal = Column::from(std::vector<std::int64_t>{-5, 123456789012345678, 0});
    decimal.type = Type::decimal(18, 4);
    const Table table = Table::of(
        {{"d", decimal},
         {"s",
          Column::from_strings(std::vector<std::optional<std::string>>{"a", std::nullopt, "ccc"})},
         {"b", Column::from_booleans({true, false, true})},
         {"f", Column::from(std::vector<float>{1, 2, 3})}});
    ASSERT_TRUE(export_table(table, &array, &schema).ok());
  }
  EXPECT_STREQ(schema.children[0]->format, "d:18,4");
  const auto table = import_table(&array, &schema);
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(values_of<std::int64_t>(*table),
            (std::vector<std::int64_t>{-5, 123456789012345678, 0}));
  EXPECT_FALSE(table->columns[1].is_valid(1));
  EXPECT_EQ(table->columns[1].string(2), "ccc");
  EXPECT_TRUE(table->columns[2].boolean(2));
  EXPECT_EQ(table->columns[3].values.as<float>()[1], 2.f);
}

TEST(ArrowExport, AHugeIntegerOf39DigitsIsRefused) {
  Column column;
  column.type = {Kind::int128};
  column.row_count = 1;
  column.values = Bytes::own(std::vector<__int128>{~(__int128{1} << 127)});
  ArrowArray array{};
  ArrowSchema schema{};
  EXPECT_EQ(export_table(Table::of({{"h", column}}), &array, &schema).code(), Code::overflow);
  EXPECT_EQ(array.release, nullptr);
}

TEST(ArrowExport, AColumnThatIsRefusedReleasesThoseBefore) {
  auto values = std::make_shared<const std::vector<std::int32_t>>(10, 1);
  Column good, wide;
  good.type = {Kind::int32};
  good.row_count = wide.row_count = 1;
  good.values = {values, reinterpret_cast<const std::byte*>(values->data()), 40};
  wide.type = {Kind::int128};
  wide.values = Bytes::own(std::vector<__int128>{~(__int128{1} << 127)});
  const Table table = Table::of({{"x", good}, {"h", wide}});
  const long owners = values.use_count();
  ArrowArray array;  // as a caller may leave them: not set
  ArrowSchema schema;
  std::memset(&array, 0x5A, sizeof array);
  std::memset(&schema, 0x5A, sizeof schema);
  EXPECT_EQ(export_table(table, &array, &schema).code(), Code::overflow);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_EQ(values.use_count(), owners);
}

// A producer in C++ with callbacks that throw; get_next does from the second batch on.
struct ThrowingStream {
  bool schema_throws = false;
  int batches = 0, releases = 0;

  ArrowArrayStream stream() {
    ArrowArrayStream made{};
    made.private_data = this;
    made.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) -> int {
      if (static_cast<ThrowingStream*>(self->private_data)->schema_throws) throw std::bad_alloc();
      ArrowArray array;
      EXPECT_TRUE(export_table(Table::of({{"x", Column::from(std::vector<std::int32_t>(64, 1))}}),
                               &array, out)
                      .ok());
      array.release(&array);
      return 0;
    };
    made.get_next = [](ArrowArrayStream* self, ArrowArray* out) -> int {
      if (static_cast<ThrowingStream*>(self->private_data)->batches++ > 0)
        throw std::runtime_error("the wire broke");
      ArrowSchema schema;
      EXPECT_TRUE(export_table(Table::of({{"x", Column::from(std::vector<std::int32_t>(64, 1))}}),
                               out, &schema)
                      .ok());
      schema.release(&schema);
      return 0;
    };
    made.release = [](ArrowArrayStream* self) {
      static_cast<ThrowingStream*>(self->private_data)->releases++;
      self->release = nullptr;
    };
    return made;
  }
};

TEST(ArrowStream, AProducerThatThrowsIsAnErrorAndIsReleased) {
  ThrowingStream refuses, breaks;
  refuses.schema_throws = true;
  ArrowArrayStream first = refuses.stream(), second = breaks.stream();
  EXPECT_EQ(import_stream(&first).status().code(), Code::no_memory);
  EXPECT_EQ(refuses.releases, 1);
  {
    const auto source = import_stream(&second);
    ASSERT_TRUE(source.ok()) << source.status().text();
    const std::uint32_t columns[] = {0};
    const auto batches = (*source)->scan(columns, {64, 1});
    ASSERT_TRUE(batches.ok()) << batches.status().text();
    Status status;
    for (int i = 0; i < 3 && status.ok(); i++) status = (*batches)->next().status();
    EXPECT_NE(status.text().find("the wire broke"), std::string::npos) << status.text();
  }
  EXPECT_EQ(breaks.releases, 1);
}

}  // namespace
}  // namespace penstock
