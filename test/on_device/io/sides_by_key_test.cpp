// Joins of two files in the order of their key: a device reads only those rows of the right one
// that its left rows may need. Against the host, which reads all of them.
#include <filesystem>

#include "exec/devices/run_on_devices.hpp"
#include "on_device/device/failing_device.hpp"
#include "on_device/io/array_files.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::int64_t order_count = 8000, rows_of_order_group = 250;

class SidesByKey : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : {orders_, items_}) std::filesystem::remove(path);
  }

  template <class Key> struct Rows {
    std::vector<std::optional<Key>> keys;
    std::shared_ptr<arrow::DataType> type = arrow::CTypeTraits<Key>::type_singleton();
  };
  // Each order, and each second one with three items; some items have no order, some no key.
  template <class Key = std::int64_t> static Rows<Key> keys_of_orders(Key first = 0) {
    Rows<Key> rows;
    for (std::int64_t i = 0; i < order_count; i++)
      rows.keys.push_back(static_cast<Key>(first + static_cast<Key>(i)));
    return rows;
  }
  template <class Key = std::int64_t> static Rows<Key> keys_of_items(Key first = 0) {
    Rows<Key> rows;
    for (std::int64_t i = 0; i < order_count + 100; i += 2)
      for (int item = 0; item < 3; item++)
        rows.keys.push_back(static_cast<Key>(first + static_cast<Key>(i)));
    for (std::size_t i = 0; i < rows.keys.size(); i += 97) rows.keys[i].reset();
    return rows;
  }

  template <class Key>
  static void write(const std::string& path, const Rows<Key>& rows, const char* key) {
    typename arrow::TypeTraits<typename arrow::CTypeTraits<Key>::ArrowType>::BuilderType keys;
    arrow::Int32Builder values;
    for (std::size_t i = 0; i < rows.keys.size(); i++) {
      ASSERT_TRUE((rows.keys[i] ? keys.Append(*rows.keys[i]) : keys.AppendNull()).ok());
      const auto value = static_cast<std::int32_t>(i * 2654435761u % 1000);
      ASSERT_TRUE((i % 11 == 4 ? values.AppendNull() : values.Append(value)).ok());
    }
    const auto made = keys.Finish().ValueOrDie()->View(rows.type).ValueOrDie();
    const auto schema = arrow::schema(
        {arrow::field(key, rows.type), arrow::field(std::string(key) + "_value", arrow::int32())});
    const auto table = arrow::Table::Make(schema, {made, values.Finish().ValueOrDie()});
    const auto file = arrow::io::FileOutputStream::Open(path).ValueOrDie();
    ASSERT_TRUE(
        parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, rows_of_order_group)
            .ok());
    ASSERT_TRUE(file->Close().ok());
  }
  template <class Key> void write(const Rows<Key>& orders, const Rows<Key>& items) const {
    ASSERT_NO_FATAL_FAILURE(write(orders_, orders, "o"));
    ASSERT_NO_FATAL_FAILURE(write(items_, items, "i"));
  }

  std::string joined(const std::string& kind = "JOIN") const {
    return " FROM '" + items_ + "' AS items " + kind + " '" + orders_ + "' AS orders ON i = o ";
  }
  std::string sums(const std::string& kind = "JOIN") const {
    return "SELECT count(*) AS c, sum(o_value) AS s, sum(i_value) AS t" + joined(kind);
  }

  static RunOptions rows_stay() {
    RunOptions options;
    options.intermediate_rows = IntermediateRows::device;
    options.page_decoding = PageDecoding::device;
    return options;
  }
  static std::string list_of(const Device& device, std::size_t shares) {
    std::string list = device.traits().id;
    for (std::size_t i = 1; i < shares; i++) list += "," + device.traits().id;
    return list;
  }
  static void expect_answer(const Table& found, const std::string& statement) {
    Plan plan;
    TAKE(const StepId result, bind_sql(statement, plan, open_table));
    TAKE(const QueryResult expected, run(plan, result, RunOptions()));
    EXPECT_EQ(cells_of(found), cells_of(expected.table)) << statement;
  }
  // Rows of a right side that devices exchange are some 12 bytes each. Without an exchange, each
  // device reads all rows. At borders of shares, two devices read some rows.
  enum class Sides : unsigned char { by_key, not_by_key };
  static Sides sides_of(const RunReport& report, std::uint64_t rows_of_one) {
    const bool is_anew = std::ranges::any_of(report.notes, [](const std::string& note) {
      return note.find("begun anew") != std::string::npos;
    });
    return !is_anew && report.bytes_exchanged < 8 * order_count &&
                   report.rows_read <= rows_of_one + order_count / 4
               ? Sides::by_key
               : Sides::not_by_key;
  }
  static void expect_run(const std::string& statement, Sides sides) {
    on_each_device([&](Device& device) {
      Plan plan;
      TAKE(const StepId result, bind_sql(statement, plan, open_table));
      TAKE(const QueryResult one, run(plan, result, RunOptions()));
      for (const std::size_t shares : {2u, 3u, 5u}) {
        SCOPED_TRACE(statement + " by " + std::to_string(shares));
        const auto session = Session::create({.device = list_of(device, shares)});
        for (int time = 0; time < 2; time++) {
          TAKE(const QueryResult found, session->sql(statement, rows_stay()));
          EXPECT_EQ(cells_of(found.table), cells_of(one.table));
          EXPECT_EQ(sides_of(found.report, one.report.rows_read), sides)
              << found.report.bytes_exchanged << " bytes, " << found.report.rows_read << " rows";
        }
      }
    });
  }
  template <class Key> void expect_keys(Key first) {
    ASSERT_NO_FATAL_FAILURE(write(keys_of_orders<Key>(first), keys_of_items<Key>(first)));
    expect_run(sums(), Sides::by_key);
  }

  const std::string orders_ = own_path("orders_by_key.parquet");
  const std::string items_ = own_path("items_by_key.parquet");
};

