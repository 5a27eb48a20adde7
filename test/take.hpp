// A word of all tests of results.
#pragma once
#include <gtest/gtest.h>

#include <utility>

#include "penstock/status.hpp"

// Declares a variable with the value of a Result, or ends the test.
#define TAKE(declaration, ...) TAKE_AT_(PENSTOCK_PASTE_(taken_, __LINE__), declaration, __VA_ARGS__)
#define TAKE_AT_(name, declaration, ...)          \
  auto name = (__VA_ARGS__);                      \
  ASSERT_TRUE(name.ok()) << name.status().text(); \
  declaration = std::move(name).value()
