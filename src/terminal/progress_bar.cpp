#include "terminal/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <string>

#include "terminal/messages.hpp"

namespace penstock::terminal {

namespace {

// Ten a second are smooth, and cost nothing compared with a chunk's work.
constexpr auto redraw_interval = std::chrono::milliseconds(100);

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// "[####------]  40 %  "
std::string bar_text(std::uint64_t done, std::uint64_t total, std::size_t width) {
  const double share =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  char percent[16];
  std::snprintf(percent, sizeof percent, "%4.0f %%  ", share * 100);
  return "[" + std::string(filled, '#') + std::string(width - filled, '-') + "]" + percent;
}

}  // namespace

ProgressBar::ProgressBar(bool wanted) : enabled_(wanted && ::isatty(STDERR_FILENO) == 1) {}

std::optional<double> ProgressBar::seconds_when_due() {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now - last_ < redraw_interval) return std::nullopt;
  last_ = now;
  return std::max(std::chrono::duration<double>(now - start_).count(), 1e-6);
}

void ProgressBar::show(const Progress& progress) {
  // A run asks before its first chunk, too, whether it is still wanted.
  if (progress.rows_done == 0 && !progress.rows_total) return;
  const auto seconds = seconds_when_due();
  if (!seconds) return;
  std::string text = count_text(progress.rows_done);
  if (progress.rows_total) text += " of " + count_text(*progress.rows_total);
  draw(text + " rows, " + rate_text(static_cast<double>(progress.rows_done) / *seconds) + "rows/s",
       progress.rows_done, progress.rows_total);
}

void ProgressBar::show_frames(std::uint64_t done, std::optional<std::uint64_t> total) {
  const auto seconds = seconds_when_due();
  if (!seconds) return;
  std::string text = count_text(done);
  if (total) text += " of " + count_text(*total);
  draw(text + " frames, " + number_text(static_cast<double>(done) / *seconds, " frames/s"), done,
       total);
}

void ProgressBar::show_bytes(std::uint64_t done, std::optional<std::uint64_t> total) {
  const auto seconds = seconds_when_due();
  if (!seconds) return;
  std::string text = bytes_text(done);
  if (total) text += " of " + bytes_text(*total);
  draw(text + ", " + gigabytes_text(static_cast<double>(done) / *seconds), done, total);
}

void ProgressBar::draw(std::string text, std::uint64_t done, std::optional<std::uint64_t> total) {
  const std::size_t width = terminal_width();
  if (total && width > text.size() + 24)
    text = bar_text(done, *total, std::min<std::size_t>(40, width - text.size() - 14)) + text;
  std::fprintf(stderr, "\r%.*s\x1b[K", static_cast<int>(width - 1), text.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void ProgressBar::erase() {
  if (!visible_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace penstock::terminal