TEST_F(SidesByKey, EveryKindOfJoinFindsItsPartnersAmongTheRowsThatAShareReads) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  const std::string from = "SELECT count(*) AS c, sum(i_value) AS s FROM '" + items_ + "' WHERE ";
  for (const char* const kind : {"JOIN", "LEFT JOIN"}) expect_run(sums(kind), Sides::by_key);
  const std::string those = "(SELECT 1 FROM '" + orders_ + "' WHERE o = i AND o_value < 700)";
  expect_run(from + "EXISTS " + those, Sides::by_key);
  expect_run(from + "NOT EXISTS " + those, Sides::by_key);
}

// A NULL in rows that no key of a share asks for leaves NOT IN without rows.
TEST_F(SidesByKey, NotInAsksForRowsWithOtherKeysToo) {
  Rows<std::int64_t> orders = keys_of_orders();
  const std::string statement =
      "SELECT count(*) AS c FROM '" + items_ + "' WHERE i NOT IN (SELECT o FROM '" + orders_ + "')";
  ASSERT_NO_FATAL_FAILURE(write(orders, keys_of_items()));
  expect_run(statement, Sides::not_by_key);
  orders.keys[7777].reset();
  ASSERT_NO_FATAL_FAILURE(write(orders, keys_of_items()));
  expect_run(statement, Sides::not_by_key);
}

TEST_F(SidesByKey, KeysOfEveryTypeWithRecordsAreDivided) {
  expect_keys<std::int32_t>(-4000);
  expect_keys<std::uint32_t>(0x7FFFFF00);
  expect_keys<std::int64_t>(-(std::int64_t{1} << 40));
  expect_keys<std::uint64_t>((std::uint64_t{1} << 63) - 3001);
  Rows<std::int32_t> orders = keys_of_orders<std::int32_t>(9000);
  Rows<std::int32_t> items = keys_of_items<std::int32_t>(9000);
  orders.type = items.type = arrow::date32();
  ASSERT_NO_FATAL_FAILURE(write(orders, items));
  expect_run(sums(), Sides::by_key);
}

TEST_F(SidesByKey, GroupsAndRowsOfJoinsAreThoseOfOneDevice) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  const std::string columns = "SELECT i, o_value, i_value" + joined() + "WHERE o_value < 300 ";
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = list_of(device, 3)});
    for (const std::string& statement :
         {columns, columns + "ORDER BY o_value, i, i_value",
          "SELECT i, sum(o_value) AS s, count(*) AS c" + joined() + "GROUP BY i ORDER BY i"}) {
      TAKE(const QueryResult found, session->sql(statement, rows_stay()));
      expect_answer(found.table, statement);
    }
  });
}

