// Batches of rows over which expressions are emitted, run on a device and compared with the
// interpreter, bit for bit: value, NULL, fault and the node that faulted.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "expr/emit.hpp"
#include "kernel/kernel_source.hpp"
#include "penstock/device.hpp"
#include "random_expression.hpp"

namespace penstock {

// A kernel that evaluates roots for every row. All values travel as two 64-bit words, so that its
// signature is always the same.
struct Batch {
  Builder builder;
  std::vector<NodeId> roots;
  std::vector<std::vector<Scalar>> columns;  // by column, then row
  std::uint32_t row_count = 0;
  std::pair<std::string, std::string>
      defect;  // words of the kernel's text, and others to plant in their place
};

constexpr std::uint64_t untouched =
    0x5EA1ED00C0FFEE00ull;  // behind the results: a kernel that writes there has lost its way

inline std::uint64_t word_of(const Scalar& value) {
  if (value.type.kind == Kind::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
  if (value.type.kind == Kind::float64) return std::bit_cast<std::uint64_t>(value.real);
  return static_cast<std::uint64_t>(value.integer);
}

inline std::uint64_t high_word_of(const Scalar& value) {
  return is_float(value.type) ? 0 : static_cast<std::uint64_t>(value.integer >> 64);
}

inline bool is_wide(Type type) { return width_bytes(type) > 8; }

inline std::string from_words(Type type, const std::string& at) {
  const std::string word = at + "]";
  if (is_wide(type)) return "words_I128(" + word + ", " + at + " + 1u])";
  if (type.kind == Kind::float32) return "F32_OF_BITS((u32)" + word + ")";
  if (type.kind == Kind::float64) return "F64_OF_BITS(" + word + ")";
  return "(" + kernel_type(type) + ")" + word;
}

inline std::string to_word(Type type, const std::string& value) {
  if (is_wide(type)) return value + ".low";
  if (type.kind == Kind::float32) return "(u64)BITS_F32(" + value + ")";
  if (type.kind == Kind::float64) return "BITS_F64(" + value + ")";
  return "(u64)" + value;
}

inline Result<std::string> batch_text(const Batch& batch, Emission& emission) {
  const Graph& graph = *batch.builder.graph();
  const std::string columns = std::to_string(batch.columns.size()),
                    roots = std::to_string(batch.roots.size());
  EmissionNames names;
  names.value = [&](std::uint32_t c) { return "c" + std::to_string(c); };
  names.valid = [&](std::uint32_t c) {
    return batch.builder.schema()[c].nullable ? "c" + std::to_string(c) + "_valid" : "";
  };
  names.parameter = [](std::uint32_t p) { return "p" + std::to_string(p); };
  names.parameter_valid = [](std::uint32_t) { return ""; };
  PENSTOCK_ASSIGN(emission, emit(graph, batch.roots, names));
  std::string text =
      emission.functions +
      "typedef struct { u32 unused; } NoTile;\n"
      "KERNEL(evaluate_batch, NoTile, IN(u64, cells), IN(u64, parameters), OUT(u64, results), "
      "VALUE(u32, row_count))\n{\n"
      "  const u32 row = GROUP_ID(work) * GROUP_SIZE + LOCAL_ID(work);\n  (void)tile;\n  if (row "
      ">= "
      "row_count) return;\n";
  for (std::size_t c = 0; c < batch.columns.size(); c++) {
    const Field& field = batch.builder.schema()[c];
    const std::string name = "c" + std::to_string(c),
                      cell = "cells[3u * (row * " + columns + "u + " + std::to_string(c) + "u)";
    text += "  const " + kernel_type(field.type) + " " + name + " = " +
            from_words(field.type, cell) + ";\n";
    if (field.nullable) text += "  const u32 " + name + "_valid = (u32)" + cell + " + 2u];\n";
  }
  for (std::size_t p = 0; p < graph.parameters.size(); p++)
    text += "  const " + kernel_type(graph.parameters[p].type) + " p" + std::to_string(p) + " = " +
            from_words(graph.parameters[p].type, "parameters[" + std::to_string(2 * p) + "u") +
            ";\n";
  text += emission.statements;
  for (std::size_t r = 0; r < batch.roots.size(); r++) {
    const std::string at = "results[4u * (row * " + roots + "u + " + std::to_string(r) + "u)";
    const Emission::Root& root = emission.roots[r];
    const Type type = graph.at(batch.roots[r]).type;
    text += "  " + at + "] = " + to_word(type, root.value) + ";\n";
    if (is_wide(type)) text += "  " + at + " + 3u] = (u64)" + root.value + ".high;\n";
    text += "  " + at + " + 1u] = (u64)" + root.valid + ";\n  " + at + " + 2u] = (u64)" +
            root.fault + ";\n";
  }
  return text + "}\n";
}

inline Result<std::vector<std::uint64_t>> run_batch(Device& device, const Batch& batch,
                                                    Emission& emission) {
  PENSTOCK_ASSIGN(const std::string text, batch_text(batch, emission));
  const auto part = [](const char* name) {
    return kernel::SourcePart{name, std::string(kernel::expr_source(name))};
  };
  const kernel::SourcePart parts[] = {
      part("expr/operations.kc"), part("expr/wide_operations.kc"), {"batch", text}};
  const std::uint32_t group_size = device.traits().is_cpu ? 1 : 64;
  std::string assembled = kernel::assemble(device.traits().target, parts);
  if (const auto& [right, wrong] = batch.defect; !right.empty()) {
    const std::size_t at = assembled.find(right);
    if (at == std::string::npos)
      return Status(Code::internal, "there is no '" + right + "' to plant a defect in");
    assembled.replace(at, right.size(), wrong);
  }
  PENSTOCK_ASSIGN(const auto program, device.build({assembled, group_size, {}, false, "batch"}));
  std::vector<std::uint64_t> cells(1), parameters,
      results(4 * batch.row_count * batch.roots.size() + 1, untouched);
  for (std::uint32_t row = 0; row < batch.row_count; row++)
    for (const std::vector<Scalar>& column : batch.columns) {
      // The bits of a missing value may be anything: here a trap for code that computes with them.
      cells.push_back(column[row].is_null ? 0x8000000000000000ull : word_of(column[row]));
      cells.push_back(column[row].is_null ? 0x8000000000000000ull : high_word_of(column[row]));
      cells.push_back(column[row].is_null ? 0 : 1);
      if (column[row].is_null && column[row].type.kind == Kind::boolean)
        cells[cells.size() - 3] = row & 1;
    }
  cells.erase(cells.begin());
  cells.push_back(0);  // no buffer is empty
  for (const Scalar& parameter : batch.builder.graph()->parameters)
    parameters.insert(parameters.end(), {word_of(parameter), high_word_of(parameter)});
  parameters.push_back(0);
  PENSTOCK_ASSIGN(const auto cell_buffer, device.allocate(cells.size() * 8));
  PENSTOCK_ASSIGN(const auto parameter_buffer, device.allocate(parameters.size() * 8));
  PENSTOCK_ASSIGN(const auto result_buffer, device.allocate(results.size() * 8));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->upload(*cell_buffer, cells.data(), cells.size() * 8));
  PENSTOCK_TRY(queue->upload(*result_buffer, results.data(), results.size() * 8));
  PENSTOCK_TRY(queue->upload(*parameter_buffer, parameters.data(), parameters.size() * 8));
  const Argument arguments[] = {Argument::of(*cell_buffer), Argument::of(*parameter_buffer),
                                Argument::of(*result_buffer), Argument::value(batch.row_count)};
  PENSTOCK_TRY(
      queue->launch(*program, "evaluate_batch", batch.row_count / group_size + 1, arguments));
  PENSTOCK_TRY(queue->download(results.data(), *result_buffer, results.size() * 8));
  PENSTOCK_TRY(queue->finish());
  return results;
}

// Counts the representable numbers between two floats; 0 for equal ones and for two NaNs.
inline std::uint64_t distance(Type type, std::uint64_t a, std::uint64_t b) {
  if (!is_float(type)) {
    const unsigned bits = std::min(64u, width_bytes(type) * 8);
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return (a & mask) == (b & mask) ? 0 : ~std::uint64_t{0};
  }
  const auto ordered = [&](std::uint64_t word) -> Int128 {
    const unsigned bits = width_bytes(type) * 8;
    const std::uint64_t magnitude = word & ((std::uint64_t{1} << (bits - 1)) - 1);
    return word >> (bits - 1) & 1 ? -static_cast<Int128>(magnitude)
                                  : static_cast<Int128>(magnitude);
  };
  const auto is_nan = [&](std::uint64_t word) {
    return type.kind == Kind::float32
               ? std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(word)))
               : std::isnan(std::bit_cast<double>(word));
  };
  if (is_nan(a) || is_nan(b)) return is_nan(a) == is_nan(b) ? 0 : ~std::uint64_t{0};
  if (a != b && ordered(a) == ordered(b)) return 1;  // -0.0 and 0.0
  const Int128 gap = ordered(a) - ordered(b);
  return static_cast<std::uint64_t>(gap < 0 ? -gap : gap);
}

