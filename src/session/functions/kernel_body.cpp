#include "session/functions/kernel_body.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace penstock::session {
namespace {

constexpr std::array<std::string_view, 14> math = {"sqrt",  "floor", "ceil", "round", "rint",
                                                   "trunc", "exp",   "log",  "log10", "sin",
                                                   "cos",   "tan",   "fabs", "pow"};
constexpr std::string_view remainder = "fmod";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the end of a comment or a literal that begins at `at`; `at` if none does.
std::size_t end_of_quoted(std::string_view body, std::size_t at) {
  const auto behind = [&](std::string_view mark) {
    const std::size_t end = body.find(mark, at + 2);
    return end == std::string_view::npos ? body.size() : end + mark.size();
  };
  if (body.substr(at, 2) == "//") return behind("\n");
  if (body.substr(at, 2) == "/*") return behind("*/");
  const char quote = body[at];
  if (quote != '"' && quote != '\'') return at;
  std::size_t end = at + 1;
  while (end < body.size() && body[end] != quote) end += body[end] == '\\' ? 2 : 1;
  return std::min(end + 1, body.size());
}

// Returns Kernel C's name of a mathematical function of C; "" if it is none.
std::string kernel_name(std::string_view name) {
  const auto is_math = [](std::string_view word) {
    return word == remainder || std::ranges::find(math, word) != math.end();
  };
  const bool is_single = !is_math(name) && name.ends_with('f');
  if (is_single) name.remove_suffix(1);
  if (!is_math(name)) return "";
  std::string made = "MATH_";
  for (const char c : name) made += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return made + (is_single ? "_F32" : "_F64");
}

bool is_called(std::string_view body, std::size_t end) {
  const std::size_t next = body.find_first_not_of(" \t\r\n", end);
  return next != std::string_view::npos && body[next] == '(';
}

// A quick C compiler takes an unknown function for one of int, and the linker finds it here.
bool is_of_process(const std::string& name) { return dlsym(RTLD_DEFAULT, name.c_str()) != nullptr; }

}  // namespace

Result<std::string> body_in_kernel_c(const std::string& body) {
  std::string made;
  for (std::size_t at = 0; at < body.size();) {
    if (const std::size_t end = end_of_quoted(body, at); end > at) {
      made += body.substr(at, end - at);
      at = end;
      continue;
    }
    std::size_t end = at;
    while (end < body.size() && is_word(body[end])) end++;
    const std::string word = body.substr(at, std::max<std::size_t>(end - at, 1));
    const bool is_call = end > at && is_called(body, end);
    const std::string of_kernels = is_call ? kernel_name(word) : "";
    if (is_call && of_kernels.empty() && is_of_process(word))
      return Status(Code::compile,
                    word + "() is a function of the C library, which Kernel C lacks");
    made += of_kernels.empty() ? word : of_kernels;
    at += word.size();
  }
  return made;
}

}  // namespace penstock::session
