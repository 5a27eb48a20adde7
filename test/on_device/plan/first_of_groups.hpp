// The first groups in an order, of several devices, against one device: the host merges and orders
// its groups.
#pragma once
#include <optional>

#include "on_device/plan/as_gpu.hpp"
#include "on_device/plan/several_devices.hpp"

namespace penstock::test {

// An order of a group-by over a table, of which the first groups are asked for.
struct FirstOfGroups {
  explicit FirstOfGroups(const Table& table) : source(plan.source(table_source(table))) {}
  NodeId column(std::string_view name) { return *b.column(name); }
  std::vector<Projection> keys(const std::vector<const char*>& names) {
    std::vector<Projection> projections;
    for (const char* const name : names) projections.push_back({name, column(name)});
    return projections;
  }
  void group(const std::vector<const char*>& names, const std::vector<AggregateCall>& calls) {
    grouped = *plan.group_by(source, b.graph(), keys(names), calls);
  }
  StepId first(const std::vector<SortKey>& order, std::uint64_t count, std::uint64_t after = 0) {
    return *plan.limit(*plan.order_by(grouped, order), count, after);
  }

  Plan plan;
  StepId source = 0, grouped = 0;
  Builder b{plan.step(source).schema};
};

inline QueryResult on_one_device(const Plan& plan, StepId step, const std::string& id) {
  auto one = run(plan, step, {.device = id});
  EXPECT_TRUE(one.ok()) << one.status().text();
  return one.ok() ? std::move(*one) : QueryResult();
}

// A device that is listed n times stands for n. All of them leave their groups in their memory.
inline void expect_first(const Plan& plan, StepId step, std::optional<bool> is_exchanged = {}) {
  on_each_device_of_groups([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(plan, step, id);
    for (const std::size_t count : {2u, 3u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several, run(plan, step, rows_on_device(list_of(id, count))));
      expect_equal_rows(several.table, one.table);
      if (is_exchanged.has_value()) {
        EXPECT_EQ(groups_are_exchanged(several.report), *is_exchanged);
      }
    }
  });
}

// So many CPUs that claim to be GPUs: they choose by the number of groups.
inline std::vector<plan::ListedDevice> as_gpus(const std::string& id, std::size_t count) {
  const auto opened = *open_device(id);
  std::vector<plan::ListedDevice> devices;
  for (std::size_t i = 0; i < count; i++)
    devices.push_back({id, std::shared_ptr<Device>(std::make_shared<AsGpu>(opened))});
  return devices;
}

// Runs a step on three such devices.
inline void expect_first_on_gpus(const Plan& plan, StepId step, bool is_exchanged) {
  on_each_device_of_groups([&](Device& device) {
    const std::string id = device.traits().id;
    const QueryResult one = on_one_device(plan, step, id);
    TAKE(const std::vector<QueryResult> several,
         plan::run_on_devices(plan, {step}, RunOptions(), as_gpus(id, 3)));
    expect_equal_rows(several[0].table, one.table);
    EXPECT_TRUE(has_kernel(several[0].report, "group_merge"));
    EXPECT_EQ(groups_are_exchanged(several[0].report), is_exchanged);
  });
}

// Rows of `groups` keys in a mixed order, each key twice, in shares that are far apart. A share's
// part of a sum says nothing of the whole. A device chooses first groups among more than 8192.
inline Table rows_of_groups(std::uint64_t groups) {
  std::vector<std::int64_t> key, x, same;
  std::vector<std::string> text;
  std::vector<std::optional<std::int64_t>> maybe;
  for (std::uint64_t row = 0; row < 2 * groups; row++) {
    const std::uint64_t group = row * 7919 % groups;
    const auto sum = static_cast<std::int64_t>(group * 31 % 1009),
               first = static_cast<std::int64_t>(group * 2654435761u % 100'003);
    key.push_back(static_cast<std::int64_t>(group) * 3 - 1000);
    text.push_back("text " + std::to_string(group));
    x.push_back(row < groups ? first : sum - first);
    same.push_back(4);
    maybe.push_back(group % 3 == 0 ? std::nullopt : std::optional(x.back()));
  }
  return Table::of({{"key", Column::from(key)},
                    {"text", Column::from_strings(text)},
                    {"x", Column::from(x)},
                    {"same", Column::from(same)},
                    {"maybe", Column::from(maybe)}});
}

}  // namespace penstock::test
