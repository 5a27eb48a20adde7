#include "terminal/messages.hpp"

#include <atomic>
#include <cstdio>

#include "terminal/arguments.hpp"
#include "terminal/format.hpp"

namespace penstock::terminal {
namespace {

std::atomic<bool> has_warned = false;

}  // namespace

void print_line(std::string_view text) {
  std::fprintf(stderr, "%s\n", terminal_text(text).c_str());
}

void print_warning(std::string_view text) {
  has_warned = true;
  print_line("penstock: warning: " + std::string(text));
}

int print_outcome(const Status& status) {
  if (status.ok()) return has_warned ? exit_warning : exit_ok;
  if (status.code() == Code::cancelled) {
    std::fprintf(stderr, "penstock: cancelled\n");
    return exit_interrupted;
  }
  std::string text = "penstock: " + std::string(name_of(status.code())) + ": " + status.message();
  for (const std::string& context : status.context()) text += "\n  " + context;
  print_line(text);
  return exit_failed;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return number_text(seconds, " s");
  if (seconds >= 1e-3) return number_text(seconds * 1e3, " ms");
  return number_text(seconds * 1e6, " us");
}

std::string rate_text(double per_second) {
  if (per_second >= 1e9) return number_text(per_second / 1e9, " G");
  if (per_second >= 1e6) return number_text(per_second / 1e6, " M");
  if (per_second >= 1e3) return number_text(per_second / 1e3, " k");
  return number_text(per_second, " ");
}

std::string gigabytes_text(double bytes_per_second) {
  if (bytes_per_second < 1e8) return number_text(bytes_per_second / 1e6, " MB/s");
  return number_text(bytes_per_second / 1e9, " GB/s");
}

}  // namespace penstock::terminal
