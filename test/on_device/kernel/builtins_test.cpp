// Every word of Kernel C on every device, against the host executor: bit for bit, but for the
// functions that only have a bound.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "kernel/bandwidth.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"

namespace penstock::kernel {
namespace {

std::string builtins_source() {
  std::ifstream file(PENSTOCK_KERNEL_C_DIRECTORY "/kernels/builtins.kc", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string source_for(Target target) {
  return assemble(target, {{{"builtins.kc", builtins_source()}}});
}

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  template <class T> std::vector<T> integers(std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(next());
    return values;
  }
  template <class T> std::vector<T> reals(std::size_t count) {  // both signs, halves among them
    std::vector<T> values(count);
    for (T& value : values)
      value = static_cast<T>(static_cast<std::int64_t>(next() % 20001) - 10000) /
              static_cast<T>(next() % 4 == 0 ? 2 : 37);
    return values;
  }

 private:
  std::uint64_t state_;
};

// The arguments of one launch, for both sides: values and buffers; the contents of buffers are
// compared afterwards.
class Arguments {
 public:
  template <class T> void buffer(const std::vector<T>& content) {
    std::vector<std::byte> bytes(content.size() * sizeof(T));
    std::memcpy(bytes.data(), content.data(), bytes.size());
    entries_.push_back({std::move(bytes), true});
  }
  template <class T> void value(T value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    entries_.push_back({std::move(bytes), false});
  }

  Result<std::vector<std::vector<std::byte>>> on_host(const HostProgram& program,
                                                      std::string_view kernel, std::uint32_t groups,
                                                      ThreadOrder order) const {
    std::vector<std::vector<std::byte>> contents = this->contents();
    std::vector<HostArgument> arguments;
    for (std::size_t i = 0; i < contents.size(); i++) {
      HostArgument argument{
          entries_[i].is_buffer ? contents[i].data() : nullptr, contents[i].size(), {}};
      if (!entries_[i].is_buffer) argument.value_bytes = contents[i];
      arguments.push_back(std::move(argument));
    }
    PENSTOCK_TRY(program.run(kernel, groups, arguments, order));
    return contents;
  }

  Result<std::vector<std::vector<std::byte>>> on_device(Device& device, const Program& program,
                                                        std::string_view kernel,
                                                        std::uint32_t groups) const {
    std::vector<std::vector<std::byte>> contents = this->contents();
    std::vector<std::shared_ptr<Buffer>> buffers;
    std::vector<Argument> arguments;
    PENSTOCK_ASSIGN(const auto queue, device.queue());
    for (const Entry& entry : entries_) {
      if (!entry.is_buffer) {
        Argument argument;
        std::memcpy(argument.bytes.data(), entry.bytes.data(), entry.bytes.size());
        argument.byte_count = static_cast<std::uint32_t>(entry.bytes.size());
        arguments.push_back(argument);
        buffers.push_back(nullptr);
        continue;
      }
      PENSTOCK_ASSIGN(auto buffer, device.allocate(entry.bytes.size()));
      PENSTOCK_TRY(queue->upload(*buffer, entry.bytes.data(), entry.bytes.size()));
      arguments.push_back(Argument::of(*buffer));
      buffers.push_back(std::move(buffer));
    }
    PENSTOCK_ASSIGN(const auto signatures, read_signatures(builtins_source()));
    for (const Signature& signature : signatures)
      if (signature.name == kernel) PENSTOCK_TRY(check_arguments(signature, arguments));
    PENSTOCK_TRY(queue->launch(program, kernel, groups, arguments));
    for (std::size_t i = 0; i < buffers.size(); i++)
      if (buffers[i])
        PENSTOCK_TRY(queue->download(contents[i].data(), *buffers[i], contents[i].size()));
    PENSTOCK_TRY(queue->finish());
    return contents;
  }

 private:
  struct Entry {
    std::vector<std::byte> bytes;
    bool is_buffer;
  };
  std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (const Entry& entry : entries_) all.push_back(entry.bytes);
    return all;
  }
  std::vector<Entry> entries_;
};

constexpr std::uint32_t groups = 3;

Arguments integer_arguments(std::uint32_t group_size) {
  Numbers numbers(1);
  Arguments arguments;
  arguments.buffer(numbers.integers<std::uint32_t>(4 * groups * group_size));
  arguments.buffer(numbers.integers<std::uint8_t>(group_size + 64));
  arguments.buffer(std::vector<std::uint32_t>(groups * group_size));
  arguments.buffer(std::vector<std::uint32_t>{0, 0xffffffff, 0, 0});
  arguments.buffer(std::vector<std::uint64_t>{0xffffffff});
  return arguments;
}

Arguments vector_arguments(std::uint32_t group_size) {
  Numbers numbers(2);
  Arguments arguments;
  const std::uint32_t rows = groups * group_size * 4 - 4;  // the last thread has none
  const auto in = [&](auto zero) { arguments.buffer(numbers.integers<decltype(zero)>(rows)); };
  const auto out = [&](auto zero) { arguments.buffer(std::vector<decltype(zero)>(rows)); };
  const auto each = [](const auto& add) {
    add(std::uint8_t{}), add(std::int8_t{}), add(std::uint16_t{}), add(std::int16_t{});
    add(std::uint32_t{}), add(std::int32_t{}), add(std::uint64_t{}), add(std::int64_t{});
  };
  each(in);
  each(out);
  arguments.value(rows);
  return arguments;
}

template <class T, class Bits> Arguments float_arguments(std::uint32_t group_size) {
  Numbers numbers(3);
  Arguments arguments;
  const std::uint32_t rows = groups * group_size * 4;
  std::vector<T> values = numbers.reals<T>(rows);
  values[0] = T(-0.0), values[1] = T(0.5), values[2] = T(-2.5);
  arguments.buffer(values);
  arguments.buffer(std::vector<T>(rows));
  arguments.buffer(std::vector<Bits>(rows));
  arguments.value(T(1.1));
  arguments.value(rows);
  return arguments;
}

template <class T> Arguments bounded_arguments(std::uint32_t group_size) {
  Numbers numbers(4);
  Arguments arguments;
  const std::uint32_t rows = groups * group_size;
  std::vector<T> values = numbers.reals<T>(rows);
  for (T& value : values) value = value / 100 + T(0.001);
  arguments.buffer(values);
  arguments.buffer(std::vector<T>(8 * rows));
  arguments.value(rows);
  return arguments;
}

// Bytes of contents as numbers; the largest distance between two of them in units of the last
// place.
template <class T>
double largest_distance(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  double largest = 0;
  for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, &a[at], sizeof(T));
    std::memcpy(&y, &b[at], sizeof(T));
    if (std::isnan(x) && std::isnan(y)) continue;
    const T unit = std::nextafter(std::fabs(x), std::numeric_limits<T>::infinity()) - std::fabs(x);
    largest = std::max(largest, static_cast<double>(std::fabs(x - y) / unit));
  }
  return largest;
}

