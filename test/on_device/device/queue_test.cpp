// Every call of Queue, Device and Event on every device.
#include <cmath>
#include <thread>

#include "on_device/device/device_fixture.hpp"

namespace penstock {
namespace {

Result<std::shared_ptr<Program>> build_basic(Device& device, const std::string& salt = "") {
  return device.build({.text = source_for(device.traits().target, basic_body) + salt,
                       .group_size = threads_of(device),
                       .defines = {},
                       .fast_math = false,
                       .label = "basic"});
}

std::vector<std::uint32_t> counted(std::size_t count, std::uint32_t from = 0) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

TEST(Queue, UploadThenDownloadGivesTheBytesBack) {
  on_each_device([](Device& device) {
    const auto in = counted(100003);
    std::vector<std::uint32_t> out(in.size());
    TAKE(auto buffer, device.allocate(in.size() * 4));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->upload(*buffer, in.data(), in.size() * 4));
    ASSERT_OK(queue->download(out.data(), *buffer, out.size() * 4));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(in, out);
  });
}

// Kernels of more than two queues run at once on a machine of two cores, too.
const int four_threads_of_pocl = setenv("POCL_MAX_PTHREAD_COUNT", "4", 0);

// PoCL before 6.0 aborts if grids of one kernel run at once and the latest is the largest so far:
// it releases the larger grid's code instead of the smaller grids' code.
TEST(Queue, AGridLargerThanThoseThatRunIsComputed) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    constexpr std::uint32_t rounds = 1 << 18;
    const auto in = counted(group_size * 50);
    TAKE(auto program, build_basic(device, "// grids that grow"));
    std::vector<std::unique_ptr<Queue>> queues(4);
    std::vector<std::shared_ptr<Buffer>> buffers(4);
    for (std::size_t i = 0; i < queues.size(); i++) {
      TAKE(queues[i], device.queue());
      TAKE(buffers[i], on_device(device, *queues[i], in));
    }
    for (std::uint32_t groups = 1; groups <= 50; groups++) {
      for (std::size_t i = 0; i < queues.size(); i++) {
        const bool is_larger = i == 3;
        const Argument arguments[] = {Argument::of(*buffers[i]),
                                      Argument::value(is_larger ? 0 : rounds),
                                      Argument::value(groups * group_size)};
        ASSERT_OK(queues[i]->launch(*program, "spin", is_larger ? groups : 1, arguments));
        ASSERT_OK(queues[i]->flush());
      }
      for (const auto& queue : queues) ASSERT_OK(queue->finish());
    }
    std::vector<std::uint32_t> out(in.size());
    ASSERT_OK(queues[3]->download(out.data(), *buffers[3], out.size() * 4));
    ASSERT_OK(queues[3]->finish());
    EXPECT_EQ(in, out);
  });
}

TEST(Queue, OffsetsCountBytesOnBothSides) {
  on_each_device([](Device& device) {
    const auto in = counted(16);
    std::vector<std::uint32_t> out(16, 7);
    TAKE(auto buffer, device.allocate(64));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->fill(*buffer, 9, 64));
    ASSERT_OK(queue->upload(*buffer, in.data(), 16, 32));
    ASSERT_OK(queue->download(out.data(), *buffer, 32, 28));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(out, (std::vector<std::uint32_t>{9, 0, 1, 2, 3, 9, 9, 9, 7, 7, 7, 7, 7, 7, 7, 7}));
  });
}

TEST(Queue, RangesPastTheEndAreRefusedBeforeTheDriverSeesThem) {
  on_each_device([](Device& device) {
    std::uint32_t word = 0;
    TAKE(auto buffer, device.allocate(16));
    TAKE(auto small, device.allocate(8));
    TAKE(auto queue, device.queue());
    EXPECT_EQ(queue->upload(*buffer, &word, 4, 13).code(), Code::invalid);
    EXPECT_EQ(queue->download(&word, *buffer, 4, ~std::uint64_t{0}).code(), Code::invalid);
    EXPECT_EQ(queue->copy(*small, *buffer, 16).code(), Code::invalid);
    EXPECT_EQ(queue->copy(*buffer, *buffer, 16).code(), Code::invalid);
    EXPECT_EQ(queue->fill(*buffer, 1, 20).code(), Code::invalid);
    EXPECT_EQ(queue->fill(*buffer, 1, 6).code(), Code::invalid);
    EXPECT_OK(queue->finish());
  });
}

