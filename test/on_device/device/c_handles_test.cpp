// Null handles given to the C interface: each is the caller's error, as the headers say, and not
// the driver's.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "penstock/batch.h"
#include "penstock/device.hpp"

namespace penstock {
namespace {

TEST(CHandles, ANullQueueOpensNoDevice) {
  penstock_device* device = nullptr;
  penstock_status status{};
  EXPECT_EQ(penstock_device_of_opencl_queue(nullptr, &device, &status), PENSTOCK_INVALID)
      << status.message;
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(penstock_device_open(nullptr, nullptr, &status), PENSTOCK_INVALID) << status.message;
}

class Batch : public ::testing::Test {
 protected:
  void SetUp() override {
    penstock_status status{};
    const penstock_code opened = penstock_device_open("opencl:0", &device_, &status);
    if (opened == PENSTOCK_NO_DEVICE) GTEST_SKIP() << status.message;
    ASSERT_EQ(opened, PENSTOCK_OK) << status.message;
    ASSERT_EQ(
        penstock_chunk_decoder_build(device_, PENSTOCK_CHUNK_LZ4, nullptr, &decoder_, &status),
        PENSTOCK_OK)
        << status.message;
  }
  void TearDown() override {
    penstock_chunk_decoder_free(decoder_);
    penstock_device_close(device_);
  }

  penstock_device* device_ = nullptr;
  penstock_chunk_decoder* decoder_ = nullptr;
};

TEST_F(Batch, NullMemoryIsInvalid) {
  penstock_status status{};
  penstock_chunk_batch batch{};
  batch.chunk_count = 1;
  EXPECT_EQ(penstock_chunk_decoder_enqueue(decoder_, nullptr, &batch, &status), PENSTOCK_INVALID)
      << status.message;
  EXPECT_NE(std::string(status.message).find("input"), std::string::npos) << status.message;
}

// Imported by hand, since a batch names its first null handle only.
TEST_F(Batch, NullScratchAndANullQueueAreInvalid) {
  const Result<std::shared_ptr<Device>> device = open_device("opencl:0");
  ASSERT_TRUE(device.ok()) << device.status().text();
  EXPECT_EQ((*device)->import_memory(0, 16).status().code(), Code::invalid);
  EXPECT_EQ((*device)->import_queue(0).status().code(), Code::invalid);
}

}  // namespace
}  // namespace penstock
