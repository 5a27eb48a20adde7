# Script of penstock_embed(): writes the texts named in TEXTS (separated by |, relative to ROOT) as C++ string literals, a line of
# text a line of code, into OUTPUT.
string(REPLACE "|" ";" names "${TEXTS}")
set(rows "")
list(LENGTH names count)
foreach(name IN LISTS names)
  file(READ "${ROOT}/${name}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\r" "\\r" text "${text}")
  string(REPLACE "\n" "\\n\"\n   \"" text "${text}")
  string(APPEND rows "  {\"${name}\",\n   \"${text}\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"kernel/kernel_source.hpp\"

namespace penstock::kernel {

extern const EmbeddedText ${LAYER}_texts[];
extern const unsigned ${LAYER}_text_count;
const EmbeddedText ${LAYER}_texts[] = {
${rows}};
const unsigned ${LAYER}_text_count = ${count};

std::string_view ${LAYER}_text(std::string_view name);
std::string_view ${LAYER}_text(std::string_view name) { return find_text({${LAYER}_texts, ${LAYER}_text_count}, name); }

}  // namespace penstock::kernel
")
