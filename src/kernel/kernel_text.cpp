#include "kernel/kernel_text.hpp"

#include <cstring>

namespace penstock::kernel {

extern const EmbeddedText kernel_texts[];
extern const unsigned kernel_text_count;

namespace {

std::string_view own_text(std::string_view name) {
  for (unsigned i = 0; i < kernel_text_count; i++)
    if (kernel_texts[i].name == name) return kernel_texts[i].text;
  return {};
}

void add_part(std::string& text, std::string_view name, std::string_view part) {
  text.append("#line 1 \"").append(name).append("\"\n").append(part).append("\n");
}

}  // namespace

std::string assemble(Target target, std::span<const TextPart> parts) {
  std::string text;
  for (const std::string& name : {std::string("kernel/parameters.prelude"), "kernel/" + std::string(name_of(target)) + ".prelude", std::string("kernel/group.kc")})
    add_part(text, name, own_text(name));
  for (const TextPart& part : parts) add_part(text, part.name, part.text);
  return text;
}

}  // namespace penstock::kernel