// Each is cut by itself. The right side of the second was taken for the right side of the first,
// and read whole.
TEST_F(SidesByKey, TwoJoinsOfTheSameFilesInOneStatementAreBothDivided) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  const std::string inner =
      "SELECT max(i_value) AS m" + joined() + "WHERE o_value < 20 GROUP BY o_value";
  const std::string statement = sums() + "WHERE i_value IN (" + inner + ")";
  expect_run(statement, Sides::by_key);
  on_each_device([&](Device& device) {
    const auto rows_read = [&](const std::string& of) {
      const auto session = Session::create({.device = list_of(device, 3)});
      return session->sql(of, rows_stay())->report.rows_read;
    };
    EXPECT_EQ(rows_read(statement), rows_read(inner) + rows_read(sums()));
  });
}

// The kernels of devices would differ: some would look rows up, others would make pairs.
TEST_F(SidesByKey, AKeyThatRepeatsInOneShareMakesAllOfThemExchange) {
  Rows<std::int64_t> orders = keys_of_orders();
  orders.keys[6001] = orders.keys[6000];
  ASSERT_NO_FATAL_FAILURE(write(orders, keys_of_items()));
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = list_of(device, 3)});
    for (int time = 0; time < 3; time++) {
      TAKE(const QueryResult found, session->sql(sums(), rows_stay()));
      expect_answer(found.table, sums());
      EXPECT_GE(found.report.bytes_exchanged, 8 * order_count);
      const bool was_begun_anew =
          std::ranges::any_of(found.report.notes, [](const std::string& note) {
            return note.find("begun anew, as keys of a right side repeat") != std::string::npos;
          });
      EXPECT_EQ(was_begun_anew, time == 0);
    }
  });
}

TEST_F(SidesByKey, KeysInAnotherOrderAreExchanged) {
  Rows<std::int64_t> orders = keys_of_orders(), mixed = orders;
  for (std::size_t i = 0; i < orders.keys.size(); i++)
    mixed.keys[i] = orders.keys[i * 3 % orders.keys.size()];
  ASSERT_NO_FATAL_FAILURE(write(mixed, keys_of_items()));
  expect_run(sums(), Sides::not_by_key);
}

// A column computed on a join's left side has the opposite order of the file's column at its place.
TEST_F(SidesByKey, AKeyThatIsComputedIsNotTakenForAColumnOfItsFile) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  Plan plan;
  TAKE(auto items_source, open_table(items_));
  TAKE(auto orders_source, open_table(orders_));
  const StepId items = plan.source(items_source), orders = plan.source(orders_source);
  Builder b(plan.step(items).schema);
  const NodeId backwards =
      *b.binary(Op::subtract, b.literal(Scalar::of(std::int64_t{7000})), *b.column("i"));
  TAKE(const StepId turned,
       plan.map(items, b.graph(), {{"i", backwards}, {"i_value", *b.column("i_value")}}));
  TAKE(const StepId moved,
       plan.map(items, b.graph(), {{"i_value", *b.column("i_value")}, {"i", *b.column("i")}}));
  const auto sum_of = [&](StepId left, std::uint32_t key) {
    const StepId join = *plan.join(left, orders, JoinKind::inner, {{key, 0}});
    Builder of_join(plan.step(join).schema);
    return *plan.reduce(join, of_join.graph(),
                        {{Aggregate::sum, *of_join.column("o_value"), "s", nullptr}});
  };
  const StepId of_turned = sum_of(turned, 0), of_moved = sum_of(moved, 1);
  on_each_device([&](Device& device) {
    for (const StepId sum : {of_turned, of_moved}) {
      RunOptions options = rows_stay();
      TAKE(const QueryResult one, run(plan, sum, RunOptions()));
      options.device = list_of(device, 3);
      TAKE(const QueryResult several, run(plan, sum, options));
      EXPECT_EQ(cells_of(several.table), cells_of(one.table));
      EXPECT_EQ(sides_of(several.report, one.report.rows_read) == Sides::by_key, sum == of_moved);
    }
  });
}