TEST(Queue, CopyAndFillMoveWholeBuffers) {
  on_each_device([](Device& device) {
    std::vector<std::uint32_t> out(1000);
    TAKE(auto a, device.allocate(4000));
    TAKE(auto b, device.allocate(4000));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->fill(*a, 0xDEADBEEF, 4000));
    ASSERT_OK(queue->fill(*b, 0, 4000));
    ASSERT_OK(queue->copy(*b, *a, 3996));
    ASSERT_OK(queue->download(out.data(), *b, 4000));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(out[0], 0xDEADBEEF);
    EXPECT_EQ(out[998], 0xDEADBEEF);
    EXPECT_EQ(out[999], 0u);
  });
}

TEST(Queue, LaunchPassesBuffersAndValuesInOrder) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 10007, groups = (count + group_size - 1) / group_size;
    const auto in = counted(count);
    std::vector<std::uint32_t> out(count);
    TAKE(auto program, build_basic(device));
    TAKE(auto a, device.allocate(count * 4));
    TAKE(auto b, device.allocate(count * 4));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->upload(*a, in.data(), count * 4));
    const Argument arguments[] = {Argument::of(*a), Argument::of(*b), Argument::value(5u),
                                  Argument::value(count)};
    ASSERT_OK(queue->launch(*program, "add", groups, arguments));
    ASSERT_OK(queue->download(out.data(), *b, count * 4));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(out, counted(count, 5));
  });
}

TEST(Queue, LocalMemoryAndBarriersWorkWithinAGroup) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    auto values = counted(group_size * 10);
    TAKE(auto program, build_basic(device));
    TAKE(auto buffer, device.allocate(values.size() * 4));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->upload(*buffer, values.data(), values.size() * 4));
    ASSERT_OK(queue->launch(*program, "reverse_group", 10, {{Argument::of(*buffer)}}));
    ASSERT_OK(queue->download(values.data(), *buffer, values.size() * 4));
    ASSERT_OK(queue->finish());
    for (std::uint32_t i = 0; i < values.size(); i++)
      ASSERT_EQ(values[i], i / group_size * group_size + group_size - 1 - i % group_size);
  });
}

TEST(Queue, WrongLaunchesAreNamedErrorsAndTheQueueLivesOn) {
  on_each_device([](Device& device) {
    TAKE(auto program, build_basic(device));
    TAKE(auto buffer, device.allocate(1024));
    TAKE(auto queue, device.queue());
    const Status no_kernel = queue->launch(*program, "subtract", 1, {{Argument::of(*buffer)}});
    EXPECT_EQ(no_kernel.code(), Code::invalid);
    EXPECT_NE(no_kernel.text().find("subtract"), std::string::npos);
    const Status too_few = queue->launch(*program, "add", 1, {{Argument::of(*buffer)}});
    EXPECT_EQ(too_few.code(), Code::invalid);
    EXPECT_NE(too_few.text().find("takes 4 arguments, not 1"), std::string::npos) << too_few.text();
    const Argument wide[] = {Argument::of(*buffer), Argument::of(*buffer),
                             Argument::value(std::uint64_t{1}), Argument::value(1u)};
    const Status wrong_size = queue->launch(*program, "add", 1, wide);
    EXPECT_EQ(wrong_size.code(), Code::invalid) << wrong_size.text();
    EXPECT_NE(wrong_size.text().find("argument 2"), std::string::npos) << wrong_size.text();
    const Argument empty[] = {Argument::of(*buffer), Argument::of(*buffer), Argument{},
                              Argument::value(1u)};
    EXPECT_EQ(queue->launch(*program, "add", 1, empty).code(), Code::invalid);
    EXPECT_OK(queue->fill(*buffer, 0, 1024));
    EXPECT_OK(queue->launch(*program, "reverse_group", 0, {{Argument::of(*buffer)}}));
    EXPECT_OK(queue->launch(*program, "reverse_group", 2, {{Argument::of(*buffer)}}));
    EXPECT_OK(queue->finish());
  });
}

