// Shares wait for one another, and one of them ends early.
#include "table/exchange/meeting.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/clock.hpp"

namespace penstock::plan {
namespace {

// The seconds that shares wait awake: with 0 they sleep at once, with 60 not during a test. A share
// that misses the others' news would wait for all that time.
class Meetings : public ::testing::TestWithParam<double> {
 protected:
  ~Meetings() override { EXPECT_LT(now_seconds() - begun_, 30); }

 private:
  const double begun_ = now_seconds();
};
INSTANTIATE_TEST_SUITE_P(AwakeSeconds, Meetings, ::testing::Values(0.0, 1e-4, 60.0));

TEST_P(Meetings, AShareThatNeverStartsIsNotWaitedFor) {
  Meeting meeting({3, GetParam()});
  bool was_met[2] = {true, true};
  std::thread first([&] { was_met[0] = meeting.meet(0, 0); });
  std::thread second([&] { was_met[1] = meeting.meet(1, 0); });
  meeting.leave(2);  // no thread could be started for it
  first.join();
  second.join();
  EXPECT_FALSE(was_met[0]);
  EXPECT_FALSE(was_met[1]);
}

TEST_P(Meetings, AShareThatEndsAfterAPhaseHasBeenThere) {
  Meeting meeting({2, GetParam()});
  bool was_met[2] = {false, true};
  std::thread other([&] {
    was_met[0] = meeting.meet(1, 0);
    was_met[1] = meeting.meet(1, 1);
  });
  EXPECT_TRUE(meeting.meet(0, 0));
  meeting.leave(0);
  other.join();
  EXPECT_TRUE(was_met[0]);
  EXPECT_FALSE(was_met[1]);
}

TEST_P(Meetings, AShareThatBeginsAnewHoldsNobodyUp) {
  Meeting meeting({2, GetParam()});
  bool was_met = true;
  std::thread other([&] {
    EXPECT_TRUE(meeting.meet(1, 0));
    was_met = meeting.meet(1, 1);
  });
  EXPECT_TRUE(meeting.enter(0));
  EXPECT_TRUE(meeting.meet(0, 0));
  EXPECT_FALSE(meeting.enter(0));
  other.join();
  EXPECT_FALSE(was_met);
}

}  // namespace
}  // namespace penstock::plan
