// A column on a linked device, its expected strings, and what an input tries on it.
#pragma once
#include <cstring>

#include "fuzz/device/fsst_column.hpp"
#include "fuzz/device/linked_device.hpp"

namespace penstock::fuzz {

template <class T> T expected(Result<T> result, const char* claim) {
  require(result.ok(), std::string(claim) + ": " + result.status().text());
  return std::move(*result);
}
void expect_ok(const Status& status, const std::string& claim);
void expect_bad_row(const Status& status, std::uint64_t row, const std::string& claim);
template <class T> T value_at(const Buffer& buffer, std::uint64_t index) {
  T value;
  std::memcpy(&value, content_of(buffer).data() + index * sizeof(T), sizeof(T));
  return value;
}

struct Bench {
  // On a CPU, or on a GPU with groups of 8 threads.
  Bench(const FuzzedColumn& its, bool is_cpu);
  std::shared_ptr<Buffer> allocate(std::uint64_t bytes) const {
    return expected(device->allocate(bytes), "memory");
  }
  fsst::DeviceOutput allocate_output(std::uint64_t rows, std::uint64_t bytes) const {
    return {allocate((rows + 1) * 8), allocate(std::max<std::uint64_t>(bytes, 1))};
  }

  const FuzzedColumn& column;
  const FoundStrings texts;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  fsst::DeviceStrings uploaded;
};

// Requires that string `at` of the output is that of a row.
void expect_string(const fsst::DeviceOutput& text, std::uint64_t at, std::uint64_t row,
                   const std::string& expected_text, const std::string& claim);
void expect_unwritten(const Buffer& buffer, const std::string& claim);

// Tries a predicate by each variant (fsst_predicates.cpp).
void try_predicate(const Bench& bench, Input input);
// Try rows by number and by bitmap, by each variant (fsst_selected_rows.cpp).
void try_selected_rows(const Bench& bench, Input input);
void try_selected_bits(const Bench& bench, Input input);

}  // namespace penstock::fuzz
