// Functions of a module that wheel_stubs_test.py links with stub libraries. Each uses what an older
// glibc or libstdc++ lacks, and returns the line of what went wrong, or 0.
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <future>
#include <iterator>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#define CHECK(condition) \
  if (!(condition)) return __LINE__

namespace {
struct Counted {
  static inline int alive = 0;
  Counted() { alive++; }
  Counted(const Counted&) { alive++; }
  ~Counted() { alive--; }
};

std::exception_ptr thrown() {
  try {
    throw Counted();
  } catch (...) { return std::current_exception(); }
}
}  // namespace

extern "C" {
int exceptions_are_counted() {
  std::exception_ptr first = thrown(), second = first;
  first = nullptr;
  CHECK(Counted::alive == 1);
  try {
    std::rethrow_exception(second);
  } catch (const Counted&) {}
  CHECK(Counted::alive == 1);
  second = nullptr;
  CHECK(Counted::alive == 0);
  return 0;
}

int exceptions_pass_threads() {
  std::future<int> future =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("thrown"); });
  try {
    future.get();
    return __LINE__;
  } catch (const std::exception& error) { CHECK(error.what() == std::string("thrown")); }
  CHECK(std::uncaught_exceptions() == 0);
  return 0;
}

int errors_are_moved_and_thrown(int count) {
  std::runtime_error error("moved");
  CHECK(std::runtime_error(std::move(error)).what() == std::string("moved"));
  try {
    delete[] new int[count];
    return __LINE__;
  } catch (const std::bad_array_new_length&) {}
  return 0;
}

int streams_convert(double number) {
  std::ostringstream out;
  out << number;
  CHECK(out.str() == "2.5");
  std::stringstream both;
  both << 12;
  std::istringstream in(std::string("7"));
  int twelve = 0, seven = 0;
  CHECK(both >> twelve && in >> seven);
  CHECK(twelve == 12 && seven == 7);
  return 0;
}

int numbers_convert(double number) {
  char text[64];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, number / 3);
  double back = 0;
  CHECK(std::from_chars(text, end.ptr, back).ec == std::errc());
  CHECK(back == number / 3);
  CHECK(std::abs(std::exp(std::log(number)) - number) < 1e-12 && std::pow(number, 2) == 6.25);
  return 0;
}

int files_are_found(const char* folder, const char* file) {
  struct stat of_folder, of_file, of_link;
  CHECK(::stat(folder, &of_folder) == 0 && S_ISDIR(of_folder.st_mode));
  CHECK(::stat(file, &of_file) == 0 && S_ISREG(of_file.st_mode) && of_file.st_size == 3);
  const std::filesystem::path link = std::filesystem::path(folder) / "link";
  std::filesystem::create_symlink(file, link);
  CHECK(::lstat(link.c_str(), &of_link) == 0 && S_ISLNK(of_link.st_mode));
  CHECK(::stat((link / "below").c_str(), &of_link) == -1 && errno == ENOTDIR);
  CHECK(std::filesystem::file_size(link) == 3);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
  try {
    std::filesystem::rename(link / "below", link);
    return __LINE__;
  } catch (const std::filesystem::filesystem_error& error) {
    CHECK(error.code() == std::errc::not_a_directory);
  }
  return 0;
}

int waits_end(int milliseconds) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  const std::chrono::milliseconds time(milliseconds);
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  CHECK(!never.wait_for(lock, time, [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - begin >= time);
  return 0;
}
}
