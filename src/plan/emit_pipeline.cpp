#include "plan/emit_pipeline.hpp"

#include <algorithm>

#include "expr/emit.hpp"
#include "kernel/kernel_text.hpp"

namespace penstock::plan {

std::string skeleton_text(const std::string& name);   // skeletons.cpp

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string column_name(std::uint32_t column) { return "c" + number(column); }
std::string parameter_name(std::uint32_t parameter) { return "p" + number(parameter); }

std::string to_word(Type type, const std::string& value) {
  if (type.kind == Kind::float32) return "(u64)BITS_F32(" + value + ")";
  if (type.kind == Kind::float64) return "BITS_F64(" + value + ")";
  return is_signed(type) || type.kind == Kind::date32 || type.kind == Kind::timestamp || type.kind == Kind::decimal ? "(u64)(i64)" + value : "(u64)" + value;
}
std::string of_word(Type type, const std::string& word) {
  if (type.kind == Kind::float32) return "F32_OF_BITS((u32)" + word + ")";
  if (type.kind == Kind::float64) return "F64_OF_BITS(" + word + ")";
  return "(" + kernel_type(type) + ")" + word;
}

// Validity in registers and in memory is a word and a byte; a value that is never NULL has neither.
bool is_nullable(const TileProgram& program, NodeId root) { return program.graph->at(root).nullable; }

// A custom function's body is not called for a row that a filter before it dropped: it may not end, or read what is not there.
bool guards_customs(const TileProgram& program) { return !program.predicates.empty() && !program.graph->customs.empty(); }

// Rows that a CPU evaluates together, as the lanes of a loop that its compiler vectorises. Too many to be unrolled, which would keep
// it from being vectorised; few enough for their values to stay in the first-level cache.
constexpr std::uint64_t cpu_lanes = 64;

class Printer {
 public:
  Printer(const TileProgram& program, const Policy& policy) : program_(program), policy_(policy) {}

  Result<PipelineText> print(const std::string& skeleton, Target target);

 private:
  const Field& field(std::uint32_t column) const { return program_.source_schema[column]; }
  std::string memory(std::uint32_t column) const { return memory_type(field(column).type); }

  std::string defines(Target target) const;
  std::string column_declarations() const;
  std::string value_declarations() const;
  std::string scalar_loads() const;
  std::string load_functions() const;
  Result<std::string> evaluate_function(PipelineText& result) const;
  std::string result_struct() const;
  std::string store_function(const std::string& prefix, const std::string& function) const;
  std::string store_4_function() const;
  std::string staging_functions(bool by_address) const;
  std::string accumulator_functions() const;
  std::string key_function() const;
  std::string block_functions() const;
  std::string replace_words(std::string text) const;

