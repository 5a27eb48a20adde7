#include "device/cpu/stack_header.hpp"

#ifdef __linux__
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>
#endif

namespace penstock::cpu {
#ifdef __linux__
namespace {

struct Headers {
  Elf64_Ehdr file{};
  std::vector<Elf64_Phdr> programs;
};

bool read_headers(std::fstream& object, Headers& headers) {
  object.read(reinterpret_cast<char*>(&headers.file), sizeof headers.file);
  if (!object || std::memcmp(headers.file.e_ident, ELFMAG, SELFMAG) != 0 ||
      headers.file.e_ident[EI_CLASS] != ELFCLASS64 ||
      headers.file.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  headers.programs.resize(headers.file.e_phnum);
  object.seekg(static_cast<std::streamoff>(headers.file.e_phoff));
  object.read(reinterpret_cast<char*>(headers.programs.data()),
              static_cast<std::streamsize>(headers.programs.size() * sizeof(Elf64_Phdr)));
  return bool(object);
}

Elf64_Phdr stack_header() {
  Elf64_Phdr header{};
  header.p_type = PT_GNU_STACK;
  header.p_flags = PF_R | PF_W;
  header.p_align = 16;
  return header;
}

// The table has no room behind it, so that a longer one goes to the end of the file, where the
// linker takes it, too.
void append_headers(std::fstream& object, Headers& headers) {
  object.seekp(0, std::ios::end);
  const auto end = static_cast<std::size_t>(object.tellp());
  const std::size_t begin = (end + 15) / 16 * 16;
  const char zeros[16] = {};
  object.write(zeros, static_cast<std::streamsize>(begin - end));
  object.write(reinterpret_cast<const char*>(headers.programs.data()),
               static_cast<std::streamsize>(headers.programs.size() * sizeof(Elf64_Phdr)));
  headers.file.e_phoff = begin;
  headers.file.e_phnum = static_cast<Elf64_Half>(headers.programs.size());
  object.seekp(0);
  object.write(reinterpret_cast<const char*>(&headers.file), sizeof headers.file);
}

}  // namespace

Status forbid_executable_stack(const std::string& path) {
  std::fstream object(path, std::ios::in | std::ios::out | std::ios::binary);
  Headers headers;
  if (!read_headers(object, headers)) return {};
  const auto is_stack = [](const Elf64_Phdr& header) { return header.p_type == PT_GNU_STACK; };
  if (std::any_of(headers.programs.begin(), headers.programs.end(), is_stack)) return {};
  headers.programs.push_back(stack_header());
  append_headers(object, headers);
  object.close();
  return object ? Status() : Status(Code::io, "cannot write program headers to " + path);
}
#else
Status forbid_executable_stack(const std::string&) { return {}; }
#endif

}  // namespace penstock::cpu
