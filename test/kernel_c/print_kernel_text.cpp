// print_kernel_text TARGET [FILE...]: the assembled text of Kernel C files for a target, on
// standard output.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "kernel/kernel_source.hpp"

int main(int count, char** words) {
  const auto target = penstock::target_from_name(count > 1 ? words[1] : "");
  if (!target.ok()) {
    std::fprintf(stderr, "%s\nusage: print_kernel_text cuda|opencl|metal|sycl|host [FILE...]\n",
                 target.status().text().c_str());
    return 2;
  }
  std::vector<penstock::kernel::TextPart> parts;
  for (int i = 2; i < count; i++) {
    std::ifstream file(words[i], std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
      std::fprintf(stderr, "print_kernel_text: cannot read %s\n", words[i]);
      return 1;
    }
    parts.push_back({words[i], text.str()});
  }
  const std::string text = penstock::kernel::assemble(*target, parts);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