// The number of bytes where there is none.
std::size_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

struct Case {
  const char* kernel;
  Arguments (*arguments)(std::uint32_t group_size);
  bool needs_f64;
  unsigned bounded_bytes;
};
Arguments subgroup_arguments(std::uint32_t group_size) {
  Numbers numbers(2);
  Arguments arguments;
  arguments.buffer(numbers.integers<std::uint32_t>(groups * group_size));
  arguments.buffer(std::vector<std::uint32_t>(groups * group_size));
  return arguments;
}

const Case cases[] = {
    {"words_integers", integer_arguments, false, 0},
    {"words_integer_vectors", vector_arguments, false, 0},
    {"words_subgroups", subgroup_arguments, false, 0},
    {"words_f32", float_arguments<float, std::uint32_t>, false, 0},
    {"words_f64", float_arguments<double, std::uint64_t>, true, 0},
    {"words_bounded_f32", bounded_arguments<float>, false, 4},
    {"words_approximate_f32", bounded_arguments<float>, false, 4},
    {"words_bounded_f64", bounded_arguments<double>, true, 8},
};

void compare_all(Device& device, std::uint32_t group_size) {
  SCOPED_TRACE("GROUP_SIZE " + std::to_string(group_size));
  TAKE(const auto host, HostProgram::build(source_for(Target::host), {.group_size = group_size}));
  ProgramSource source;
  source.text = source_for(device.traits().target);
  source.group_size = group_size;
  source.label = "words";
  TAKE(const auto program, device.build(source));
  for (const Case& c : cases) {
    if (c.needs_f64 && !device.traits().has_f64) continue;
    SCOPED_TRACE(c.kernel);
    const Arguments arguments = c.arguments(group_size);
    TAKE(const auto expected, arguments.on_host(host, c.kernel, groups, ThreadOrder::shuffled));
    TAKE(const auto actual, arguments.on_device(device, *program, c.kernel, groups));
    for (std::size_t i = 0; i < expected.size(); i++) {
      if (c.bounded_bytes == 0 || i != 1) {
        EXPECT_EQ(first_difference(actual[i], expected[i]), actual[i].size()) << "argument " << i;
        continue;
      }
      // OpenCL 1.2, section 7.4: pow's 16 units are the widest bound; the host's own library adds
      // one. 2^-20, the bound of approximations, is 8 to 16 units.
      const double distance = c.bounded_bytes == 4
                                  ? largest_distance<float>(expected[i], actual[i])
                                  : largest_distance<double>(expected[i], actual[i]);
      EXPECT_LE(distance, 17);
    }
  }
}