TEST(Queue, ValuesOfSixteenBytesArriveWhole) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    struct Four {
      std::uint32_t w[4];
    };
    const std::string body =
        "typedef struct { unsigned w[4]; } Four;\n"
        "KERNEL spread(GLOBAL unsigned* a, Four four) {\n"
        "  for (unsigned i = THREAD; i < 4; i += GROUP_SIZE) a[i] = four.w[i];\n}\n";
    TAKE(auto program, device.build({.text = source_for(device.traits().target, body),
                                     .group_size = group_size,
                                     .defines = {},
                                     .fast_math = false,
                                     .label = "spread"}));
    TAKE(auto buffer, device.allocate(16));
    TAKE(auto queue, device.queue());
    Four out{};
    ASSERT_OK(queue->launch(*program, "spread", 1,
                            {{Argument::of(*buffer), Argument::value(Four{{1, 2, 3, 4}})}}));
    ASSERT_OK(queue->download(&out, *buffer, 16));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(out.w[0] * 1000 + out.w[1] * 100 + out.w[2] * 10 + out.w[3], 1234u);
  });
}

TEST(Queue, WaitForOrdersTwoQueuesWithoutTheHost) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 1 << 16;
    const auto in = counted(count);
    std::vector<std::uint32_t> out(count), want = in;
    for (auto& x : want) {
      for (int i = 0; i < 2000; i++) x = x * 1664525u + 1013904223u;
      x += 1;
    }
    TAKE(auto program, build_basic(device));
    TAKE(auto a, device.allocate(count * 4));
    TAKE(auto b, device.allocate(count * 4));
    TAKE(auto first, device.queue());
    TAKE(auto second, device.queue());
    const Argument spin[] = {Argument::of(*a), Argument::value(2000u), Argument::value(count)};
    const Argument add[] = {Argument::of(*a), Argument::of(*b), Argument::value(1u),
                            Argument::value(count)};
    for (int round = 0; round < 5; round++) {
      ASSERT_OK(first->upload(*a, in.data(), count * 4));
      ASSERT_OK(first->launch(*program, "spin", count / group_size, spin));
      TAKE(auto spun, first->record());
      ASSERT_OK(second->wait_for(*spun));
      ASSERT_OK(second->launch(*program, "add", count / group_size, add));
      ASSERT_OK(second->download(out.data(), *b, count * 4));
      ASSERT_OK(second->finish());
      ASSERT_EQ(out, want);
    }
  });
}

TEST(Event, SecondsGrowWithTheWorkBetween) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 1 << 14;
    TAKE(auto program, build_basic(device));
    TAKE(auto a, device.allocate(count * 4));
    TAKE(auto queue, device.queue());
    const auto launch = [&](std::uint32_t rounds) {
      const Argument spin[] = {Argument::of(*a), Argument::value(rounds), Argument::value(count)};
      return queue->launch(*program, "spin", count / group_size, spin);
    };
    ASSERT_OK(queue->fill(*a, 1, count * 4));
    ASSERT_OK(launch(1));
    double short_seconds = 100,
           long_seconds = 100;  // the least of some, as others may use the device too
    for (int i = 0; i < 5; i++) {
      TAKE(auto start, queue->record());
      ASSERT_OK(launch(100));
      TAKE(auto middle, queue->record());
      ASSERT_OK(launch(100000));
      TAKE(auto end, queue->record());
      ASSERT_OK(queue->flush());
      ASSERT_OK(end->wait());
      TAKE(const double shorter, middle->seconds_since(*start));
      TAKE(const double longer, end->seconds_since(*middle));
      EXPECT_GE(shorter, 0);
      short_seconds = std::min(short_seconds, shorter);
      long_seconds = std::min(long_seconds, longer);
    }
    EXPECT_GT(long_seconds, short_seconds);
    EXPECT_LT(long_seconds, 100);
  });
}

TEST(Queue, DestroyingAQueueWaitsForItsDownload) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 1 << 16;
    std::vector<std::uint32_t> out(count, 0);
    TAKE(auto program, build_basic(device));
    TAKE(auto a, device.allocate(count * 4));
    {
      TAKE(auto queue, device.queue());
      ASSERT_OK(queue->fill(*a, 1, count * 4));
      const Argument spin[] = {Argument::of(*a), Argument::value(20000u), Argument::value(count)};
      ASSERT_OK(queue->launch(*program, "spin", count / group_size, spin));
      ASSERT_OK(queue->download(out.data(), *a, count * 4));
    }
    std::uint32_t want = 1;
    for (int i = 0; i < 20000; i++) want = want * 1664525u + 1013904223u;
    EXPECT_EQ(out[0], want);
    EXPECT_EQ(out[count - 1], want);
  });
}

