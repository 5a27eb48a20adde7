#include "codec/fsst/device/device_choice.hpp"

#include <algorithm>

namespace penstock::fsst {
namespace {

void add(std::vector<Argument>& arguments, const Choice& choice) {
  arguments.push_back(Argument::value(choice.count));
  arguments.push_back(Argument::value(choice.count_at));
  arguments.push_back(Argument::value(choice.flags));
}

}  // namespace

Status enqueue_measure(Queue& queue, const Program& program, const Traits& traits,
                       const DeviceStrings& strings, const Choice& choice, const Buffer& lengths,
                       const Buffer& verdict) {
  constexpr std::uint64_t rows_per_thread = 8;  // fsst_measure.kc
  std::vector<Argument> arguments;
  for (const auto& buffer : {strings.codes, strings.offsets, strings.groups, strings.tables})
    arguments.push_back(Argument::of(*buffer));
  for (const Buffer* buffer : {choice.rows, choice.counted, &lengths, &verdict})
    arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::value(strings.code_bytes));
  arguments.push_back(Argument::value(strings.row_count));
  arguments.push_back(Argument::value(strings.group_count));
  add(arguments, choice);
  const std::uint64_t tiles = choice.count / (rows_per_thread * program.group_size()) + 1,
                      most = traits.compute_units * std::uint64_t{64};
  return queue.launch(program, "fsst_measure", static_cast<std::uint32_t>(std::min(tiles, most)),
                      arguments);
}

std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceText& text,
                                       std::uint64_t text_capacity, const Buffer& verdict) {
  std::vector<Argument> arguments;
  for (const auto& buffer :
       {strings.codes, strings.offsets, strings.groups, strings.tables, text.offsets, text.bytes})
    arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::of(verdict));
  arguments.push_back(Argument::value(strings.code_bytes));
  arguments.push_back(Argument::value(text_capacity));
  return arguments;
}

std::vector<Argument> decode_arguments(const DeviceStrings& strings, const DeviceText& text,
                                       std::uint64_t text_capacity, const Buffer& verdict,
                                       const Choice& choice) {
  std::vector<Argument> arguments = decode_arguments(strings, text, text_capacity, verdict);
  arguments.push_back(Argument::value(strings.row_count));
  arguments.push_back(Argument::value(strings.group_count));
  arguments.push_back(Argument::of(*choice.rows));
  arguments.push_back(Argument::of(*choice.counted));
  add(arguments, choice);
  return arguments;
}

}  // namespace penstock::fsst