TEST(KernelWords, DevicesComputeWhatTheHostComputes) {
  on_each_device([](Device& device) {
    for (const std::uint32_t group_size : {1u, 64u, 96u})
      if (group_size <= device.traits().max_group_size) compare_all(device, group_size);
  });
}

// Also where another library's last digits are within the bounds.
TEST(KernelWords, BothCompilersOfTheCpuGiveTheSameBits) {
  on_each_device([](Device& device) {
    if (device.traits().target != Target::cpu) return;
    std::vector<std::vector<std::vector<std::byte>>> answers[2];
    for (const auto& [compiler, answer] :
         {std::pair("quick", &answers[0]), std::pair("optimising", &answers[1])}) {
      ASSERT_OK(choose_cpu_compiler(compiler));
      compare_all(device, 1);
      ProgramSource source;
      source.text = source_for(Target::cpu);
      TAKE(const auto program, device.build(source));
      EXPECT_EQ(name_of(*program->report().tier), compiler);
      for (const Case& c : cases) {
        TAKE(auto found, c.arguments(1).on_device(device, *program, c.kernel, groups));
        answer->push_back(std::move(found));
      }
    }
    ASSERT_OK(choose_cpu_compiler("auto"));
    EXPECT_EQ(answers[0], answers[1]);
  });
}

TEST(KernelWords, MetalsTextComputesWhatTheHostsDoes) {
  if (!HostProgram::finds_races()) GTEST_SKIP() << "clang++ compiles Metal's texts";
  for (const std::uint32_t group_size : {1u, 64u, 96u})
    compare_all(*make_host_device({.max_group_size = group_size,
                                   .order = ThreadOrder::shuffled,
                                   .target = Target::metal}),
                group_size);
}

// Without races, divergence or undefined behaviour, in any order, and by sub-groups as well as
// without.
TEST(KernelWords, RunOnTheHostWithoutAFindingInEveryOrderAndScan) {
  std::vector<std::vector<std::byte>> first;
  for (const char* subgroup_size : {"", "32", "16"}) {
    HostProgramOptions options{.group_size = 64};
    if (*subgroup_size) options.defines = {{"SUBGROUP_SIZE", subgroup_size}};
    TAKE(const auto host, HostProgram::build(source_for(Target::host), options));
    for (const ThreadOrder order :
         {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
      for (const Case& c : cases) {
        TAKE(const auto contents, c.arguments(64).on_host(host, c.kernel, groups, order));
        if (c.kernel != std::string("words_integers")) continue;
        if (first.empty()) first = contents;
        EXPECT_EQ(contents, first) << "sub-groups of '" << subgroup_size << "'";
      }
    }
  }
}

TEST(CopyBandwidth, IsMeasuredOnceAndIsPlausible) {
  on_each_device([](Device& device) {
    TAKE(const double once, copy_bandwidth(device));
    TAKE(const double again, copy_bandwidth(device));
    EXPECT_EQ(once, again);
    EXPECT_GT(once, 1e8);
    EXPECT_LT(once, 1e14);
  });
}

}  // namespace
}  // namespace penstock::kernel
