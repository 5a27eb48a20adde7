// check_cuda_source [-DNAME=VALUE...] FILE: whether NVRTC compiles a CUDA text, for sm_90 with the
// driver's options. No GPU is needed. Exit code 0 if it does, 1 if not (the log says why), 77 where
// there is no NVRTC.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "device/cuda/nvrtc.hpp"

int main(int count, char** words) {
  std::vector<std::string> options = {"--std=c++17", "--device-as-default-execution-space",
                                      "-fmad=false"};
  std::string path;
  for (int i = 1; i < count; i++)
    if (std::strncmp(words[i], "-D", 2) == 0)
      options.emplace_back(words[i]);
    else
      path = words[i];
  const auto nvrtc = penstock::cuda::open_nvrtc(0);
  if (!nvrtc.ok()) {
    std::fprintf(stderr, "%s\n", nvrtc.status().text().c_str());
    return 77;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    std::fprintf(stderr, "check_cuda_source: cannot read '%s'\n", path.c_str());
    return 1;
  }
  const auto compiled = penstock::cuda::compile_source(*nvrtc, text.str(), 90, options, path);
  if (!compiled.ok())
    std::fprintf(stderr, "%s\n", compiled.status().text().c_str());
  else if (!compiled->log.empty())
    std::fprintf(stderr, "%s: warnings are errors here\n%s\n", path.c_str(), compiled->log.c_str());
  return compiled.ok() && compiled->log.empty() ? 0 : 1;
}
