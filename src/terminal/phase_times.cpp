#include "terminal/phase_times.hpp"

namespace penstock::terminal {

Status TimedQueue::launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                          std::span<const Argument> arguments) {
  return timed(kernel, [&] { return queue_.launch(program, kernel, groups, arguments); });
}

Status TimedQueue::launch_resident(const Program& program, std::string_view kernel,
                                   std::uint32_t groups, std::span<const Argument> arguments) {
  return timed(kernel, [&] { return queue_.launch_resident(program, kernel, groups, arguments); });
}

template <class Command> Status TimedQueue::timed(std::string_view kernel, Command command) {
  Launch launch{std::string(kernel), nullptr, nullptr};
  PENSTOCK_ASSIGN(launch.begun, queue_.record());
  PENSTOCK_TRY(command());
  PENSTOCK_ASSIGN(launch.done, queue_.record());
  launches_.push_back(std::move(launch));
  return {};
}

Result<std::vector<PhaseTime>> TimedQueue::take_times() {
  std::vector<PhaseTime> times;
  const Event* begun = nullptr;
  for (const Launch& launch : launches_) {
    PENSTOCK_TRY(launch.done->wait());
    const bool goes_on = !times.empty() && times.back().kernel == launch.kernel;
    if (!goes_on) begun = launch.begun.get(), times.push_back({launch.kernel, 0});
    PENSTOCK_ASSIGN(times.back().seconds, launch.done->seconds_since(*begun));
  }
  launches_.clear();
  return times;
}

}  // namespace penstock::terminal