TEST_F(SidesByKey, SharesWithoutPartnersOrKeysFindNone) {
  Rows<std::int64_t> items = keys_of_items();
  for (const std::optional<std::int64_t> key : {std::optional(order_count + 50), {}}) {
    for (std::size_t i = 0; i < items.keys.size() / 4; i++) items.keys[i] = key;
    ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), items));
    on_each_device([&](Device& device) {
      for (const std::size_t shares : {2u, 5u}) {
        const auto session = Session::create({.device = list_of(device, shares)});
        TAKE(const QueryResult found, session->sql(sums("LEFT JOIN"), rows_stay()));
        expect_answer(found.table, sums("LEFT JOIN"));
      }
    });
  }
}

// On one device they are an error: a product overflows in one order, which no item has. The tried
// orders lie before, between and after the orders of three shares.
TEST_F(SidesByKey, AFaultInRowsThatNoShareNeedsIsAnErrorToo) {
  Rows<std::int64_t> items;
  for (std::int64_t block = 0; block < 3; block++)
    for (std::int64_t i = 0; i < 12 * rows_of_order_group; i++)
      items.keys.emplace_back(300 + 2700 * block + i / 6 * 4);
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), items));
  expect_run(sums(), Sides::by_key);
  const std::string from = "SELECT count(*) AS c FROM '" + items_ +
                           "' WHERE EXISTS (SELECT 1 FROM '" + orders_ + "' WHERE o = i AND ";
  on_each_device([&](Device& device) {
    for (const char* const order : {"100", "2650", "5300", "7900"})
      for (const std::size_t shares : {1u, 3u}) {
        SCOPED_TRACE(order + std::string(" by ") + std::to_string(shares));
        const auto session = Session::create({.device = list_of(device, shares)});
        const auto outcome = session->sql(
            from + "9000000000000000000 * CASE WHEN o = " + order + " THEN 2 ELSE 1 END > 5)",
            rows_stay());
        EXPECT_EQ(outcome.status().code(), Code::overflow) << outcome.status().text();
      }
  });
}

// One device reads the right side first.
TEST_F(SidesByKey, AFaultInTheRightSideOfALaterShareComesBeforeOneInLeftRows) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  const std::string statement =
      "SELECT sum(9000000000000000000 * (i_value + 10)) AS s FROM '" + items_ +
      "' WHERE EXISTS (SELECT 1 FROM '" + orders_ +
      "' WHERE o = i AND CAST(o AS SMALLINT) + CAST(25000 AS SMALLINT) > 5)";
  on_each_device([&](Device& device) {
    std::string of_one;
    for (const std::size_t shares : {1u, 3u}) {
      const auto session = Session::create({.device = list_of(device, shares)});
      const auto outcome = session->sql(statement, rows_stay());
      ASSERT_FALSE(outcome.ok());
      if (shares == 1) of_one = outcome.status().message();
      EXPECT_EQ(outcome.status().message(), of_one);
    }
  });
}

TEST_F(SidesByKey, FilesThatChangedAreDividedAnew) {
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = list_of(device, 3)});
    for (const std::int64_t first : {0, 5000, 0}) {
      ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(first), keys_of_items()));
      TAKE(const QueryResult found, session->sql(sums("LEFT JOIN"), rows_stay()));
      expect_answer(found.table, sums("LEFT JOIN"));
    }
  });
}

TEST_F(SidesByKey, ADeviceLostAtAnyLaunchEndsTheRunByItsName) {
  ASSERT_NO_FATAL_FAILURE(write(keys_of_orders(), keys_of_items()));
  Plan plan;
  TAKE(const StepId result, bind_sql(sums(), plan, open_table));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const auto opened = open_device(id);
    int launches = 0;
    for (; launches < 60; launches++) {
      const auto failing = std::make_shared<FailingDevice>(*opened, launches);
      const auto outcome = plan::run_on_devices(
          plan, {result}, rows_stay(),
          {{id, opened}, {"failing:0", std::shared_ptr<Device>(failing)}, {id, opened}});
      if (outcome.ok()) break;
      EXPECT_EQ(outcome.status().code(), Code::device_lost) << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("failing:0"), std::string::npos);
    }
    EXPECT_GT(launches, 2);
  });
}

}  // namespace
}  // namespace penstock::test