  const TileProgram& program_;
  const Policy& policy_;
};

std::string join(const std::vector<std::string>& parts, const std::string& separator = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string Printer::defines(Target target) const {
  std::string text;
  const auto define = [&](const char* name, std::uint64_t value) { text += std::string("#define ") + name + " " + number(value) + "u\n"; };
  define("PIPELINE_VECTORS", policy_.vectors);
  define("PIPELINE_TILE_ROWS", policy_.tile_rows);
  define("PIPELINE_SLOTS", policy_.slots);
  define("PIPELINE_DEPTH", policy_.depth);
  define("PIPELINE_WINDOW", policy_.window);
  define("PIPELINE_LANES", cpu_lanes);
  define("PIPELINE_KEY_WORDS", program_.key_words());
  define("PIPELINE_ACCUMULATOR_WORDS", std::max(1u, program_.accumulator_words()));
  if (target == Target::cuda) {
    text += "#undef GROUPS_PER_UNIT\n";
    define("GROUPS_PER_UNIT", policy_.groups_per_unit);
  }
  return text;
}

std::string Printer::column_declarations() const {
  std::vector<std::string> parts;
  for (const ColumnParameter& p : column_parameters(program_)) {
    parts.push_back("GLOBAL const " + memory(p.column) + "* " + column_name(p.column));
    if (p.has_validity) parts.push_back("GLOBAL const u8* " + column_name(p.column) + "_valid");
  }
  return join(parts);
}

std::string Printer::value_declarations() const {
  if (packs_scalars(program_)) return "GLOBAL const u64* scalars, ";
  std::string text;
  for (std::uint32_t i = 0; i < program_.graph->parameters.size(); i++)
    if (is_used_parameter(program_, i)) text += kernel_type(program_.graph->parameters[i].type) + " " + parameter_name(i) + ", ";
  return text;
}

// The scalars out of their buffer.
std::string Printer::scalar_loads() const {
  if (!packs_scalars(program_)) return "";
  std::string text;
  for (std::uint32_t i = 0; i < program_.graph->parameters.size(); i++) {
    const Type type = program_.graph->parameters[i].type;
    if (is_used_parameter(program_, i))
      text += "  const " + kernel_type(type) + " " + parameter_name(i) + " = " + of_word(type, "scalars[" + number(i) + "u]") + ";\n";
  }
  return text;
}

// A row's columns in registers; booleans and validity are bits in memory and words here.
std::string Printer::load_functions() const {
  std::string row = "typedef struct {", one, four;
  for (const ColumnParameter& p : column_parameters(program_)) {
    const std::string name = column_name(p.column), type = kernel_type(field(p.column).type), stored = memory(p.column);
    const bool bits = field(p.column).type.kind == Kind::boolean;
    row += " " + type + " " + name + ";";
    one += bits ? "  in->" + name + " = bit_at(" + name + ", row);\n" : "  in->" + name + " = (" + type + ")" + name + "[row];\n";
    if (bits) four += "  const u32 " + name + "_bits = (u32)" + name + "[row >> 3] >> (u32)(row & 7u);\n";
    else four += "  " + stored + " " + name + "_four[4];\n  LOAD_4(" + stored + ", " + name + "_four, " + name + " + row);\n";
    const std::string value = bits ? name + "_bits >> k & 1u" : "(" + type + ")" + name + "_four[k]";
    std::string take = "in[k]." + name + " = " + value + ";";
    if (p.has_validity) {
      row += " u32 " + name + "_valid;";
      one += "  in->" + name + "_valid = bit_at(" + name + "_valid, row);\n";
      four += "  const u32 " + name + "_present = (u32)" + name + "_valid[row >> 3] >> (u32)(row & 7u);\n";
      take += " in[k]." + name + "_valid = " + name + "_present >> k & 1u;";
    }
    four += "  UNROLL for (u32 k = 0; k < 4u; k++) { " + take + " }\n";
  }
  if (program_.device_columns.empty()) row += " u32 unused;";
  const std::string columns = column_declarations().empty() ? "" : column_declarations() + ", ";
  const std::string ignore = program_.device_columns.empty() ? "  (void)row; (void)in;\n" : "";
  return row + " } PipelineRow;\n\nFUNCTION void pipeline_load(" + columns + "u64 row, PRIVATE PipelineRow* in)\n{\n" + one + ignore +
         "}\n\n// Four rows from a multiple of four on.\nFUNCTION void pipeline_load_4(" + columns +
         "u64 row, PRIVATE PipelineRow* in)\n{\n" + four + ignore + "}\n\n";
}

std::string Printer::result_struct() const {
  std::string text = "typedef struct {";
  for (std::size_t i = 0; i < program_.outputs.size(); i++) {
    const Output& output = program_.outputs[i];
    if (output.carried >= 0) continue;
    text += " " + kernel_type(program_.graph->at(output.root).type) + " o" + number(i) + ";";
    if (is_nullable(program_, output.root)) text += " u32 o" + number(i) + "_valid;";
  }
  return text + " u32 row; } PipelineResult;\n\n";
}

Result<std::string> Printer::evaluate_function(PipelineText& result) const {
  std::vector<NodeId> roots = program_.predicates;
  std::vector<std::size_t> computed;
  for (std::size_t i = 0; i < program_.outputs.size(); i++) {
    if (program_.outputs[i].carried >= 0) continue;
    roots.push_back(program_.outputs[i].root);
    computed.push_back(i);
  }
  EmissionNames names;
  names.value = [](std::uint32_t column) { return "in->" + column_name(column); };
  names.valid = [this](std::uint32_t column) { return field(column).nullable ? "in->" + column_name(column) + "_valid" : std::string(); };
  names.parameter = [this](std::uint32_t p) {
    const Scalar& value = program_.graph->parameters[p];
    return value.is_null ? "((" + kernel_type(value.type) + ")0)" : parameter_name(p);      // NULL takes no argument
  };
  names.parameter_valid = [this](std::uint32_t p) { return program_.graph->parameters[p].is_null ? std::string("0u") : std::string(); };
  // A row's fault counts if the row has passed every predicate before it.
  const auto fault_text = [](const Emission::Root& root) {
    return root.fault == "0u" ? "" : "  found = found == 0u && keep != 0u ? " + root.fault + " : found;\n";
  };
  const auto keep_text = [&](const Emission::Root& root) {
    return fault_text(root) + "  keep &= (u32)" + root.value + " & (u32)" + root.valid + ";\n";
  };
  if (guards_customs(program_)) {
    names.custom_guard = "keep != 0u && found == 0u";
    names.after_root = [&](std::size_t i, const Emission::Root& root) { return i < program_.predicates.size() ? keep_text(root) : ""; };
  }
  PENSTOCK_ASSIGN(const Emission emission, emit(*program_.graph, roots, names));
  result.faults = emission.faults;
  result.fault_codes = emission.fault_codes;

  std::string text = emission.functions + result_struct();
  text += "// Evaluates one row: whether it is kept, its outputs, and the smallest fault number met so far.\n";
  text += "FUNCTION u32 pipeline_evaluate(" + value_declarations() + "const PRIVATE PipelineRow* in, PRIVATE PipelineResult* out, PRIVATE u32* fault)\n{\n";
  const std::string begin = "  u32 keep = 1u, found = 0u;\n";
  text += scalar_loads() + (names.after_root ? begin + emission.statements : emission.statements + begin);
  for (std::size_t i = 0; !names.after_root && i < program_.predicates.size(); i++) text += keep_text(emission.roots[i]);
  for (std::size_t i = 0; i < computed.size(); i++) {
    const Emission::Root& root = emission.roots[program_.predicates.size() + i];
    text += fault_text(root) + "  out->o" + number(computed[i]) + " = " + root.value + ";\n";
    if (is_nullable(program_, program_.outputs[computed[i]].root)) text += "  out->o" + number(computed[i]) + "_valid = " + root.valid + ";\n";
  }
  // None found is 0, whose predecessor is NO_FAULT: a minimum, which compilers can vectorise.
  text += "  *fault = found - 1u < *fault ? found - 1u : *fault;\n  (void)in; (void)out;\n  return keep;\n}\n\n";
  return text;
}

// Writes one result; booleans are bytes until the host packs them.
std::string Printer::store_function(const std::string& prefix, const std::string& function) const {
  std::vector<std::string> parameters;
  std::string body;
  for (const OutputParameter& p : output_parameters(program_)) {
    if (p.output < 0) {
      parameters.push_back("GLOBAL u32* " + prefix + "_rows");
      body += "  STORE_STREAM(u32, " + prefix + "_rows + at, result->row);\n";
      continue;
    }
    const std::string o = "o" + number(static_cast<std::uint64_t>(p.output)), to = prefix + number(static_cast<std::uint64_t>(p.output));
    const std::string type = memory_type(program_.graph->at(program_.outputs[static_cast<std::size_t>(p.output)].root).type);
    parameters.push_back("GLOBAL " + type + "* " + to);
    body += "  STORE_STREAM(" + type + ", " + to + " + at, (" + type + ")result->" + o + ");\n";
    if (!p.has_validity) continue;
    parameters.push_back("GLOBAL u8* " + to + "_valid");
    body += "  STORE_STREAM(u8, " + to + "_valid + at, (u8)result->" + o + "_valid);\n";
  }
  return "FUNCTION void " + function + "(" + join(parameters) + ", u64 at, const PRIVATE PipelineResult* result)\n{\n" + body + "}\n\n";
}

// Writes the results of four rows from a multiple of four on, each output by one wide store.
std::string Printer::store_4_function() const {
  std::string parameters, body;
  for (const OutputParameter& p : output_parameters(program_)) {
    const auto add = [&](const std::string& type, const std::string& to, const std::string& value) {
      parameters += "GLOBAL " + type + "* " + to + ", ";
      body += "  " + type + " " + to + "_four[4];\n  UNROLL for (u32 k = 0; k < 4u; k++) " + to + "_four[k] = " + value + ";\n";
      body += "  STORE_4(" + type + ", " + to + " + row, " + to + "_four);\n";
    };
    if (p.output < 0) { add("u32", "o_rows", "(u32)row + k"); continue; }
    const std::string name = "o" + number(static_cast<std::uint64_t>(p.output));
    const std::string type = memory_type(program_.graph->at(program_.outputs[static_cast<std::size_t>(p.output)].root).type);
    add(type, name, "(" + type + ")results[k]." + name);
    if (p.has_validity) add("u8", name + "_valid", "(u8)results[k]." + name + "_valid");
  }
  return "FUNCTION void pipeline_store_4(" + parameters + "u64 row, const PRIVATE PipelineResult* results)\n{\n" + body + "}\n\n";
}

// A staging area of kept rows in local memory: stores, predicated ones to shared addresses for CUDA, and coalesced writing out.
std::string Printer::staging_functions(bool by_address) const {
  std::string fields, addresses, point, stage, store, start, write, parameters;
  for (const OutputParameter& p : output_parameters(program_)) {
    const auto add = [&](const std::string& type, const std::string& name, const std::string& value) {
      fields += "  " + type + " " + name + "[PIPELINE_TILE_ROWS];\n";
      addresses += " u32 " + name + ";";
      point += "  to->" + name + " = (u32)__cvta_generic_to_shared(stage->" + name + " + at);\n";
      stage += "  to->" + name + " = STAGE_IF(" + type + ", to->" + name + ", " + value + ", keep);\n";
      store += "  stage->" + name + "[at] = " + value + ";\n";
      start += "  " + name + " += to;\n";
      write += " STORE_STREAM(" + type + ", " + name + " + i, stage->" + name + "[i]);";
      parameters += "GLOBAL " + type + "* " + name + ", ";
    };
    if (p.output < 0) { add("u32", "o_rows", "result->row"); continue; }
    const std::string name = "o" + number(static_cast<std::uint64_t>(p.output));
    const std::string type = memory_type(program_.graph->at(program_.outputs[static_cast<std::size_t>(p.output)].root).type);
    add(type, name, "(" + type + ")result->" + name);
    if (p.has_validity) add("u8", name + "_valid", "(u8)result->" + name + "_valid");
  }
  const std::string one = "FUNCTION void pipeline_stage_row(LOCAL PipelineStage* stage, u32 at, const PRIVATE PipelineResult* result)\n{\n" + store + "}\n\n";
  const std::string predicated =
      "typedef struct {" + addresses + " } PipelineStageAt;   // shared addresses\n\n" + skeleton_text("stage") +
      "FUNCTION void pipeline_stage_at(LOCAL PipelineStage* stage, u32 at, PRIVATE PipelineStageAt* to)\n{\n" + point +
      "}\n\nFUNCTION void pipeline_stage(PRIVATE PipelineStageAt* to, const PRIVATE PipelineResult* result, u32 keep)\n{\n" + stage + "}\n\n";
  return "typedef struct {\n" + fields + "} PipelineStage;\n\n" + (by_address ? predicated : one) +
         "FUNCTION void pipeline_write_staged(" + parameters + "LOCAL const PipelineStage* stage, u64 to, u32 count, u32 id, i32 step)\n{\n" +
         "  i32 i = (i32)id - (i32)(to & 31u);      // 32 items' stores begin at a multiple of 32 rows\n" +
         "  if (i < 0) i += step;\n" + start + "  for (; i < (i32)count; i += step) {" + write + " }\n}\n\n";
}

// The neutral element of a minimum or maximum: floats order NaN above infinity.
std::string neutral(const Accumulator& a) {
  const bool low = a.kind == AccumulatorKind::maximum;
  switch (a.type.kind) {
    case Kind::float32: return low ? "F32_OF_BITS(0xff800000u)" : "F32_OF_BITS(0x7fc00000u)";
    case Kind::float64: return low ? "F64_OF_BITS((u64)0xfff00000u << 32)" : "F64_OF_BITS((u64)0x7ff80000u << 32)";
    case Kind::boolean: return low ? "0u" : "1u";
    case Kind::int8: return low ? "(i8)-128" : "(i8)127";
    case Kind::int16: return low ? "(i16)-32768" : "(i16)32767";
    case Kind::int32: case Kind::date32: return low ? "(i32)(-2147483647 - 1)" : "(i32)2147483647";
    case Kind::uint8: return low ? "(u8)0" : "(u8)255";
    case Kind::uint16: return low ? "(u16)0" : "(u16)65535";
    case Kind::uint32: return low ? "0u" : "0xffffffffu";
    case Kind::uint64: return low ? "(u64)0" : "~(u64)0";
    default: return low ? "(i64)((u64)1 << 63)" : "(i64)~((u64)1 << 63)";
  }
}

std::string less(const Accumulator& a, const std::string& x, const std::string& y) {
  if (!is_float(a.type)) return "(" + x + " < " + y + ")";
  return "(" + x + " < " + y + " || (IS_NAN(" + y + ") && !IS_NAN(" + x + ")))";
}

// The value type an accumulator has in registers.
Type held_type(const Accumulator& a) {
  switch (a.kind) {
    case AccumulatorKind::count: case AccumulatorKind::sum_i64: return {Kind::int64};
    case AccumulatorKind::sum_f64: return {Kind::float64};
    default: return a.type;
  }
}

struct AccumulatorText { std::string clear, add, merge, store, load; };

AccumulatorText accumulator_text(const Accumulator& a, const std::string& name, const std::string& keep) {
  const std::string mine = "mine->" + name, other = "other->" + name, value = "result->o" + number(static_cast<std::uint64_t>(std::max(a.argument, 0)));
  const Type held = held_type(a);
  const std::string at = "[(u64)" + number(a.word) + "u * stride]";
  AccumulatorText t;
  t.store = "to" + at + " = " + to_word(held, mine) + ";";
  t.load = mine + " = " + of_word(held, "from" + at) + ";";
  switch (a.kind) {
    case AccumulatorKind::count:
    case AccumulatorKind::sum_i64:
      t.clear = mine + " = 0;";
      t.add = mine + " += " + (a.kind == AccumulatorKind::count ? "(i64)(" + keep + ");" : "(" + keep + ") ? (i64)" + value + " : (i64)0;");
      t.merge = mine + " += " + other + ";";
      break;
    case AccumulatorKind::sum_f64:
      t.clear = mine + " = (f64)0;";
      t.add = mine + " += (" + keep + ") ? (f64)" + value + " : (f64)0;";
      t.merge = mine + " += " + other + ";";
      break;
    case AccumulatorKind::sum_i128: {
      const std::string wide = a.type.kind == Kind::uint64 || a.type.kind == Kind::uint32
                                   ? "i128_of_u64((" + keep + ") ? (u64)" + value + " : (u64)0)"
                                   : "i128_of_i64((" + keep + ") ? (i64)" + value + " : (i64)0)";
      t.clear = mine + " = i128_of_i64(0);";
      t.add = mine + " = i128_add(" + mine + ", " + wide + ");";
      t.merge = mine + " = i128_add(" + mine + ", " + other + ");";
      const std::string high = "[(u64)" + number(a.word + 1) + "u * stride]";
      t.store = "to" + at + " = " + mine + ".low; to" + high + " = (u64)" + mine + ".high;";
      t.load = mine + ".low = from" + at + "; " + mine + ".high = (i64)from" + high + ";";
      break;
    }
    case AccumulatorKind::minimum:
    case AccumulatorKind::maximum: {
      const bool low = a.kind == AccumulatorKind::minimum;
      t.clear = mine + " = " + neutral(a) + ";";
      const std::string better = low ? less(a, value, mine) : less(a, mine, value);
      t.add = "if ((" + keep + ") && " + better + ") " + mine + " = " + value + ";";
      t.merge = "if (" + (low ? less(a, other, mine) : less(a, mine, other)) + ") " + mine + " = " + other + ";";
      break;
    }
    case AccumulatorKind::custom:
      t.clear = mine + " = " + name + "_neutral;";
      t.add = "if (" + keep + ") " + mine + " = " + name + "_combine(" + mine + ", " + value + ");";
      t.merge = mine + " = " + name + "_combine(" + mine + ", " + other + ");";
      break;
  }
  return t;
}

std::string custom_functions(const TileProgram& program) {
  std::string text;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    if (a.kind != AccumulatorKind::custom) continue;
    const std::string type = kernel_type(a.type);
    text += "FUNCTION " + type + " a" + number(i) + "_combine(" + type + " a, " + type + " b)\n{\n  " + a.custom->body + "\n}\n";
    std::string bits;
    if (is_float(a.type)) {
      const bool wide = a.type.kind == Kind::float64;
      std::uint64_t word = 0;
      if (wide) std::memcpy(&word, &a.custom->neutral.real, 8);
      else { const float narrow = static_cast<float>(a.custom->neutral.real); std::memcpy(&word, &narrow, 4); }
      bits = wide ? "F64_OF_BITS((u64)" + number(word >> 32) + "u << 32 | " + number(word & 0xffffffffu) + "u)" : "F32_OF_BITS(" + number(word) + "u)";
    } else {
      const auto word = static_cast<std::uint64_t>(a.custom->neutral.integer);
      bits = "(" + type + ")((u64)" + number(word >> 32) + "u << 32 | " + number(word & 0xffffffffu) + "u)";
    }
    text += "#define a" + number(i) + "_neutral " + bits + "\n";
  }
  return text;
}

std::string Printer::accumulator_functions() const {
  std::string fields, clear, add, merge, store, load;
  for (std::size_t i = 0; i < program_.accumulators.size(); i++) {
    const Accumulator& a = program_.accumulators[i];
    const std::string name = "a" + number(i);
    std::string keep = "keep";
    if (a.argument >= 0 && is_nullable(program_, program_.outputs[static_cast<std::size_t>(a.argument)].root))
      keep += " & result->o" + number(static_cast<std::uint64_t>(a.argument)) + "_valid";
    const AccumulatorText t = accumulator_text(a, name, keep);
    fields += " " + (a.kind == AccumulatorKind::sum_i128 ? std::string("I128") : kernel_type(held_type(a))) + " " + name + ";";
    clear += "  " + t.clear + "\n";
    add += "  " + t.add + "\n";
    merge += "  " + t.merge + "\n";
    store += "  " + t.store + "\n";
    load += "  " + t.load + "\n";
  }
  if (fields.empty()) fields = " u32 none;";
  const std::string unused = program_.accumulators.empty() ? "  (void)mine;\n" : "";
  std::string text = custom_functions(program_) + "typedef struct {" + fields + " } Accumulators;\n\n";
  text += "FUNCTION void accumulators_clear(PRIVATE Accumulators* mine)\n{\n" + clear + unused + "}\n\n";
  text += "FUNCTION void accumulators_add(PRIVATE Accumulators* mine, const PRIVATE PipelineResult* result, u32 keep)\n{\n" + add + unused + "  (void)result; (void)keep;\n}\n\n";
  text += "FUNCTION void accumulators_merge(PRIVATE Accumulators* mine, const PRIVATE Accumulators* other)\n{\n" + merge + unused + "  (void)other;\n}\n\n";
  const auto words = [&](const std::string& space, const std::string& put, const std::string& get) {
    return "FUNCTION void accumulators_" + put + "(" + space + " u64* to, u64 stride, const PRIVATE Accumulators* mine)\n{\n" +
           store + unused + "  (void)to; (void)stride;\n}\n\nFUNCTION void accumulators_" + get + "(const " + space +
           " u64* from, u64 stride, PRIVATE Accumulators* mine)\n{\n" + load + unused + "  (void)from; (void)stride;\n}\n\n";
  };
  text += "// As 64-bit words, `stride` words apart.\n" + words("GLOBAL", "store", "load");
  return text + "#if GROUP_SIZE == 1\n" + words("PRIVATE", "put", "get") + "#endif\n\n";
}

// Equal keys have equal words: -0.0 becomes 0.0, every NaN one NaN, a NULL zero with its bit in a word behind the keys.
std::string Printer::key_function() const {
  std::string body = "  u64 nulls = 0;\n";
  for (std::uint32_t i = 0; i < program_.key_count; i++) {
    if (i > 0 && i % 64 == 0) body += "  words[" + number(program_.key_count + i / 64 - 1) + "] = nulls;\n  nulls = 0;\n";
    const NodeId root = program_.outputs[i].root;
    const Type type = program_.graph->at(root).type;
    const std::string value = "result->o" + number(i), word = "words[" + number(i) + "]";
    if (type.kind == Kind::float32) body += "  " + word + " = IS_NAN(" + value + ") ? (u64)0x7fc00000u : (u64)BITS_F32(" + value + " + 0.0f);\n";
    else if (type.kind == Kind::float64) body += "  " + word + " = IS_NAN(" + value + ") ? (u64)0x7ff80000u << 32 : BITS_F64(" + value + " + (f64)0);\n";
    else body += "  " + word + " = " + to_word(type, value) + ";\n";
    if (!is_nullable(program_, root)) continue;
    body += "  if (" + value + "_valid == 0u) { " + word + " = 0; nulls |= (u64)1 << " + number(i % 64) + "; }\n";
  }
  body += "  words[" + number(program_.key_words() - 1) + "] = nulls;\n";
  return "FUNCTION void pipeline_key(const PRIVATE PipelineResult* result, PRIVATE u64* words)\n{\n" + body + "}\n\n";
}

// The results of PIPELINE_LANES rows, a CPU's own: an array an output, which a loop over the rows fills by vectors.
std::string Printer::block_functions() const {
  std::string fields, put, get;
  const auto add = [&](const std::string& type, const std::string& name) {
    fields += "  " + type + " " + name + "[PIPELINE_LANES];\n";
    put += "  block->" + name + "[lane] = result->" + name + ";\n";
    get += "  result->" + name + " = block->" + name + "[lane];\n";
  };
  for (std::size_t i = 0; i < program_.outputs.size(); i++) {
    if (program_.outputs[i].carried >= 0) continue;
    add(kernel_type(program_.graph->at(program_.outputs[i].root).type), "o" + number(i));
    if (is_nullable(program_, program_.outputs[i].root)) add("u32", "o" + number(i) + "_valid");
  }
  const std::string words = "  u32 keep[PIPELINE_LANES], fault[PIPELINE_LANES], place[PIPELINE_LANES];\n";
  return "typedef struct {\n" + words + fields + "} PipelineBlock;\n\n" +
         "FUNCTION void block_put(PRIVATE PipelineBlock* block, u32 lane, const PRIVATE PipelineResult* result)\n{\n" + put +
         "}\n\nFUNCTION void block_get(const PRIVATE PipelineBlock* block, u32 lane, PRIVATE PipelineResult* result)\n{\n" + get +
         "}\n\n";
}

void replace_all(std::string& text, const std::string& word, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size()) text.replace(at, word.size(), with);
}

