// Chunks by every policy that `penstock tune` may try, on every device by every variant that fits:
// the outputs must stay the same.
#include "codec/batch/chunk_decoder.hpp"
#include "kernel/tuned_policies.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

TEST(TunedChunks, OutputsAreTheSameByEveryPolicy) {
  const Reference& reference = lz4_reference();
  std::vector<Bytes> outputs;
  for (std::uint32_t bytes = 0; bytes < 20000; bytes += 997)
    outputs.push_back(mixed_output(bytes, bytes));
  on_each_method(Format::lz4, [&](const Method& method) {
    const std::string family = decoding_family(Format::lz4);
    for (const kernel::VariantCase& each : kernel::variant_cases(method.device->traits()))
      for (const kernel::VariantRow& row : each.rows)
        for (const kernel::PolicyNumber& number : row.policy)
          for (const std::uint32_t choice : number.choices) {
            if (each.family != family || row.name != method.variant) continue;
            SCOPED_TRACE(number.name + "=" + std::to_string(choice));
            const kernel::PolicyTrial trial(family, {{number.name, choice}});
            expect_outputs(method, reference, outputs);
          }
  });
}

}  // namespace
}  // namespace penstock::batch
