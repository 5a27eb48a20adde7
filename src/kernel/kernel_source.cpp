#include "kernel/kernel_source.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "kernel/signature.hpp"

namespace penstock::kernel {
namespace {

std::string line_directive(std::size_t line, std::string_view name) {
  return "#line " + std::to_string(line) + " \"" + std::string(name) + "\"\n";
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Returns the words of a preprocessor line: "include" and "\"x.kc\"" of `#include "x.kc"`.
struct Directive {
  std::string_view name, argument;
};
Directive directive_of(std::string_view line) {
  skip_spaces(line);
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_spaces(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  Directive directive{line.substr(0, end), line.substr(end)};
  skip_spaces(directive.argument);
  return directive;
}

// Replaces each #include "name" by the source of that name.
class Includer {
 public:
  explicit Includer(FindSource find) : find_(find) {}

  void add(std::string_view name, std::string_view text) {
    output_ += line_directive(1, name);
    open_.push_back(name);
    std::size_t number = 1;
    for (std::size_t begin = 0; begin < text.size(); number++) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      add_line(text.substr(begin, end - begin), number);
      begin = end + 1;
    }
    open_.pop_back();
  }
  std::string take() { return std::move(output_); }

 private:
  void add_line(std::string_view line, std::size_t number) {
    const Directive directive = directive_of(line);
    const bool is_include = directive.name == "include" && directive.argument.starts_with('"');
    const bool is_once = directive.name == "pragma" && directive.argument == "once";
    if (is_include)
      include(directive.argument.substr(1, directive.argument.find('"', 1) - 1), number);
    else
      output_.append(is_once ? std::string_view() : line) += '\n';
  }
  void include(std::string_view name, std::size_t number) {
    const auto error = [&](std::string_view why) {
      output_.append("#error \"").append(name).append("\" ").append(why) += '\n';
    };
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) return error("includes itself");
    const std::string_view text = find_(name);
    if (text.empty()) return error("is not found");
    if (!included_.insert(std::string(name)).second) {
      output_ += '\n';
      return;
    }
    const std::string_view includer = open_.back();
    add(name, text);
    output_ += line_directive(number + 1, includer);
  }

  FindSource find_;
  std::string output_;
  std::set<std::string> included_;
  std::vector<std::string_view> open_;
};

// C++ targets share plain.prelude and keep kernels in a namespace, as a kernel may have any name.
bool is_plain(Target target) { return target == Target::sycl || target == Target::host; }

std::string prelude_name(Target target) {
  return "kernel/" + std::string(name_of(target)) + ".prelude";
}

// The template of KERNEL in a target's prelude, with the lines that it goes on over.
std::string_view kernel_template(std::string_view prelude) {
  const std::size_t begin = prelude.find("#define KERNEL(NAME, TILE, $PARAMETERS)");
  if (begin == std::string_view::npos) return {};
  std::size_t end = prelude.find('\n', begin);
  while (end != std::string_view::npos && prelude[end - 1] == '\\')
    end = prelude.find('\n', end + 1);
  return prelude.substr(begin, std::min(end, prelude.size()) - begin);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Returns `pattern` for each of `count` parameters, separated by commas: $P is the macro's name of
// the parameter, $I its number.
std::string for_each_parameter(std::string_view pattern, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; i++) {
    std::string each(pattern);
    replace_all(each, "$P", "p" + std::to_string(i));
    replace_all(each, "$I", std::to_string(i));
    list += (i == 0 ? "" : ", ") + each;
  }
  return list;
}

// Returns the macro KERNEL_<count> that a target's template becomes: C has no macros that walk
// their arguments, and OpenCL C 1.2 no variadic ones (NVIDIA's compiler refuses them).
std::string kernel_macro(std::string_view of_target, std::size_t count) {
  std::string macro(of_target), strings;
  for (std::size_t i = 0; i < count; i++)
    strings += (i == 0 ? "#p" : " \", \" #p") + std::to_string(i);
  replace_all(macro, "KERNEL(", "KERNEL_" + std::to_string(count) + "(");
  replace_all(macro, "$PARAMETERS", for_each_parameter("$P", count));
  replace_all(macro, "$STRINGS", strings);
  constexpr std::string_view each = "$EACH{";
  for (std::size_t at = 0; (at = macro.find(each, at)) != std::string::npos;) {
    const std::size_t close = macro.find('}', at), begin = at + each.size();
    macro.replace(at, close + 1 - at,
                  for_each_parameter(macro.substr(begin, close - begin), count));
  }
  return macro + "\n";
}

// Names each KERNEL by its arity and puts the macros that they need before them.
std::string with_kernel_macros(Target target, std::string text) {
  const auto signatures = read_signatures(text);
  if (!signatures.ok()) return "#error \"" + signatures.status().text() + "\"\n" + text;
  std::set<std::size_t> arities;
  for (auto signature = signatures->rbegin(); signature != signatures->rend();
       ++signature) {  // offsets before it stay true
    for (auto macro = signature->macros.rbegin(); macro != signature->macros.rend(); ++macro)
      text.replace(macro->offset, macro->length, macro->definition);
    const std::size_t count = signature->parameters.size();
    text.insert(signature->offset + std::string_view("KERNEL").size(), "_" + std::to_string(count));
    arities.insert(count);
  }
  if (arities.empty()) return text;
  const std::string name = prelude_name(target);
  const std::string_view of_target = kernel_template(kernel_source(name));
  std::string macros = line_directive(1, name);
  for (const std::size_t count : arities) macros += kernel_macro(of_target, count);
  return macros + text;
}

// Caches the results of assemble() by its arguments: repeated statements need the same texts again.
// Reading the signatures of a text takes some 0.2 ms.
class AssembledTexts {
 public:
  std::optional<std::string> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto known = texts_.find(key);
    return known == texts_.end() ? std::nullopt : std::optional(known->second);
  }
  void keep(std::string key, const std::string& text) {
    constexpr std::size_t max_bytes = std::size_t{16} << 20;
    const std::lock_guard lock(mutex_);
    bytes_ += key.size() + text.size();
    if (bytes_ > max_bytes) {
      texts_.clear();
      bytes_ = key.size() + text.size();
    }
    texts_.insert_or_assign(std::move(key), text);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> texts_;
  std::size_t bytes_ = 0;
};

// Returns a prelude with its template of KERNEL replaced by empty lines.
std::string prelude_of(std::string_view name) {
  std::string text(kernel_source(name));
  const std::string_view of_target = kernel_template(text);
  if (of_target.empty()) return text;
  const auto begin = static_cast<std::size_t>(of_target.data() - text.data());
  const auto lines = static_cast<std::size_t>(std::count(of_target.begin(), of_target.end(), '\n'));
  return text.replace(begin, of_target.size(), std::string(lines, '\n'));
}

}  // namespace

std::string_view find_source(std::span<const EmbeddedSource> sources, std::string_view name) {
  for (const EmbeddedSource& source : sources)
    if (source.name == name) return source.text;
  return {};
}

std::string assemble_parts(Target target, std::span<const SourcePart> parts, FindSource find) {
  Includer includer(find);
  for (const SourcePart& part : parts) includer.add(part.name, part.text);
  return with_kernel_macros(target, includer.take());
}

// Metal has no float64: a text that names it gets one in software before it, and its functions
// where it names one of them.
static std::string software_float64(Target target, const std::string& text) {
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (target != Target::metal || !(has("f64") || has("F64"))) return {};
  constexpr std::array functions = {"MATH_EXP_F64", "MATH_LOG_F64", "MATH_LOG10_F64",
                                    "MATH_SIN_F64", "MATH_COS_F64", "MATH_TAN_F64",
                                    "MATH_POW_F64"};
  const bool has_functions = std::ranges::any_of(functions, has);
  std::vector<const char*> names = {
      has_functions ? "kernel/soft_f64_math.kc" : "kernel/soft_f64.kc", "kernel/metal_f64.prelude"};
  if (has_functions) names.push_back("kernel/metal_f64_math.prelude");
  std::vector<SourcePart> parts;
  for (const char* name : names) parts.push_back({name, std::string(kernel_source(name))});
  return assemble_parts(target, parts, kernel_source);
}

static std::string assemble_anew(Target target, std::span<const SourcePart> parts,
                                 FindSource find) {
  std::string text;
  if (target == Target::sycl) text += "#include <sycl/sycl.hpp>\n";  // before any macro is defined
  const auto add = [&](std::string_view name, std::string_view part) {
    text.append(line_directive(1, name)).append(part);
  };
  add("kernel/common.prelude", kernel_source("kernel/common.prelude"));
  if (is_plain(target)) add("kernel/plain.prelude", kernel_source("kernel/plain.prelude"));
  add(prelude_name(target), prelude_of(prelude_name(target)));
  if (is_plain(target)) text += "namespace kernelc {\n";
  const std::string program = assemble_parts(target, parts, find);
  text += software_float64(target, program);
  add("kernel/group.kc", kernel_source("kernel/group.kc"));
  text += program;
  if (is_plain(target)) text += "}  // namespace kernelc\n";
  return text;
}

std::string assemble(Target target, std::span<const SourcePart> parts, FindSource find) {
  static AssembledTexts& texts = *new AssembledTexts;  // kept: threads may outlive statics
  std::string key = std::string(name_of(target)) + '\0';
  key.append(reinterpret_cast<const char*>(&find), sizeof find);
  for (const SourcePart& part : parts)
    key.append(part.name).append(1, '\0').append(part.text).append(1, '\0');
  if (std::optional<std::string> known = texts.find(key)) return *std::move(known);
  std::string text = assemble_anew(target, parts, find);
  texts.keep(std::move(key), text);
  return text;
}

ProgramSource program_source(Target target, const KernelFiles& files, std::uint32_t group_size,
                             std::string_view label) {
  std::vector<SourcePart> parts;
  if (!files.definitions.empty()) parts.push_back({"definitions", files.definitions});
  for (const std::string& name : files.names)
    parts.push_back({name, std::string(files.find(name))});
  ProgramSource source;
  source.text = assemble(target, parts, files.find);
  source.group_size = group_size;
  source.label = label;
  return source;
}

std::uint32_t group_size_for_rows(const Traits& traits) {
  return traits.wants_single_thread_groups() ? 1 : std::min(256u, traits.max_group_size);
}

}  // namespace penstock::kernel
