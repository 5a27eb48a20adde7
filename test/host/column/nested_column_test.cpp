// Lists, structs and maps: packed and unpacked, in order, and Arrow arrays that are not what they
// say.
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <random>

#include "column/nested/nested_column.hpp"
#include "penstock/arrow_c.hpp"

namespace penstock::column {
namespace {

constexpr Type whole{Kind::int64}, real{Kind::float64}, text{Kind::string};

NestedColumn leaf_of(Column column) {
  NestedColumn rows;
  rows.type = column.type;
  rows.row_count = column.row_count;
  rows.validity = column.validity;
  rows.leaf = std::move(column);
  return rows;
}

NestedColumn lists_of(NestedColumn elements, std::vector<std::int64_t> offsets) {
  NestedColumn rows;
  rows.type = list_of(elements.type);
  rows.row_count = offsets.size() - 1;
  rows.offsets = std::move(offsets);
  rows.children.push_back(std::move(elements));
  return rows;
}

template <class T> std::string packed_list(std::vector<std::optional<T>> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  NestedColumn elements = leaf_of(Column::from(values));
  return std::string(pack(lists_of(std::move(elements), {0, count})).string(0));
}

// Random rows of a type, as packed bytes.
std::string random_value(std::mt19937& random, Type type) {
  std::string bytes;
  const auto put_random_part = [&](Type part) {
    const bool is_value = random() % 4 != 0;
    put_mark(bytes, is_value ? PackedMark::value : PackedMark::null);
    if (is_value) bytes += random_value(random, part);
  };
  if (type.logical == LogicalType::list || type.logical == LogicalType::map) {
    for (auto count = random() % 4; count > 0; count--) put_random_part(element_of(type));
    put_mark(bytes, PackedMark::end);
  } else if (type.logical == LogicalType::structure) {
    for (const Type field : type.nested->types) put_random_part(field);
  } else if (type.kind == Kind::string) {
    put_text(bytes, std::string_view("a\0b\xff", random() % 5));
  } else if (type.kind == Kind::float64) {
    put_real(bytes, type, static_cast<double>(random()) / 3 - 1e9);
  } else {
    put_integer(bytes, type, static_cast<std::int32_t>(random()));
  }
  return bytes;
}

TEST(NestedColumn, RandomValuesArePackedAsTheyWereUnpacked) {
  std::mt19937 random(5);
  const Type tree =
      list_of(struct_of({"a", "b", "c"}, {whole, list_of(text), map_of(text, list_of(real))}));
  for (const Type type : {list_of(whole), list_of(list_of(text)), map_of(whole, text), tree}) {
    std::vector<std::optional<std::string>> values;
    for (int i = 0; i < 300; i++)
      values.push_back(i % 7 == 0 ? std::nullopt : std::optional(random_value(random, type)));
    Column column = Column::from_strings(values);
    column.type = type;
    const Column again = pack(unpack(column));
    ASSERT_EQ(again.row_count, column.row_count);
    for (std::uint64_t row = 0; row < column.row_count; row++) {
      ASSERT_EQ(again.is_valid(row), column.is_valid(row)) << name_of(type) << " " << row;
      if (column.is_valid(row)) {
        EXPECT_EQ(again.string(row), column.string(row)) << name_of(type) << " " << row;
      }
    }
  }
}

TEST(NestedColumn, TheOrderOfBytesIsThatOfTheValues) {
  using Whole = std::optional<std::int64_t>;
  const std::vector<std::vector<Whole>> ordered = {
      {}, {-5}, {-5, 0}, {-1, 9}, {0}, {0, INT64_MIN}, {0, {}}, {7}, {INT64_MAX}, {{}}, {{}, 1}};
  for (std::size_t i = 1; i < ordered.size(); i++)
    EXPECT_LT(packed_list(ordered[i - 1]), packed_list(ordered[i])) << i;
  using Real = std::optional<double>;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<Real>> reals = {
      {-infinity}, {-2.5}, {-1e-300}, {0.0}, {1e-300}, {2.5}, {infinity}, {std::nan("")}, {{}}};
  for (std::size_t i = 1; i < reals.size(); i++)
    EXPECT_LT(packed_list(reals[i - 1]), packed_list(reals[i])) << i;
}

TEST(NestedColumn, ZerosAreEqualAndSoAreValuesThatAreNoNumber) {
  using Real = std::optional<double>;
  EXPECT_EQ(packed_list<double>({Real(0.0)}), packed_list<double>({Real(-0.0)}));
  EXPECT_EQ(packed_list<double>({Real(std::nan(""))}), packed_list<double>({Real(-std::nan("7"))}));
  EXPECT_EQ(packed_list<float>({-0.0f}), packed_list<float>({0.0f}));
}

TEST(NestedColumn, BytesThatAreNoValueAreReadWithoutEnd) {
  std::mt19937 random(11);
  const Type type = list_of(struct_of({"a", "b"}, {map_of(text, whole), list_of(list_of(real))}));
  for (int i = 0; i < 500; i++) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 5 == 0 ? random() : random() % 3);
    Column column = Column::from_strings(std::vector<std::string>{bytes});
    column.type = type;
    EXPECT_EQ(pack(unpack(column)).row_count, 1u);
  }
}