// The pool's rule: while a former owner's work on memory still runs in one queue, no other queue
// may overwrite the memory.
TEST(Pool, ReusedMemoryWaitsForItsFormerOwnersQueue) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 1 << 18;
    TAKE(auto program, build_basic(device));
    TAKE(auto result, device.allocate(count * 4));
    TAKE(auto slow, device.queue());
    TAKE(auto other, device.queue());
    for (int round = 0; round < 5; round++) {
      std::vector<std::uint32_t> out(count);
      {
        TAKE(auto scratch, device.allocate(count * 4));
        ASSERT_OK(slow->fill(*scratch, 1, count * 4));
        const Argument spin[] = {Argument::of(*scratch), Argument::value(1000u),
                                 Argument::value(count)};
        const Argument add[] = {Argument::of(*scratch), Argument::of(*result), Argument::value(0u),
                                Argument::value(count)};
        ASSERT_OK(slow->launch(*program, "spin", count / group_size, spin));
        ASSERT_OK(slow->launch(*program, "add", count / group_size, add));
      }
      TAKE(auto reused, device.allocate(count * 4));
      ASSERT_OK(other->fill(*reused, 0, count * 4));
      ASSERT_OK(other->flush());
      ASSERT_OK(slow->download(out.data(), *result, count * 4));
      ASSERT_OK(slow->finish());
      std::uint32_t want = 1;
      for (int i = 0; i < 1000; i++) want = want * 1664525u + 1013904223u;
      ASSERT_EQ(out, std::vector<std::uint32_t>(count, want));
      ASSERT_OK(other->finish());
    }
  });
}

TEST(Device, ReleasingBuffersOfPendingWorkIsSafe) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = 1 << 12;
    TAKE(auto program, build_basic(device));
    TAKE(auto queue, device.queue());
    for (int i = 0; i < 200; i++) {
      TAKE(auto buffer, device.allocate((count + static_cast<std::uint32_t>(i)) * 4));
      const Argument spin[] = {Argument::of(*buffer), Argument::value(10u), Argument::value(count)};
      ASSERT_OK(queue->fill(*buffer, 1, buffer->bytes()));
      ASSERT_OK(queue->launch(*program, "spin", count / group_size, spin));
    }
    EXPECT_OK(queue->finish());
  });
}

TEST(Device, BuffersAboveTheLargestAllocationAreRefusedByName) {
  on_each_device([](Device& device) {
    const auto buffer = device.allocate(device.traits().max_allocation_bytes + 1);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.status().code(), Code::capacity);
    EXPECT_NE(buffer.status().text().find(std::to_string(device.traits().max_allocation_bytes)),
              std::string::npos);
  });
}

TEST(Device, ExhaustedMemoryIsAnErrorThatSaysHowMuch) {
  on_each_device([](Device& device) {
    const std::uint64_t piece =
        std::min(device.traits().max_allocation_bytes, device.traits().global_bytes);
    std::vector<std::shared_ptr<Buffer>> held;
    Status last;
    while (last.ok() && held.size() < 64) {
      auto buffer = device.allocate(piece);
      if (buffer.ok())
        held.push_back(*buffer);
      else
        last = buffer.status();
    }
    EXPECT_EQ(last.code(), Code::no_memory) << last.text();
    EXPECT_NE(last.text().find("free"), std::string::npos);
    EXPECT_NE(last.text().find("limit"), std::string::npos);
    held.clear();
    EXPECT_OK(device.allocate(1 << 20));
  });
}

TEST(Device, EmptyBuffersExist) {
  on_each_device([](Device& device) {
    TAKE(auto buffer, device.allocate(0));
    TAKE(auto queue, device.queue());
    EXPECT_EQ(buffer->bytes(), 0u);
    EXPECT_OK(queue->upload(*buffer, nullptr, 0));
    EXPECT_OK(queue->fill(*buffer, 0, 0));
    EXPECT_OK(queue->download(nullptr, *buffer, 0));
    EXPECT_OK(queue->finish());
  });
}

TEST(Device, HostBuffersTakeUploadsAndDownloads) {
  on_each_device([](Device& device) {
    TAKE(auto from, device.allocate_host(100000));
    TAKE(auto to, device.allocate_host(100000));
    TAKE(auto buffer, device.allocate(100000));
    TAKE(auto queue, device.queue());
    ASSERT_EQ(from->bytes(), 100000u);
    for (int i = 0; i < 100000; i++) from->data()[i] = static_cast<std::byte>(i * 7);
    std::memset(to->data(), 0, 100000);
    ASSERT_OK(queue->upload(*buffer, from->data(), 100000));
    ASSERT_OK(queue->download(to->data(), *buffer, 100000));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(std::memcmp(from->data(), to->data(), 100000), 0);
  });
}

