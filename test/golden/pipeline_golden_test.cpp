// The source generated for three short pipelines, without the preludes and the library. A change of
// the emitter or of a kernel template shows here. PENSTOCK_UPDATE_GOLDEN=1
// ctest -R golden_pipeline writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuse/codegen/emit_pipeline.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {
namespace {

namespace fs = std::filesystem;
const fs::path golden_pipelines = fs::path(PENSTOCK_KERNEL_C_DIRECTORY).parent_path() / "golden";

Result<StepId> keep_large(Plan& plan) {
  const StepId source = plan.source(table_source(
      Table::of({{"x", Column::from(std::vector<float>{1, 5})},
                 {"y", Column::from(std::vector<std::optional<std::int32_t>>{2, {}})}}),
      "rows"));
  Builder builder(plan.step(source).schema);
  PENSTOCK_ASSIGN(const NodeId above, builder.binary(Op::greater, builder.column(0u),
                                                     builder.captured(Scalar::of(3.0f))));
  return plan.filter(source, builder.graph(), above);
}

Result<StepId> filter_map(Plan& plan) {
  PENSTOCK_ASSIGN(const StepId kept, keep_large(plan));
  Builder builder(plan.step(kept).schema);
  PENSTOCK_ASSIGN(const NodeId sum,
                  builder.binary(Op::add, builder.column(1u), builder.column(1u)));
  return plan.map(kept, builder.graph(), {{"sum", sum}});
}

Result<StepId> filter_sum(Plan& plan) {
  PENSTOCK_ASSIGN(const StepId kept, keep_large(plan));
  Builder builder(plan.step(kept).schema);
  return plan.reduce(kept, builder.graph(),
                     {{Aggregate::sum, builder.column(1u), "sum", nullptr},
                      {Aggregate::maximum, builder.column(0u), "max", nullptr}});
}

Result<StepId> group_count(Plan& plan) {
  PENSTOCK_ASSIGN(const StepId kept, keep_large(plan));
  Builder builder(plan.step(kept).schema);
  return plan.group_by(kept, builder.graph(), {{"y", builder.column(1u)}},
                       {{Aggregate::count_rows, 0, "rows", nullptr}});
}

struct Case {
  const char* name;
  Result<StepId> (*build)(Plan& plan);
  Target target;
};
const Case cases[] = {{"filter_map.cuda", filter_map, Target::cuda},
                      {"filter_map.opencl", filter_map, Target::opencl},
                      {"filter_map.host", filter_map, Target::host},
                      {"filter_sum.metal", filter_sum, Target::metal},
                      {"filter_sum.host", filter_sum, Target::host},
                      {"group_count.sycl", group_count, Target::sycl}};

class GoldenPipeline : public ::testing::TestWithParam<Case> {};

Result<std::string> generated(const Case& pipeline) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId last, pipeline.build(plan));
  PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, 0, last));
  const Traits traits = typical_traits(pipeline.target);
  PENSTOCK_ASSIGN(const Variant* variant, choose_variant(traits, program));
  const std::string template_name(variant->templates.substr(variant->templates.rfind(' ') + 1));
  PENSTOCK_ASSIGN(
      const PipelineSource text,
      emit_pipeline(program, template_name, variant->policy(traits, program), pipeline.target));
  return text.text.substr(text.text.find("#line 1 \"pipeline\""));
}

TEST_P(GoldenPipeline, IsAsPinned) {
  const fs::path file = golden_pipelines / ("pipeline_" + std::string(GetParam().name) + ".txt");
  const auto text = generated(GetParam());
  ASSERT_TRUE(text.ok()) << text.status().text();
  if (std::getenv("PENSTOCK_UPDATE_GOLDEN")) {
    std::ofstream(file, std::ios::binary) << *text;
    GTEST_SKIP() << "wrote " << file;
  }
  std::ifstream pinned(file, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(pinned), {}};
  EXPECT_EQ(*text, expected)
      << "if this is meant: PENSTOCK_UPDATE_GOLDEN=1 ctest -R golden_pipeline";
}

INSTANTIATE_TEST_SUITE_P(Pipelines, GoldenPipeline, ::testing::ValuesIn(cases),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           name[name.find('.')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace penstock::plan
