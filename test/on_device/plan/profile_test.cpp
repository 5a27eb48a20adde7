// Profiles: where spans lie, what they add up to, and that several kernels are compiled at once.
#include <chrono>

#include "device/wrapped_device.hpp"
#include "exec/profile/recording.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t profiled_row_count = 10000;

Table numbers() {
  std::vector<std::int64_t> n(profiled_row_count), k(profiled_row_count);
  for (std::uint64_t i = 0; i < profiled_row_count; i++)
    n[i] = static_cast<std::int64_t>(i), k[i] = static_cast<std::int64_t>(i % 7);
  return Table::of({{"n", Column::from(n)}, {"k", Column::from(k)}});
}

struct Grouped {
  Plan plan;
  StepId rows = plan.source(table_source(numbers())), groups = no_step, ordered = no_step;
  Grouped() {
    Builder b(plan.step(rows).schema);
    groups = *plan.group_by(rows, b.graph(), {{"k", b.column(1u)}},
                            {{Aggregate::sum, b.column(0u), "s", nullptr}});
    ordered = *plan.order_by(groups, {{1, true}});
  }
};

std::vector<Span> on(const Profile& profile, Track track) {
  std::vector<Span> spans;
  for (const Span& span : profile.spans)
    if (span.track == track) spans.push_back(span);
  return spans;
}

double seconds_of(const std::vector<Span>& spans) {
  double seconds = 0;
  for (const Span& span : spans) seconds += span.end_seconds - span.begin_seconds;
  return seconds;
}

TEST(Profile, NotAskedForIsNotThere) {
  on_each_device([&](Device& device) {
    Grouped t;
    TAKE(const QueryResult outcome, run(t.plan, t.ordered, {.device = device.traits().id}));
    EXPECT_FALSE(outcome.report.profile.has_value());
  });
}

// A copy between two GPUs goes over their link only where the driver finds both.
TEST(Profile, ADriverFindsItsDeviceBehindARecordedOne) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    const auto recorded = plan::recorded(opened, std::make_shared<plan::Recording>());
    EXPECT_NE(recorded.get(), opened.get());
    EXPECT_EQ(&device::device_of_driver(*recorded), opened.get());
    EXPECT_EQ(&device::device_of_driver(*opened), opened.get());
  });
}

TEST(Profile, SpansAreInOrderAndWithinTheRun) {
  on_each_device([&](Device& device) {
    Grouped t;
    TAKE(const QueryResult outcome,
         run(t.plan, t.ordered,
             {.device = device.traits().id, .batch_rows = 1024, .profile = true}));
    const Profile& profile = *outcome.report.profile;
    EXPECT_LT(profile.clock_error_seconds, 0.05);
    EXPECT_NEAR(profile.total_seconds, outcome.report.total_seconds, 0.1);
    double last = -1;
    for (const Span& span : profile.spans) {
      SCOPED_TRACE(std::string(name_of(span.track)) + " " + span.name);
      EXPECT_GE(span.begin_seconds, last);
      EXPECT_GE(span.end_seconds, span.begin_seconds);
      EXPECT_GE(span.begin_seconds, -profile.clock_error_seconds);
      EXPECT_LE(span.end_seconds, profile.total_seconds + profile.clock_error_seconds);
      last = span.begin_seconds;
    }
  });
}

TEST(Profile, SpansAddUpToTheReport) {
  on_each_device([&](Device& device) {
    Grouped t;
    TAKE(
        const QueryResult outcome,
        run(t.plan, t.groups, {.device = device.traits().id, .batch_rows = 1024, .profile = true}));
    const RunReport& report = outcome.report;
    const Profile& profile = *report.profile;
    ASSERT_EQ(report.kernels.size(), 1u);
    // On a GPU ranges are found before, and a last function collects.
    const auto of_group = [](const KernelFunction& function) {
      return function.name == "pipeline_group";
    };
    const auto grouping =
        std::find_if(profile.functions.begin(), profile.functions.end(), of_group);
    ASSERT_NE(grouping, profile.functions.end());
    EXPECT_EQ(grouping->kernel, 0);
    EXPECT_EQ(grouping->launches, report.kernels[0].launches);
    EXPECT_GT(grouping->device_seconds, 0);
    EXPECT_LE(grouping->device_seconds,
              report.kernels[0].device_seconds + 1e-5 * static_cast<double>(report.chunks));
    std::uint64_t uploaded = 0, downloaded = 0, launches = 0;
    for (const Span& span : profile.spans) {
      uploaded += span.track == Track::upload ? span.bytes : 0;
      downloaded += span.track == Track::download ? span.bytes : 0;
      launches += span.track == Track::compute && span.name == grouping->name;
    }
    EXPECT_GE(uploaded, report.bytes_uploaded);  // and the layouts of tables
    EXPECT_GE(downloaded, report.bytes_downloaded);
    EXPECT_EQ(launches, report.kernels[0].launches);
    EXPECT_NEAR(seconds_of(on(profile, Track::read)), report.read_seconds,
                1e-6 * static_cast<double>(report.chunks + 1));
    EXPECT_LE(summarize(profile)[static_cast<std::size_t>(Track::wait)].seconds,
              seconds_of(on(profile, Track::wait)) + 1e-9);
  });
}