TEST(Device, WrappedHostMemoryIsReadAndWrittenInPlace) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    alignas(64) static std::uint32_t memory[64 * 4];
    const auto wrapped = device.wrap_host(memory, sizeof memory);
    if (!device.traits().unified_memory) {
      EXPECT_EQ(wrapped.status().code(), Code::unsupported);
      return;
    }
    ASSERT_OK(wrapped);
    for (std::uint32_t i = 0; i < group_size * 4; i++) memory[i] = i;
    TAKE(auto program, build_basic(device));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->launch(*program, "reverse_group", 4, {{Argument::of(**wrapped)}}));
    ASSERT_OK(queue->finish());
    for (std::uint32_t i = 0; i < group_size * 4; i++)
      ASSERT_EQ(memory[i], i / group_size * group_size + group_size - 1 - i % group_size);
  });
}

TEST(Device, ResidentGroupsFillTheDevice) {
  on_each_device([](Device& device) {
    TAKE(auto program, build_basic(device));
    TAKE(const std::uint32_t groups, device.resident_groups(*program, "reverse_group"));
    EXPECT_GE(groups, device.traits().compute_units);
    EXPECT_LE(groups, device.traits().compute_units * 32);
    EXPECT_FALSE(device.resident_groups(*program, "subtract").ok());
  });
}

// a*b+c contracted to a fused multiply-add would differ from the host in the last digit of about
// half of these.
TEST(Queue, AResidentLaunchRunsAllGroupsAtOnceOrIsRefused) {
  on_each_device([](Device& device) {
    const std::string body =
        "KERNEL meet(GLOBAL volatile unsigned* arrived, unsigned groups) {\n"
        "  if (THREAD == 0) { ADD(arrived); while (*arrived < groups) {} }\n}\n";
    const std::string add =
        device.traits().target == Target::cuda ? "#define ADD(p) atomicAdd((unsigned*)(p), 1u)\n"
        : device.traits().target == Target::opencl ? "#define ADD(p) atomic_inc(p)\n"
                                                   : "#define ADD(p) ATOMIC_ADD_U32(p, 1u)\n";
    TAKE(auto program, device.build({.text = source_for(device.traits().target, add + body),
                                     .group_size = threads_of(device),
                                     .defines = {},
                                     .fast_math = false,
                                     .label = "meet"}));
    TAKE(auto arrived, device.allocate(4));
    TAKE(auto queue, device.queue());
    ASSERT_OK(queue->fill(*arrived, 0, 4));
    if (!device.traits().forward_progress) {
      EXPECT_EQ(queue
                    ->launch_resident(*program, "meet", 1,
                                      {{Argument::of(*arrived), Argument::value(1u)}})
                    .code(),
                Code::unsupported);
      return;
    }
    TAKE(const std::uint32_t groups, device.resident_groups(*program, "meet"));
    ASSERT_OK(queue->launch_resident(*program, "meet", groups,
                                     {{Argument::of(*arrived), Argument::value(groups)}}));
    ASSERT_OK(queue->finish());
    EXPECT_FALSE(queue
                     ->launch_resident(*program, "meet", groups + 1,
                                       {{Argument::of(*arrived), Argument::value(1u)}})
                     .ok());
    EXPECT_OK(queue->finish());
  });
}

TEST(Device, FloatArithmeticEqualsTheHostsWithoutContraction) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    const std::uint32_t count = group_size * 64;
    std::vector<float> a(count), b(count), c(count), d(count), e(count);
    std::uint32_t state = 12345;
    const auto next = [&state] {
      return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 4099.0f + 0.1f;
    };
    for (std::uint32_t i = 0; i < count; i++)
      a[i] = next(), b[i] = next(), c[i] = -a[i] * b[i] * 1.0000001f;
    TAKE(auto program, build_basic(device));
    TAKE(auto queue, device.queue());
    std::vector<std::shared_ptr<Buffer>> buffers;
    std::vector<Argument> arguments;
    for (const auto* values : {&a, &b, &c, &d, &e}) {
      TAKE(auto buffer, device.allocate(count * 4));
      ASSERT_OK(queue->upload(*buffer, values->data(), count * 4));
      arguments.push_back(Argument::of(*buffer));
      buffers.push_back(std::move(buffer));
    }
    ASSERT_OK(queue->launch(*program, "multiply_add", count / group_size, arguments));
    ASSERT_OK(queue->download(d.data(), *buffers[3], count * 4));
    ASSERT_OK(queue->download(e.data(), *buffers[4], count * 4));
    ASSERT_OK(queue->finish());
    for (std::uint32_t i = 0; i < count; i++) {
      volatile const float product = a[i] * b[i];  // volatile: the host must not contract either
      ASSERT_EQ(d[i], product + c[i]) << i;
      ASSERT_EQ(e[i], a[i] / b[i]) << i;
    }
  });
}

