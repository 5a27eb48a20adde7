// A short kernel as each target's compiler sees it: after the preprocessor, broken into lines. A
// change of a prelude that changes a kernel shows here. PENSTOCK_UPDATE_GOLDEN=1
// ctest -R golden_kernel writes the files anew.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernel/kernel_source.hpp"

namespace penstock::kernel {
namespace {

namespace fs = std::filesystem;
const fs::path golden = fs::path(PENSTOCK_KERNEL_C_DIRECTORY).parent_path() / "golden";

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* marker = "kernel_begins_here";

// The text behind the marker after preprocessing with any C++ compiler; headers of targets that are
// not here are empty files.
std::string preprocessed(Target target) {
  const std::string text = assemble(
      target, {{{"marker", marker}, {"kernel_scale.kc", content_of(golden / "kernel_scale.kc")}}});
  std::string pattern = (fs::temp_directory_path() / "penstock-golden-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return "";
  const fs::path folder = pattern;
  fs::create_directory(folder / "sycl");
  for (const char* header : {"metal_stdlib", "sycl/sycl.hpp"}) std::ofstream(folder / header) << "";
  std::ofstream(folder / "kernel.cpp", std::ios::binary) << text;
  const std::string command = "cd '" + folder.string() +
                              "' && c++ -E -P -x c++ -std=c++17 -I. -DGROUP_SIZE=64 -Dcl_khr_fp64 "
                              "-Dcl_khr_int64_base_atomics kernel.cpp";
  std::string output;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char part[4096];
    while (const std::size_t bytes = fread(part, 1, sizeof part, pipe)) output.append(part, bytes);
    pclose(pipe);
  }
  fs::remove_all(folder);
  const std::size_t at = output.find(marker);
  return at == std::string::npos ? "" : output.substr(at + std::string_view(marker).size());
}

// A line for each statement and brace, long ones broken at the commas of their outermost
// parentheses.
class Lines {
 public:
  std::string of(const std::string& text) {
    for (const char c : text) take(c);
    end_line();
    return lines_;
  }

 private:
  void take(char c) {
    if (std::isspace(static_cast<unsigned char>(c)) && !in_string_) {
      if (!line_.empty() && line_.back() != ' ') line_ += ' ';
      return;
    }
    if (c == '"') in_string_ = !in_string_;
    if (in_string_) {
      line_ += c;
      return;
    }
    depth_ += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '}' && depth_ == 0) close_brace();
    line_ += c;
    if (c == '{' && depth_ == 0) {
      joins_.push_back(line_.starts_with("typedef") || line_.find(" = ") != std::string::npos);
      end_line();
    } else if (depth_ == 0 && (c == ';' || (c == '}' && !joins_next_))) {
      end_line();
    } else if (c == ',' && depth_ == 1 && line_.size() > 90) {
      end_line();
      continues_ = true;
    }
  }
  void close_brace() {
    end_line();
    joins_next_ = !joins_.empty() && joins_.back();  // the next text belongs to it: } Name;
    if (!joins_.empty()) joins_.pop_back();
  }
  void end_line() {
    while (!line_.empty() && line_.back() == ' ') line_.pop_back();
    const std::size_t level =
        joins_.size() - (!line_.empty() && line_.back() == '{' ? 1 : 0) + (continues_ ? 2 : 0);
    if (!line_.empty()) lines_ += std::string(2 * level, ' ') + line_ + "\n";
    line_.clear();
    continues_ = false;
  }

  std::string lines_, line_;
  int depth_ = 0;
  bool in_string_ = false, joins_next_ = false, continues_ = false;
  std::vector<bool> joins_;  // for each open brace
};

std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

class GoldenKernel : public ::testing::TestWithParam<Target> {};

TEST_P(GoldenKernel, IsAsPinned) {
  const fs::path file = golden / ("kernel_scale." + std::string(name_of(GetParam())) + ".txt");
  const std::string actual = Lines().of(preprocessed(GetParam()));
  ASSERT_NE(actual.find("scale"), std::string::npos) << "the preprocessor gave nothing";
  if (std::getenv("PENSTOCK_UPDATE_GOLDEN")) {
    std::ofstream(file, std::ios::binary) << actual;
    GTEST_SKIP() << "wrote " << file;
  }
  // Preprocessors differ in spaces only.
  if (without_spaces(actual) == without_spaces(content_of(file))) return;
  EXPECT_EQ(actual, content_of(file))
      << "if this is meant: PENSTOCK_UPDATE_GOLDEN=1 ctest -R golden_kernel";
}

INSTANTIATE_TEST_SUITE_P(Targets, GoldenKernel,
                         ::testing::Values(Target::cuda, Target::opencl, Target::metal,
                                           Target::sycl, Target::cpu, Target::host),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

}  // namespace
}  // namespace penstock::kernel
