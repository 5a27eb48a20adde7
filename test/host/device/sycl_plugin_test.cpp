// A plug-in of SYCL that is missing or does not fit is an error with its name, never a crash.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "device/sycl/sycl_api.hpp"

namespace penstock::sycl_plugin {
namespace {

std::string message_of_fault(const char* fault) {
  ::setenv("PENSTOCK_FAKE_SYCL_FAULT", fault, 1);
  const auto opened = open_plugin(PENSTOCK_FAKE_SYCL);
  ::unsetenv("PENSTOCK_FAKE_SYCL_FAULT");
  return opened.ok() ? "opened" : opened.status().text();
}

TEST(SyclPlugin, AFileThatIsMissingIsNoDeviceAndNamed) {
  const auto opened = open_plugin("/nowhere/libpenstock_sycl.so");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), Code::no_device);
  EXPECT_NE(opened.status().message().find("/nowhere/libpenstock_sycl.so"), std::string::npos);
}

TEST(SyclPlugin, ALibraryThatIsNoPlugInIsRefused) {
  const auto opened = open_plugin(PENSTOCK_FAKE_CUFILE);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().message().find("is no plug-in"), std::string::npos);
}

TEST(SyclPlugin, AnotherVersionIsRefusedWithBothNumbers) {
  const std::string message = message_of_fault("version");
  EXPECT_NE(message.find("has version 4, not 3"), std::string::npos) << message;
}

TEST(SyclPlugin, APlugInWithoutATableIsRefused) {
  const std::string message = message_of_fault("table");
  EXPECT_NE(message.find("has version none"), std::string::npos) << message;
}

TEST(SyclPlugin, AFunctionThatIsMissingIsNamed) {
  const std::string message = message_of_fault("");
  EXPECT_NE(message.find("lacks device_count"), std::string::npos) << message;
}

}  // namespace
}  // namespace penstock::sycl_plugin