// Says what is wrong with one result: `actual` is its value, validity, fault number and the upper
// half of its value. Empty: nothing.
inline std::string difference_of(const Emission& emission, Type type, const Evaluated& expected,
                                 const std::uint64_t* actual, std::uint64_t bound) {
  const std::string fault =
      actual[2] == 0 ? "no fault" : std::string(name_of(emission.fault_codes[actual[2] - 1]));
  if (expected.fault != Code::ok) {
    if (actual[2] == 0 || emission.fault_codes[actual[2] - 1] != expected.fault ||
        emission.faults[actual[2] - 1] != expected.fault_node)
      return fault + ", expected " + std::string(name_of(expected.fault)) +
             " of another node or at all";
    return actual[1] == 1 ? "" : "a fault that is NULL";
  }
  if (actual[2] != 0) return fault + ", expected " + text_of(expected.value);
  if (actual[1] != (expected.value.is_null ? 0u : 1u))
    return "validity " + std::to_string(actual[1]) + ", expected " + text_of(expected.value);
  const bool is_high_right = !is_wide(type) || actual[3] == high_word_of(expected.value);
  if (expected.value.is_null ||
      (is_high_right && distance(type, actual[0], word_of(expected.value)) <= bound))
    return "";
  return "word " + std::to_string(actual[0]) + ", expected " +
         std::to_string(word_of(expected.value)) + ", " + text_of(expected.value);
}