TEST(Profile, ACompilationIsOfItsKernel) {
  on_each_device([&](Device& device) {
    Grouped t;
    TAKE(const QueryResult outcome,
         run(t.plan, t.groups, {.device = device.traits().id, .profile = true}));
    std::vector<Span> builds = on(*outcome.report.profile, Track::compile);
    // A GPU also builds what merges groups, which is no kernel of the plan.
    std::erase_if(builds, [](const Span& build) { return build.kernel < 0; });
    ASSERT_EQ(builds.size(), 1u);
    EXPECT_EQ(builds[0].kernel, 0);
    EXPECT_NE(builds[0].name.find(name_of(outcome.report.kernels[0].build.cache)),
              std::string::npos)
        << builds[0].name;
  });
}

// A group-by below another, and a reduction of both: texts that no cache holds, through the name of
// their custom function.
struct Chains {
  Plan plan;
  StepId result = no_step;
  explicit Chains(const std::string& unique) {
    const StepId rows = plan.source(table_source(numbers()));
    Builder b(plan.step(rows).schema);
    auto function = std::make_shared<CustomFunction>();
    function->name = "plus_" + unique;
    function->parameter_names = {"x"};
    function->parameter_types = {{Kind::int64}};
    function->result_type = {Kind::int64};
    function->body = "return x + 1;";
    function->host = [](std::span<const Scalar> inputs) {
      return Scalar::of(static_cast<std::int64_t>(inputs[0].integer + 1));
    };
    const NodeId plus = *b.custom(function, {b.column(0u)});
    const StepId groups = *plan.group_by(rows, b.graph(), {{"k", plus}},
                                         {{Aggregate::minimum, b.column(1u), "m", nullptr}});
    Builder above(plan.step(groups).schema);
    const NodeId again = *above.custom(function, {above.column(0u)});
    result = *plan.reduce(groups, above.graph(), {{Aggregate::maximum, again, "most", nullptr}});
  }
};

std::uint64_t pairs_at_once(const std::vector<Span>& spans) {
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < spans.size(); i++)
    for (std::size_t j = i + 1; j < spans.size(); j++)
      pairs += spans[i].begin_seconds < spans[j].end_seconds &&
               spans[j].begin_seconds < spans[i].end_seconds;
  return pairs;
}

// Adds the pairs of compilations of one run that were in work at the same time.
void add_pairs_at_once(Device& device, std::uint64_t& pairs) {
  // A name of its own: the cache on disk outlives a run of the tests.
  Chains t("at_" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()));
  TAKE(const QueryResult outcome,
       run(t.plan, t.result, {.device = device.traits().id, .profile = true}));
  EXPECT_EQ(scalar_at(outcome.table.columns[0], 0).integer, profiled_row_count + 1);
  std::vector<Span> compiled;
  for (const Span& span : on(*outcome.report.profile, Track::compile))
    if (span.name.find("(compiled)") != std::string::npos) compiled.push_back(span);
  ASSERT_GE(compiled.size(), 2u);
  pairs += pairs_at_once(compiled);
}

// A quick compiler takes 3 ms. On busy cores one kernel may be ready before the other's thread
// runs, so that some of several runs are enough.
TEST(Profile, TheKernelsOfAPlanAreCompiledAtOnce) {
  on_each_device([&](Device& device) {
    std::uint64_t pairs = 0;
    for (int run = 0; run < 50 && pairs == 0; run++)
      ASSERT_NO_FATAL_FAILURE(add_pairs_at_once(device, pairs));
    EXPECT_GE(pairs, 1u);
  });
}

TEST(Profile, EveryLaunchedFunctionSaysItsGroupSize) {
  on_each_device([&](Device& device) {
    Grouped t;
    TAKE(const QueryResult outcome,
         run(t.plan, t.groups, {.device = device.traits().id, .profile = true}));
    ASSERT_TRUE(outcome.report.profile.has_value());
    for (const KernelFunction& function : outcome.report.profile->functions) {
      EXPECT_GE(function.resources.group_size, 1u) << function.name;
      if (function.resources.occupancy) {
        EXPECT_GT(*function.resources.occupancy, 0) << function.name;
        EXPECT_LE(*function.resources.occupancy, 1) << function.name;
      }
    }
  });
}

}  // namespace
}  // namespace penstock::test
