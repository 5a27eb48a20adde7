// Which launches wait for which, with events that the test finishes.
#include <gtest/gtest.h>

#include <set>

#include "device/opencl/opencl_grid_growth.hpp"

namespace penstock::opencl {
namespace {

// Handles are numbers; what was waited for and what is still held.
std::set<std::uintptr_t> finished_events, waited_events, held_events;
cl_int outcome_of_wait = CL_SUCCESS;

template <class Handle> Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}
std::uintptr_t number_of(cl_event event) { return reinterpret_cast<std::uintptr_t>(event); }

Api fake_api() {
  Api api;
  api.clWaitForEvents = [](cl_uint, const cl_event* events) -> cl_int {
    waited_events.insert(number_of(*events)), finished_events.insert(number_of(*events));
    return outcome_of_wait;
  };
  api.clGetEventInfo = [](cl_event event, cl_uint, std::size_t, void* state,
                          std::size_t*) -> cl_int {
    *static_cast<cl_int*>(state) = finished_events.contains(number_of(event)) ? 0 : 1;
    return CL_SUCCESS;
  };
  api.clReleaseEvent = [](cl_event event) -> cl_int {
    held_events.erase(number_of(event));
    return CL_SUCCESS;
  };
  return api;
}

class GridGrowthTest : public ::testing::Test {
 protected:
  void SetUp() override {
    finished_events.clear(), waited_events.clear(), held_events.clear();
    outcome_of_wait = CL_SUCCESS;
  }
  // Returns the event's number.
  std::uintptr_t launch(std::uintptr_t queue, std::size_t thread_count) {
    status = growth.before_launch(handle<cl_command_queue>(queue), thread_count);
    held_events.insert(++last_event_);
    growth.after_launch(handle<cl_command_queue>(queue), thread_count,
                        handle<cl_event>(last_event_));
    return last_event_;
  }
  const Api api = fake_api();
  GridGrowth growth{api};
  Status status;

 private:
  std::uintptr_t last_event_ = 0;
};

TEST_F(GridGrowthTest, AQueueAloneNeverWaits) {
  for (const std::size_t threads : {1, 5, 3, 9}) launch(1, threads);
  EXPECT_TRUE(waited_events.empty());
}

TEST_F(GridGrowthTest, AWiderGridWaitsForThoseOfOtherQueues) {
  const auto first = launch(1, 8);
  const auto second = launch(2, 8);
  waited_events.clear();
  launch(3, 9);
  EXPECT_TRUE(waited_events.contains(second));
  EXPECT_TRUE(finished_events.contains(first));
}

TEST_F(GridGrowthTest, OtherQueuesWaitForAWiderGridOnce) {
  const auto wide = launch(1, 8);
  launch(2, 3);
  EXPECT_EQ(waited_events, (std::set{wide}));
  waited_events.clear();
  launch(3, 3);
  EXPECT_TRUE(waited_events.empty());
}

TEST_F(GridGrowthTest, EventsOfClosedQueuesDoNotGather) {
  finished_events.insert(launch(1, 8));
  for (std::uintptr_t queue = 2; queue < 100; queue++) finished_events.insert(launch(queue, 8));
  EXPECT_EQ(held_events.size(), 1u);
}

TEST_F(GridGrowthTest, ALaunchThatFailedIsToldOnce) {
  launch(1, 8);
  outcome_of_wait = -14;  // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
  launch(2, 9);
  EXPECT_FALSE(status.ok());
  outcome_of_wait = CL_SUCCESS;
  launch(2, 10);
  EXPECT_TRUE(status.ok());
}

}  // namespace
}  // namespace penstock::opencl