// The first difference between the device and the interpreter, with the expression and its row.
// Empty: there is none.
inline Result<std::string> first_difference(Device& device, const Batch& batch,
                                            std::uint64_t bound) {
  Emission emission;
  PENSTOCK_ASSIGN(const std::vector<std::uint64_t> results, run_batch(device, batch, emission));
  if (results.back() != untouched) return std::string("the kernel wrote behind its results");
  const Graph& graph = *batch.builder.graph();
  for (std::uint32_t row = 0; row < batch.row_count; row++) {
    std::vector<Scalar> values;
    for (const std::vector<Scalar>& column : batch.columns) values.push_back(column[row]);
    const std::vector<Evaluated> expected = evaluate(graph, batch.roots, values);
    for (std::size_t r = 0; r < batch.roots.size(); r++) {
      const Type type = graph.at(batch.roots[r]).type;
      std::string text = difference_of(emission, type, expected[r],
                                       &results[4 * (row * batch.roots.size() + r)], bound);
      if (text.empty()) continue;
      text = "row " + std::to_string(row) + " of " + std::to_string(batch.row_count) + ": " +
             text_of(graph, batch.roots[r], batch.builder.schema()) + " gives " + text + " where";
      for (std::size_t c = 0; c < values.size(); c++)
        text += " " + batch.builder.schema()[c].name + "=" + text_of(values[c]);
      return text;
    }
  }
  return std::string();
}

inline void compare_batch(Device& device, const Batch& batch, std::uint64_t bound,
                          const std::string& label) {
  const Result<std::string> difference = first_difference(device, batch, bound);
  ASSERT_TRUE(difference.ok()) << label << ": " << difference.status().text();
  ASSERT_EQ(*difference, "") << label;
}

template <class Test> void on_each_device(Test test) {
  const std::vector<Traits> devices = list_devices();
  if (devices.empty()) GTEST_SKIP() << "no device";
  for (const Traits& traits : devices) {
    if (!traits.has_f64) continue;  // graphs over all types
    const auto device = open_device(traits.id);
    ASSERT_TRUE(device.ok()) << device.status().text();
    test(**device);
    if (testing::Test::HasFatalFailure()) return;
  }
}

constexpr int random_batches = 16, roots_per_batch = 20;

inline Batch random_batch(test::RandomExpressions& random) {
  Batch batch{Builder(random.schema()), {}, {}, 0, {}};
  for (int i = 0; i < roots_per_batch; i++)
    batch.roots.push_back(random.expression(batch.builder, 2 + i % 4));
  return batch;
}

inline void fill(Batch& batch, test::RandomExpressions& random, std::uint32_t row_count,
                 bool all_missing = false) {
  batch.row_count = row_count;
  batch.columns.clear();
  for (const Field& field : random.schema()) {
    batch.columns.push_back(random.values(field, row_count));
    if (all_missing && field.nullable)
      batch.columns.back().assign(row_count, Scalar::null_of(field.type));
  }
}

// 2,240 cases of an expression and a table, a kernel for each 140 of them: compiling costs the
// time. Tables are empty, of one row, around a group's 64 rows, of some hundred rows of extremes
// (NaN, -0.0, the ends of every type), and without a value where one may lack.
// Expects that a comparison shows an error that is planted in an operation.
inline void expect_seen(Device& device, const Schema& schema, const char* right,
                        const char* wrong) {
  std::string seen;
  for (std::uint64_t seed = 1; seed <= 4 * random_batches && seen.empty(); seed++) {
    test::RandomExpressions random(seed, schema);
    Batch batch = random_batch(random);
    fill(batch, random, 400);
    batch.defect = {right, wrong};
    const Result<std::string> difference = first_difference(device, batch, 0);
    ASSERT_TRUE(difference.ok()) << difference.status().text();
    seen = *difference;
  }
  EXPECT_NE(seen, "") << right << " as " << wrong;
}

}  // namespace penstock
