// Steps that shares take together, of which one leaves, fails or refuses.
#include "table/exchange/collective.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "base/clock.hpp"

namespace penstock::plan {
namespace {

using Member = Collective::Member;

// How long shares wait awake: some sleep at once, others not in a test. A share that misses a step
// of the others would wait for all that time.
class Collectives : public ::testing::TestWithParam<double> {
 protected:
  ~Collectives() override { EXPECT_LT(now_seconds() - begun_, 30); }

  // Runs all shares, each in a thread. Returns how they ended.
  std::vector<Agreement> run(std::size_t count,
                             const std::function<Agreement(const Member&)>& part) {
    Collective all({count, GetParam()});
    std::vector<Agreement> ended(count);
    std::vector<std::thread> threads;
    for (std::size_t share = 0; share < count; share++)
      threads.emplace_back([&, share] {
        ended[share] = all.take_part(share, part);
        all.leave(share);
      });
    for (std::thread& thread : threads) thread.join();
    return ended;
  }

 private:
  const double begun_ = now_seconds();
};
INSTANTIATE_TEST_SUITE_P(AwakeSeconds, Collectives, ::testing::Values(0.0, 1e-4, 60.0));

TEST_P(Collectives, EveryShareSeesWhatAllGave) {
  const auto ended = run(3, [](const Member& all) -> Agreement {
    for (int step = 0; step < 50; step++) {
      PENSTOCK_ASSIGN(const auto given, all.gather<std::string>(std::to_string(step) + " " +
                                                                std::to_string(all.share())));
      EXPECT_EQ(given->size(), 3u);
      for (std::size_t share = 0; share < given->size(); share++)
        EXPECT_EQ((*given)[share], std::to_string(step) + " " + std::to_string(share));
    }
    return {};
  });
  for (const Agreement& one : ended) EXPECT_TRUE(one.ok());
}

TEST_P(Collectives, EveryShareGetsWhatIsForIt) {
  const auto ended = run(3, [](const Member& all) -> Agreement {
    std::vector<std::size_t> own;
    for (std::size_t to = 0; to < 3; to++) own.push_back(10 * all.share() + to);
    PENSTOCK_ASSIGN(const auto got, all.all_to_all<std::size_t>(own));
    EXPECT_EQ(got, (std::vector<std::size_t>{all.share(), 10 + all.share(), 20 + all.share()}));
    return {};
  });
  for (const Agreement& one : ended) EXPECT_TRUE(one.ok());
}

TEST_P(Collectives, AShareThatNeverStartsIsNotWaitedFor) {
  Collective all({3, GetParam()});
  Agreement ended[2];
  std::thread first([&] { ended[0] = Member(all, 0).agree({}); });
  std::thread second([&] { ended[1] = Member(all, 1).agree({}); });
  all.leave(2);  // no thread could be started for it
  first.join();
  second.join();
  EXPECT_EQ(ended[0].outcome(), Outcome::refused);
  EXPECT_EQ(ended[1].outcome(), Outcome::refused);
}

// An exception, say, has ended it between two steps.
TEST_P(Collectives, AShareThatLeavesAfterAStepHasFailed) {
  Collective all({2, GetParam()});
  Agreement ended;
  std::thread other([&] {
    EXPECT_TRUE(Member(all, 1).agree({}).ok());
    ended = Member(all, 1).agree({});
  });
  EXPECT_TRUE(Member(all, 0).agree({}).ok());
  all.leave(0);
  other.join();
  EXPECT_EQ(ended.error().code(), Code::cancelled);
}

TEST_P(Collectives, AShareThatHasEndedHasTakenItsLastStep) {
  const auto ended = run(2, [](const Member& all) { return all.agree({}); });
  EXPECT_TRUE(ended[0].ok());
  EXPECT_TRUE(ended[1].ok());
}

TEST_P(Collectives, AShareThatBeginsAnewHoldsNobodyUp) {
  Collective all({2, GetParam()});
  const auto step = [](const Member& one) { return one.agree({}); };
  Agreement further;
  std::thread other([&] {
    EXPECT_TRUE(Member(all, 1).agree({}).ok());
    further = Member(all, 1).agree({});
  });
  EXPECT_TRUE(all.take_part(0, step).ok());
  EXPECT_EQ(all.take_part(0, step).outcome(), Outcome::refused);
  other.join();
  EXPECT_FALSE(further.ok());
}

// Shares take three steps. Whichever of them one does not come to, and however it ends, all others
// end there, and alike.
TEST_P(Collectives, AShareThatEndsAtAnyStepEndsAllThere) {
  const Agreement exits[] = {Agreement::refused(), Status(Code::io, "no file"),
                             Status(Code::device_lost, "gone")};
  for (std::size_t lost = 0; lost < 3; lost++)
    for (const Agreement& exit : exits) {
      std::vector<std::size_t> taken(3);
      const auto ended = run(3, [&](const Member& all) -> Agreement {
        for (std::size_t step = 0; step < 3; step++) {
          if (all.share() == 1 && step == lost) return exit;
          PENSTOCK_ASSIGN(const auto given, all.gather<std::size_t>(step));
          taken[all.share()]++;
        }
        return {};
      });
      EXPECT_EQ(taken, std::vector<std::size_t>(3, lost));
      for (const Agreement& one : ended) EXPECT_EQ(one.outcome(), exit.outcome());
      EXPECT_EQ(ended[1].error().code(), exit.error().code());
      EXPECT_EQ(ended[0].error().text(), ended[2].error().text());
    }
}

TEST_P(Collectives, AnErrorInPlaceOfAValueIsToldToAll) {
  const auto ended = run(3, [](const Member& all) -> Agreement {
    const Result<int> own = all.share() == 2 ? Result<int>(Status(Code::io, "no file")) : 1;
    PENSTOCK_TRY(all.gather(own));
    return {};
  });
  EXPECT_EQ(ended[2].error().code(), Code::io);
  for (const std::size_t share : {0, 1}) {
    EXPECT_EQ(ended[share].error().code(), Code::cancelled);
    EXPECT_NE(ended[share].error().text().find("no file"), std::string::npos);
  }
}

TEST_P(Collectives, MemoryThatOneShareLacksRefusesForAll) {
  for (const Code code : {Code::no_memory, Code::capacity}) {
    const auto ended = run(3, [&](const Member& all) {
      return all.agree(all.share() == 1 ? Status(code, "too small") : Status());
    });
    for (const Agreement& one : ended) EXPECT_EQ(one.outcome(), Outcome::refused);
  }
}

// One that runs short of memory waits until no other is at work for the step.
TEST_P(Collectives, AShareThatRefusesWaitsForTheOthers) {
  std::atomic<bool> is_at_work = true;
  const auto ended = run(2, [&](const Member& all) {
    if (all.share() == 1) {
      const Agreement refused = all.agree(Status(Code::no_memory, "too small"));
      EXPECT_FALSE(is_at_work);
      return refused;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_at_work = false;
    return all.agree({});
  });
  EXPECT_EQ(ended[0].outcome(), Outcome::refused);
}

TEST_P(Collectives, SharesThatComeToStepsOfOtherValuesRefuse) {
  const auto ended = run(2, [](const Member& all) -> Agreement {
    if (all.share() == 0) {
      PENSTOCK_TRY(all.gather<int>(1));
    } else {
      PENSTOCK_TRY(all.gather<double>(1));
    }
    return {};
  });
  for (const Agreement& one : ended) EXPECT_EQ(one.outcome(), Outcome::refused);
}

// Device memory hangs on values: what all have dropped must be free for the next step.
TEST_P(Collectives, ValuesThatAllHaveDroppedAreFree) {
  std::weak_ptr<int> values[2];
  const auto ended = run(2, [&](const Member& all) -> Agreement {
    auto own = std::make_shared<int>(1);
    values[all.share()] = own;
    PENSTOCK_ASSIGN(auto given, all.gather<std::shared_ptr<int>>(std::move(own)));
    EXPECT_FALSE(values[1 - all.share()].expired());
    given.reset();
    PENSTOCK_TRY(all.agree({}));
    EXPECT_TRUE(values[0].expired() && values[1].expired());
    return {};
  });
  EXPECT_TRUE(ended[0].ok());
}

TEST_P(Collectives, ValuesOfAStepThatDoesNotComeAreFree) {
  std::weak_ptr<int> value;
  Collective all({2, GetParam()});
  std::thread waiting([&] {
    auto own = std::make_shared<int>(1);
    value = own;
    EXPECT_FALSE(Member(all, 0).gather<std::shared_ptr<int>>(std::move(own)).ok());
  });
  all.leave(1);
  waiting.join();
  EXPECT_TRUE(value.expired());
}

// Each of many shares fails, refuses or leaves at some step, or at none.
TEST_P(Collectives, ManySharesEndByOneExit) {
  for (std::uint32_t seed = 0; seed < 100; seed++) {
    const std::size_t count = 2 + seed % 7, who = seed / 7 % (count + 1), when = seed / 3 % 5;
    const auto ended = run(count, [&](const Member& all) -> Agreement {
      for (std::size_t step = 0; step < 5; step++) {
        const bool is_it = all.share() == who && step == when;
        if (is_it && seed % 3 == 0) return Status(Code::io, "no file");
        const Result<std::size_t> own =
            is_it ? Result<std::size_t>(Status(seed % 3 == 1 ? Code::no_memory : Code::io, "no"))
                  : step;
        PENSTOCK_ASSIGN(const auto given, all.gather(own));
        for (const std::size_t one : *given) EXPECT_EQ(one, step);
      }
      return {};
    });
    for (const Agreement& one : ended) EXPECT_EQ(one.outcome(), ended[0].outcome()) << seed;
    EXPECT_EQ(ended[0].ok(), who == count) << seed;
  }
}

}  // namespace
}  // namespace penstock::plan
