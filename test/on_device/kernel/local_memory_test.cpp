// The local memory that a device's traits promise to a group.
#include "kernel/kernel_source.hpp"
#include "on_device/device/device_fixture.hpp"

namespace penstock {
namespace {

// Each thread writes its words, and adds up the words of another one.
constexpr const char* body = R"(
typedef struct {
  u32 words[LOCAL_WORDS];
} AllWords;

KERNEL(add_local_words, AllWords, OUT(u32, sums)) {
  const u32 id = LOCAL_ID(work);
  u32 sum = 0;
  for (u32 i = id; i < LOCAL_WORDS; i += GROUP_SIZE) tile->words[i] = 3u * i + 1u;
  BARRIER(work);
  for (u32 i = GROUP_SIZE - 1u - id; i < LOCAL_WORDS; i += GROUP_SIZE) sum += tile->words[i];
  sums[(u64)GROUP_ID(work) * GROUP_SIZE + id] = sum;
}
)";

TEST(LocalMemory, AGroupHasAllThatTheTraitsPromise) {
  on_each_device([](Device& device) {
    const std::uint32_t group_size = device.traits().wants_single_thread_groups() ? 1 : 64;
    const auto words = static_cast<std::uint32_t>(device.traits().local_bytes / 4);
    const kernel::SourcePart parts[] = {
        {"local_memory.kc", "#define LOCAL_WORDS " + std::to_string(words) + "u\n" + body}};
    ProgramSource source;
    source.text = kernel::assemble(device.traits().target, parts);
    source.group_size = group_size;
    source.label = "local memory";
    TAKE(auto program, device.build(source));
    constexpr std::uint32_t groups = 300;
    std::vector<std::uint32_t> sums(groups * group_size);
    TAKE(auto queue, device.queue());
    TAKE(auto buffer, device.allocate(sums.size() * 4));
    ASSERT_OK(queue->launch(*program, "add_local_words", groups, {{Argument::of(*buffer)}}));
    ASSERT_OK(queue->download(sums.data(), *buffer, sums.size() * 4));
    ASSERT_OK(queue->finish());
    for (std::size_t i = 0; i < sums.size(); i++) {
      std::uint32_t wanted = 0;
      for (std::uint64_t word = group_size - 1 - i % group_size; word < words; word += group_size)
        wanted += static_cast<std::uint32_t>(3 * word + 1);
      ASSERT_EQ(sums[i], wanted) << "thread " << i;
    }
  });
}

}  // namespace
}  // namespace penstock
