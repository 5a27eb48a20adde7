// Programs kept from a plan's runs: the least recently used goes first, and no caller changes one.
#include "exec/kernel/kept_programs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace penstock::plan {
namespace {

// The first `count` rows by column 0 of one column, as a program with a bound.
std::vector<TileProgram> program_of_first_rows(std::uint64_t count) {
  Plan plan;
  const StepId rows = plan.source(
      table_source(Table::of({{"n", Column::from(std::vector<std::int64_t>{3, 1, 2})}}), "rows"));
  auto program = fuse_top_k(plan, rows, rows, {{{0, true, false}}, count});
  EXPECT_TRUE(program.ok() && program->bound) << program.status().text();
  return {*std::move(program)};
}

KeptPrograms::ChainKey chain_of(StepId last) { return {0, last, {}, TopK{{{0, true, false}}, 5}}; }

KeptPrograms::Kernel kernel_of(const std::string& text) {
  PipelineSource source;
  source.text = text;
  return {std::make_shared<const PipelineSource>(std::move(source)), nullptr};
}

TEST(KeptPrograms, TheLeastRecentlyUsedChainGoesFirst) {
  KeptPrograms kept;
  for (StepId last = 0; last < 32; last++)
    kept.keep_chain(chain_of(last), program_of_first_rows(5));
  EXPECT_TRUE(kept.find_chain(chain_of(0)));
  kept.keep_chain(chain_of(32), program_of_first_rows(5));
  EXPECT_TRUE(kept.find_chain(chain_of(0)));
  EXPECT_FALSE(kept.find_chain(chain_of(1)));
  EXPECT_TRUE(kept.find_chain(chain_of(2)));
}

TEST(KeptPrograms, TheLeastRecentlyUsedKernelGoesFirst) {
  KeptPrograms kept;
  const TileProgram program = program_of_first_rows(5)[0];
  const auto key_of = [](std::uint32_t slots) {
    KeptPrograms::KernelKey key;
    key.policy.group.slots = slots;
    return key;
  };
  for (std::uint32_t i = 0; i < 32; i++)
    kept.keep_kernel(key_of(i), program, kernel_of(std::to_string(i)));
  EXPECT_EQ(kept.find_kernel(key_of(0), program)->source->text, "0");
  kept.keep_kernel(key_of(32), program, kernel_of("32"));
  EXPECT_EQ(kept.find_kernel(key_of(0), program)->source->text, "0");
  EXPECT_FALSE(kept.find_kernel(key_of(1), program));
  EXPECT_EQ(kept.find_kernel(key_of(32), program)->source->text, "32");
}

TEST(KeptPrograms, BatchesOfOtherRowsColumnsOrLimitsAreNotFound) {
  KeptPrograms kept;
  const KeptPrograms::BatchesKey key{"file", {0, 2}, {}};
  pages::RowGroupBatch batch;
  batch.row_groups = {3};
  kept.keep_batches(key, std::make_shared<const std::vector<pages::RowGroupBatch>>(1, batch));
  ASSERT_TRUE(kept.find_batches(key));
  EXPECT_EQ(kept.find_batches(key)->at(0).row_groups[0], 3u);
  KeptPrograms::BatchesKey other_rows = key, other_columns = key, other_limits = key;
  other_rows.rows += " rows 0 to 5";
  other_columns.columns = {2, 0};
  other_limits.limits.rows--;
  for (const auto& other : {other_rows, other_columns, other_limits})
    EXPECT_FALSE(kept.find_batches(other));
}

TEST(KeptPrograms, AKernelOfAnotherProgramOrWithFastMathIsNotFound) {
  KeptPrograms kept;
  const TileProgram program = program_of_first_rows(5)[0];
  KeptPrograms::KernelKey key;
  kept.keep_kernel(key, program, kernel_of("kept"));
  EXPECT_TRUE(kept.find_kernel(key, program_of_first_rows(5)[0]));  // its graph is another object
  TileProgram other = program;
  other.rows_stay = true;
  EXPECT_FALSE(kept.find_kernel(key, other));
  other = program;
  other.graph = std::make_shared<Graph>(*program.graph);
  other.graph->add({Op::column, {Kind::int32}, false, 1, {}});
  EXPECT_FALSE(kept.find_kernel(key, other));
  key.fast_math = true;
  EXPECT_FALSE(kept.find_kernel(key, program));
}

TEST(KeptPrograms, ABoundThatARunTightensIsNotThatOfTheNext) {
  KeptPrograms kept;
  std::vector<TileProgram> programs = program_of_first_rows(5);
  kept.keep_chain(chain_of(1), programs);
  const auto limit_of = [](const TileProgram& program) -> Scalar& {
    return program.graph->parameters[program.bound->limit];
  };
  limit_of(programs[0]) = Scalar::of(std::int64_t{7});
  const auto second = kept.find_chain(chain_of(1)), third = kept.find_chain(chain_of(1));
  limit_of((*second)[0]) = Scalar::of(std::int64_t{8});
  EXPECT_EQ(limit_of((*third)[0]).integer, 0);
}

// For the thread sanitizer: threads find, keep and evict, and change the programs that they got.
TEST(KeptPrograms, ThreadsShareNothingThatChanges) {
  KeptPrograms kept;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++)
    threads.emplace_back([&] {
      for (StepId turn = 0; turn < 400; turn++) {
        auto programs = kept.find_chain(chain_of(turn % 40));
        if (!programs) kept.keep_chain(chain_of(turn % 40), *(programs = program_of_first_rows(5)));
        TileProgram& program = (*programs)[0];
        wrong += program.graph->parameters[program.bound->limit].integer != 0;
        program.graph->parameters[program.bound->limit] = Scalar::of(std::int64_t{turn} + 1);
        KeptPrograms::KernelKey key;
        key.policy.group.slots = turn % 40;
        const auto known = kept.find_kernel(key, program);
        if (known) wrong += known->source->text != std::to_string(turn % 40);
        if (!known) kept.keep_kernel(key, program, kernel_of(std::to_string(turn % 40)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace penstock::plan
