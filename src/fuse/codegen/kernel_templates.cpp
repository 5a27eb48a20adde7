// Finds the kernel templates of this layer (and the operations of expr) that cmake/Embed.cmake
// compiled in.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "kernel/kernel_source.hpp"

namespace penstock::plan {

constexpr const char* upper_case_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

// `name` is without folder and ending. Several names, separated by spaces, give their sources one
// after another.
std::string template_source(const std::string& name) {
  if (const std::size_t space = name.find(' '); space != std::string::npos)
    return template_source(name.substr(0, space)) + template_source(name.substr(space + 1));
  std::string_view text = kernel::fuse_source("fuse/kernels/" + name + ".kc");
  if (text.empty()) text = kernel::expr_source("expr/" + name + ".kc");
  if (!text.empty()) return std::string(text);
  return "#error \"no kernel text named " + name + "\"\n";
}

// A line that defines functions of a type, or lines that are of none.
struct LinesOfType {
  std::string type, text;
};

static std::vector<LinesOfType> split_operations() {
  std::vector<LinesOfType> all;
  std::istringstream lines(template_source("operations"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('('), name = line.find_first_not_of(upper_case_letters);
    const bool is_of_a_type = open != std::string::npos && open > 0 && name == open;
    const std::string type =
        is_of_a_type ? line.substr(open + 1, line.find_first_of(",)", open) - open - 1) : "";
    if (is_of_a_type || all.empty() || !all.back().type.empty()) all.push_back({type, ""});
    all.back().text += is_of_a_type ? line : line + '\n';
  }
  return all;
}

// Lines such as "SIGNED_OPERATIONS(i8, u32, 8u, (i8)-128)" define functions named after a type,
// here multiply_i8(). Lines of a type are left out, and not compiled, if none of its functions is
// called. Every statement needs this: a session's are short, so the lines are split once.
std::string operations_of(const std::string& callers) {
  static const std::vector<LinesOfType>& all = *new auto(split_operations());
  std::map<std::string, bool> is_called;
  std::string text;
  for (const LinesOfType& lines : all) {
    if (lines.type.empty()) {
      text += lines.text;
      continue;
    }
    const auto [known, is_new] = is_called.try_emplace(lines.type);
    if (is_new) known->second = callers.find("_" + lines.type + "(") != std::string::npos;
    if (known->second) text += lines.text;
    text += '\n';
  }
  return text;
}

}  // namespace penstock::plan