std::string Printer::replace_words(std::string text) const {
  std::vector<std::string> parameters, arguments, columns;
  std::string values;
  for (const ColumnParameter& p : column_parameters(program_)) {
    const std::string name = column_name(p.column);
    parameters.push_back("IN(" + memory(p.column) + ", " + name + ")");
    columns.push_back(name);
    if (!p.has_validity) continue;
    parameters.push_back("IN(u8, " + name + "_valid)");
    columns.push_back(name + "_valid");
  }
  if (packs_scalars(program_)) {
    parameters.push_back("IN(u64, scalars)");
    values = "scalars, ";
  }
  for (std::uint32_t i = 0; i < program_.graph->parameters.size(); i++) {
    if (packs_scalars(program_) || !is_used_parameter(program_, i)) continue;
    parameters.push_back("VALUE(" + kernel_type(program_.graph->parameters[i].type) + ", " + parameter_name(i) + ")");
    values += parameter_name(i) + ", ";
  }
  std::string comma_columns, comma_parameters;
  for (const std::string& column : columns) comma_columns += column + ", ";
  for (const std::string& parameter : parameters) comma_parameters += parameter + ", ";
  const auto outputs = [&](const std::string& prefix, const char* kind, bool typed) {
    std::vector<std::string> parts;
    const auto add = [&](const std::string& type, const std::string& name) { parts.push_back(typed ? std::string(kind) + "(" + type + ", " + name + ")" : name); };
    for (const OutputParameter& p : output_parameters(program_)) {
      if (p.output < 0) { add("u32", prefix + "_rows"); continue; }
      const std::string name = prefix + number(static_cast<std::uint64_t>(p.output));
      add(memory_type(program_.graph->at(program_.outputs[static_cast<std::size_t>(p.output)].root).type), name);
      if (p.has_validity) add("u8", name + "_valid");
    }
    return join(parts);
  };
  std::string moves;
  for (const OutputParameter& p : output_parameters(program_)) {
    const std::string name = p.output < 0 ? "_rows" : number(static_cast<std::uint64_t>(p.output));
    moves += "    o" + name + "[to + i] = s" + name + "[from + i];\n";
    if (p.has_validity) moves += "    o" + name + "_valid[to + i] = s" + name + "_valid[from + i];\n";
  }
  replace_all(text, "$PARAMETERS, ", comma_parameters);
  replace_all(text, "$COLUMNS, ", comma_columns);
  replace_all(text, "$VALUES, ", values);
  replace_all(text, "$OUTPUT_NAMES", outputs("o", "OUT", false));
  replace_all(text, "$SEGMENT_NAMES", outputs("s", "OUT", false));
  replace_all(text, "$OUTPUTS", outputs("o", "OUT", true));
  replace_all(text, "$SEGMENTS_IN", outputs("s", "IN", true));
  replace_all(text, "$SEGMENTS", outputs("s", "OUT", true));
  replace_all(text, "$MOVE_ROW\n", moves);
  return text;
}

