// Objects of TCC say nothing about the stack; the dynamic linker then takes it for executable.
#include "device/cpu/stack_header.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "device/compile_folder.hpp"
#include "device/compiler_process.hpp"
#include "device/cpu/cpu_object.hpp"

namespace penstock::cpu {
namespace {

class StackHeader : public testing::Test {
 protected:
  // Writes an object of a compiler, or skips where there is no such compiler.
  void compile(const std::vector<std::string>& compiler) {
    static constexpr std::string_view text = "void* kc_host; int answer(void) { return 42; }\n";
    ASSERT_TRUE(folder_.write("program.c", std::as_bytes(std::span(text))).ok());
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-o", path(), folder_.path_of("program.c")});
    const auto run = device::run_compiler(command, folder_.path());
    if (!run.ok() || !run.value().succeeded) GTEST_SKIP() << compiler[0] << " does not run here";
  }
  std::string path() const { return folder_.path_of("program.so"); }
  std::string content(const std::string& name = "program.so") const {
    std::ifstream file(folder_.path_of(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The flags of the object's stack, or -1 where it says nothing.
  int stack_flags() const {
    const std::string bytes = content();
    Elf64_Ehdr file;
    std::memcpy(&file, bytes.data(), sizeof file);
    for (int i = 0; i < file.e_phnum; i++) {
      Elf64_Phdr header;
      std::memcpy(&header, &bytes.at(file.e_phoff + static_cast<std::size_t>(i) * sizeof header),
                  sizeof header);
      if (header.p_type == PT_GNU_STACK) return static_cast<int>(header.p_flags);
    }
    return -1;
  }
  static std::string own_stack() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.ends_with("[stack]")) return line.substr(line.find(' ') + 1, 4);
    return "";
  }

  device::CompileFolder folder_ = device::CompileFolder::make().value();
};

TEST_F(StackHeader, AnObjectThatIsLoadedDoesNotMakeTheStackExecutable) {
  compile({"tcc", "-shared"});
  ASSERT_EQ(stack_flags(), -1);
  ASSERT_EQ(own_stack(), "rw-p");
  const auto object = Object::open(folder_, "program.so");
  ASSERT_TRUE(object.ok()) << object.status().text();
  EXPECT_EQ(own_stack(), "rw-p");
  EXPECT_EQ(stack_flags(), PF_R | PF_W);
}

TEST_F(StackHeader, AnObjectThatTellsItsStackStaysAsItIs) {
  compile({"cc", "-shared", "-fPIC"});
  const std::string before = content();
  ASSERT_TRUE(forbid_executable_stack(path()).ok());
  EXPECT_EQ(content(), before);
}

TEST_F(StackHeader, AFileThatIsNoObjectStaysAsItIs) {
  int number = 0;
  for (const std::string& text : {std::string(), std::string("\177ELF"), std::string(4096, 'x')}) {
    const std::string name = std::to_string(number++);
    ASSERT_TRUE(folder_.write(name, std::as_bytes(std::span(text))).ok());
    ASSERT_TRUE(forbid_executable_stack(folder_.path_of(name)).ok());
    EXPECT_EQ(content(name), text);
  }
}

}  // namespace
}  // namespace penstock::cpu
