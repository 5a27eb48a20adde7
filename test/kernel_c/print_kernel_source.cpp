// print_kernel_source TARGET [FILE...]: the assembled source of Kernel C files for a target, on
// standard output. TARGET-body: the files alone, without preludes, for sources that have them.
// sycl-header: what `penstock emit --target sycl` makes of a source, for groups of 64 threads.
// Their includes are read from src/ and include/.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "kernel/kernel_source.hpp"
#include "kernel/sycl_functions.hpp"

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

// Keeps what it has read.
std::string_view source_in_tree(std::string_view name) {
  static std::map<std::string, std::string, std::less<>> sources;
  const auto found = sources.find(name);
  if (found != sources.end()) return found->second;
  std::string text = content_of(PENSTOCK_SOURCE_ROOT "/src/" + std::string(name));
  if (text.empty()) text = content_of(PENSTOCK_SOURCE_ROOT "/include/" + std::string(name));
  return sources.emplace(name, std::move(text)).first->second;
}

}  // namespace

int main(int count, char** words) {
  std::string name = count > 1 ? words[1] : "";
  const bool is_body = name.ends_with("-body");
  if (is_body) name.resize(name.size() - 5);
  const bool is_header = name == "sycl-header";
  if (is_header) name = "sycl";
  const auto target = penstock::target_from_name(name);
  if (!target.ok()) {
    std::fprintf(
        stderr,
        "%s\nusage: print_kernel_source cuda|opencl|metal|sycl|host[-body]|sycl-header [FILE...]\n",
        target.status().text().c_str());
    return 2;
  }
  std::vector<penstock::kernel::SourcePart> parts;
  for (int i = 2; i < count; i++) {
    parts.push_back({words[i], content_of(words[i])});
    if (parts.back().text.empty()) {
      std::fprintf(stderr, "print_kernel_source: cannot read %s\n", words[i]);
      return 1;
    }
  }
  std::string text = is_body ? penstock::kernel::assemble_parts(*target, parts, source_in_tree)
                             : penstock::kernel::assemble(*target, parts, source_in_tree);
  if (is_header) text = penstock::kernel::sycl_header(text, 64);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