Result<PipelineText> Printer::print(const std::string& skeleton, Target target) {
  PipelineText result;
  std::string text = defines(target) + skeleton_text("pipeline") + load_functions();
  PENSTOCK_ASSIGN(const std::string evaluate, evaluate_function(result));
  text += evaluate;
  if (program_.epilogue == Epilogue::compact) {
    const bool one_pass = skeleton == "compact_one_pass", look_back = skeleton == "compact_look_back";
    text += one_pass || look_back ? staging_functions(look_back) : store_function("o", "pipeline_store");
    if (skeleton == "store") text += store_4_function();
    if (skeleton.ends_with("compact_tile_private")) text += block_functions();
  } else {
    text += accumulator_functions();
  }
  if (program_.epilogue == Epilogue::group) text += key_function() + "#if GROUP_SIZE == 1\n" + block_functions() + "#endif\n\n";
  text += replace_words(skeleton_text(skeleton));
  const std::vector<kernel::TextPart> parts = {{"expr/operations.kc", skeleton_text("operations")}, {"pipeline", text}};
  result.text = kernel::assemble(target, parts);
  return result;
}

}  // namespace

std::vector<ColumnParameter> column_parameters(const TileProgram& program) {
  std::vector<ColumnParameter> parameters;
  for (std::uint32_t column : program.device_columns) parameters.push_back({column, program.source_schema[column].nullable});
  return parameters;
}