// An array of lists with its elements, as a producer writes it.
struct Lists {
  std::vector<std::int32_t> offsets{0, 2, 2, 3};
  std::vector<std::int64_t> elements{1, 2, 3};
  const void* list_buffers[2] = {nullptr, offsets.data()};
  const void* element_buffers[2] = {nullptr, elements.data()};
  const void* root_buffers[1] = {nullptr};
  ArrowArray root{}, list{}, element{};
  ArrowSchema root_schema{}, list_schema{}, element_schema{};
  ArrowArray *list_pointer = &list, *element_pointer = &element;
  ArrowSchema *list_schema_pointer = &list_schema, *element_schema_pointer = &element_schema;

  explicit Lists(const char* format = "+l") {
    element.length = 3;
    element.n_buffers = 2;
    element.buffers = element_buffers;
    element_schema.format = "l";
    element_schema.name = "item";
    element_schema.flags = 2;
    list.length = 3;
    list.n_buffers = 2;
    list.buffers = list_buffers;
    list.n_children = list_schema.n_children = 1;
    list.children = &element_pointer;
    list_schema.children = &element_schema_pointer;
    list_schema.format = format;
    list_schema.name = "x";
    root.length = 3;
    root.n_buffers = 1;
    root.buffers = root_buffers;
    root.n_children = root_schema.n_children = 1;
    root.children = &list_pointer;
    root_schema.children = &list_schema_pointer;
    root_schema.format = "+s";
    root.release = [](ArrowArray* array) { array->release = nullptr; };
    root_schema.release = [](ArrowSchema* schema) { schema->release = nullptr; };
  }
  std::string refusal() {
    const Result<Table> table = import_table(&root, &root_schema);
    return table.ok() ? "accepted" : table.status().message();
  }
};

TEST(NestedColumn, ListsOfAnArrowArrayAreImportedAndExported) {
  Lists lists;
  const Result<Table> table = import_table(&lists.root, &lists.root_schema);
  ASSERT_TRUE(table.ok()) << table.status().text();
  ASSERT_EQ(table->columns[0].type, list_of(whole));
  EXPECT_EQ(table->columns[0].string(0), packed_list<std::int64_t>({1, 2}));
  EXPECT_EQ(table->columns[0].string(1), packed_list<std::int64_t>({}));
  ArrowArray array{};
  ArrowSchema schema{};
  ASSERT_TRUE(export_table(*table, &array, &schema).ok());
  const Result<Table> again = import_table(&array, &schema);
  ASSERT_TRUE(again.ok()) << again.status().text();
  for (std::uint64_t row = 0; row < 3; row++)
    EXPECT_EQ(again->columns[0].string(row), table->columns[0].string(row));
}

TEST(NestedColumn, OffsetsThatFallOrPassTheEndAreRefused) {
  for (const std::vector<std::int32_t>& offsets : {std::vector<std::int32_t>{0, 2, 1, 3},
                                                   {-1, 2, 2, 3},
                                                   {0, 2, 2, 4},
                                                   {0, 0, 0, INT32_MAX},
                                                   {3, 3, 3, 2},
                                                   {4, 4, 4, 4}}) {
    Lists lists;
    lists.offsets = offsets;
    lists.list_buffers[1] = lists.offsets.data();
    EXPECT_NE(lists.refusal(), "accepted") << offsets[0] << " " << offsets[3];
  }
}

TEST(NestedColumn, ArraysThatLackElementsAreRefused) {
  const auto refusal = [](const auto& change, const char* format = "+l") {
    Lists lists(format);
    change(lists);
    return lists.refusal();
  };
  EXPECT_NE(refusal([](Lists& lists) { lists.element.length = 2; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.element.length = -1; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.element.offset = -1; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.list.n_children = 0; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.list.children = nullptr; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.element_pointer = nullptr; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.list_buffers[1] = nullptr; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.element_buffers[1] = nullptr; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.list_schema.n_children = 2; }), "accepted");
  EXPECT_NE(refusal([](Lists& lists) { lists.list.n_buffers = 1; }), "accepted");
  EXPECT_NE(refusal([](Lists&) {}, "+w:2"), "accepted");
  EXPECT_NE(refusal([](Lists&) {}, "+w:-2"), "accepted");
  EXPECT_NE(refusal([](Lists&) {}, "+w:9223372036854775807"), "accepted");
  EXPECT_NE(refusal([](Lists&) {}, "+m"), "accepted");
}

TEST(NestedColumn, TypesWithinTypesHaveALimit) {
  std::deque<ArrowSchema> schemas(200);
  std::deque<ArrowSchema*> pointers;
  for (std::size_t i = 0; i < schemas.size(); i++) {
    const bool is_last = i + 1 == schemas.size();
    schemas[i] = {};
    schemas[i].format = i == 0 ? "+s" : is_last ? "l" : "+l";
    schemas[i].name = "x";
    if (is_last) continue;
    pointers.push_back(&schemas[i + 1]);
    schemas[i].n_children = 1;
    schemas[i].children = &pointers.back();
  }
  const Result<Schema> schema = import_schema(schemas[0]);
  ASSERT_TRUE(!schema.ok() || !(*schema)[0].unsupported.empty());
}

}  // namespace
}  // namespace penstock::column
