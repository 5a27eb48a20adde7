// The progress bar of running work, on stderr when that is a terminal; erased when it ends.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "penstock/run.hpp"

namespace penstock::terminal {

class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { erase(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);  // rows
  void show_frames(std::uint64_t done, std::optional<std::uint64_t> total);
  void show_bytes(std::uint64_t done, std::optional<std::uint64_t> total);
  void erase();

 private:
  // Returns the seconds since the start where the bar is due to be drawn again.
  std::optional<double> seconds_when_due();
  void draw(std::string text, std::uint64_t done, std::optional<std::uint64_t> total);
  using Clock = std::chrono::steady_clock;
  bool enabled_, visible_ = false;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

}  // namespace penstock::terminal