std::vector<OutputParameter> output_parameters(const TileProgram& program) {
  std::vector<OutputParameter> parameters;
  for (std::size_t i = 0; i < program.outputs.size(); i++) {
    const Output& output = program.outputs[i];
    if (output.carried >= 0) continue;
    const Node& node = program.graph->at(output.root);
    parameters.push_back({static_cast<int>(i), node.nullable, width_bytes(node.type)});
  }
  if (program.carries_rows()) parameters.push_back({-1, false, 4});
  return parameters;
}

std::uint64_t input_bytes_per_row(const TileProgram& program) {
  std::uint64_t bytes = 0;
  for (std::uint32_t column : program.device_columns) bytes += width_bytes(program.source_schema[column].type);
  return std::max<std::uint64_t>(bytes, 1);
}

std::uint64_t output_bytes_per_row(const TileProgram& program) {
  std::uint64_t bytes = 0;
  if (program.epilogue == Epilogue::compact)
    for (const OutputParameter& p : output_parameters(program)) bytes += p.width_bytes;
  return bytes;
}

std::uint64_t bytes_read(const TileProgram& program, std::uint64_t row_count) {
  const std::uint64_t bits = (row_count + 7) / 8;
  std::uint64_t bytes = 0;
  for (const ColumnParameter& p : column_parameters(program)) {
    const Type type = program.source_schema[p.column].type;
    bytes += (type.kind == Kind::boolean ? bits : row_count * width_bytes(type)) + (p.has_validity ? bits : 0);
  }
  return bytes;
}