TEST(Device, QueuesOfDifferentThreadsLaunchOneKernelAtOnce) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = threads_of(device);
    TAKE(auto program, build_basic(device));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint32_t t = 0; t < 4; t++) {
      threads.emplace_back([&, t] {
        const std::uint32_t count = 4096;
        const auto in = counted(count);
        auto a = device.allocate(count * 4), b = device.allocate(count * 4);
        auto queue = device.queue();
        if (!a.ok() || !b.ok() || !queue.ok() || !(*queue)->upload(**a, in.data(), count * 4).ok())
          return void(wrong++);
        for (std::uint32_t round = 0; round < 50; round++) {
          std::vector<std::uint32_t> out(count);
          const Argument add[] = {Argument::of(**a), Argument::of(**b),
                                  Argument::value(t * 1000 + round), Argument::value(count)};
          if (!(*queue)->launch(*program, "add", count / group_size, add).ok() ||
              !(*queue)->download(out.data(), **b, count * 4).ok() || !(*queue)->finish().ok() ||
              out != counted(count, t * 1000 + round))
            wrong++;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST(Device, BuffersOfAnotherDeviceAreRefused) {
  const auto all = list_devices();
  if (all.size() < 2) GTEST_SKIP() << "one device only";
  TAKE(auto first, open_device(all[0].id));
  TAKE(auto second, open_device(all[1].id));
  TAKE(auto buffer, first->allocate(64));
  TAKE(auto queue, second->queue());
  EXPECT_EQ(queue->fill(*buffer, 0, 64).code(), Code::invalid);
}

TEST(OpenDevice, OneDeviceAProcess) {
  on_each_device([](Device& device) {
    TAKE(auto again, open_device(device.traits().id));
    EXPECT_EQ(again.get(), &device);
  });
}

TEST(OpenDevice, KindsChooseFromTheList) {
  const auto all = list_devices();
  ASSERT_FALSE(all.empty());
  TAKE(auto first, open_device(""));
  EXPECT_EQ(first->traits().id, all[0].id);
  for (const Traits& traits : all) {
    TAKE(auto by_driver, open_device(name_of(traits.target)));
    EXPECT_EQ(by_driver->traits().target, traits.target);
    TAKE(auto by_kind, open_device(traits.is_cpu ? "cpu" : "gpu"));
    EXPECT_EQ(by_kind->traits().is_cpu, traits.is_cpu);
  }
}

TEST(OpenDevice, WrongSelectorsSayWhatThereIs) {
  const auto all = list_devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(open_device("gpgpu").status().code(), Code::invalid);
  EXPECT_EQ(open_device("opencl:").status().code(), Code::invalid);
  EXPECT_EQ(open_device("opencl:-1").status().code(), Code::invalid);
  const Status absent = open_device("opencl:77").status();
  EXPECT_EQ(absent.code(), Code::no_device);
  EXPECT_NE(absent.text().find(all[0].id), std::string::npos) << absent.text();
}

TEST(Device, TraitsAreWhatPlansDivideBy) {
  on_each_device([](Device& device) {
    const Traits& traits = device.traits();
    EXPECT_FALSE(traits.name.empty() || traits.vendor.empty() || traits.driver.empty() ||
                 traits.architecture.empty() || traits.compiler.empty());
    EXPECT_GE(traits.compute_units, 1u);
    EXPECT_GE(traits.max_group_size, traits.is_cpu ? 1u : 64u);
    EXPECT_GE(traits.subgroup_size, 1u);
    EXPECT_GE(traits.global_bytes, traits.max_allocation_bytes);
    EXPECT_GT(traits.max_allocation_bytes, std::uint64_t{1} << 20);
    EXPECT_GE(traits.local_bytes, 16u << 10);
  });
}

}  // namespace
}  // namespace penstock