std::uint64_t bytes_written(const TileProgram& program, std::uint64_t row_count) {
  std::uint64_t bytes = 0;
  if (program.epilogue == Epilogue::compact)
    for (const OutputParameter& p : output_parameters(program)) bytes += row_count * (p.width_bytes + p.has_validity);
  return bytes;
}

bool is_used_parameter(const TileProgram& program, std::uint32_t parameter) { return !program.graph->parameters[parameter].is_null; }

namespace {

// Kernel C's parameter walker stops at 64, of which a skeleton has some of its own.
constexpr std::size_t most_parameters = 64 - 8;

std::size_t output_buffers(const TileProgram& program) {
  std::size_t count = 0;
  if (program.epilogue == Epilogue::compact)
    for (const OutputParameter& p : output_parameters(program)) count += 1u + p.has_validity;
  return count;
}

std::size_t buffer_count(const TileProgram& program) {
  std::size_t count = output_buffers(program);
  for (const ColumnParameter& p : column_parameters(program)) count += 1u + p.has_validity;
  return count;
}

}  // namespace

bool packs_scalars(const TileProgram& program) { return buffer_count(program) + program.graph->parameters.size() > most_parameters; }

// A compaction that closes gaps has its outputs twice.
bool fits_parameters(const TileProgram& program) {
  return buffer_count(program) + packs_scalars(program) <= most_parameters && 2 * output_buffers(program) <= most_parameters;
}

Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last) {
  const Step& step = plan.step(last);
  std::vector<Slice> open = {{0, step.kind == StepKind::group_by ? step.aggregates.size() : step.schema.size()}};
  std::vector<TileProgram> programs;
  while (!open.empty()) {
    const Slice slice = open.back();
    open.pop_back();
    PENSTOCK_ASSIGN(TileProgram program, fuse(plan, base, last, slice));
    if (fits_parameters(program) || slice.count < 2) {     // one column that does not fit is refused when it is compiled
      programs.push_back(std::move(program));
      continue;
    }
    const std::size_t half = slice.count / 2;
    open.push_back({slice.first + half, slice.count - half});
    open.push_back({slice.first, half});
  }
  return programs;
}

Result<PipelineText> emit_pipeline(const TileProgram& program, const std::string& skeleton, const Policy& policy, Target target) {
  return Printer(program, policy).print(skeleton, target);
}

}  // namespace penstock::plan
