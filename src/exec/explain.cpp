// explain() and source(): describe what would run, and print its source. Neither reads a row.
#include <algorithm>
#include <set>

#include "base/exception_boundary.hpp"
#include "base/human_readable.hpp"
#include "device/device_list.hpp"
#include "exec/kernel/tile_kernel.hpp"
#include "exec/physical/device_opener.hpp"
#include "exec/physical/host_operators.hpp"
#include "exec/physical/physical_plan.hpp"
#include "exec/scan/selected_source.hpp"
#include "expr/operation.hpp"
#include "fuse/codegen/code_functions.hpp"
#include "fuse/codegen/describe_parameters.hpp"
#include "fuse/program/paged_columns.hpp"
#include "fuse/program/row_condition.hpp"
#include "fuse/program/source_answers.hpp"
#include "kernel/sycl_functions.hpp"
#include "penstock/run.hpp"
#include "plan/aggregates.hpp"
#include "plan/describe_steps.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock {
namespace plan {
namespace {

void columns_of(const Graph& graph, NodeId root, std::set<std::uint32_t>& columns) {
  const std::vector<bool> needed =
      expr::reachable(graph, std::span(&root, 1));  // each node once, however often it is shared
  for (NodeId id = 0; id <= root; id++)
    if (needed[id] && graph.at(id).op == Op::column) columns.insert(graph.at(id).payload);
}

std::uint64_t bytes_of(const Schema& schema, const std::set<std::uint32_t>& columns) {
  std::uint64_t bytes = 0;
  for (std::uint32_t column : columns) bytes += width_bytes(schema[column].type);
  return bytes;
}

// Returns the bytes per row if every step were a kernel of its own that stores the columns a later
// step reads, and no row were dropped.
std::uint64_t unfused_bytes_per_row(const Plan& plan, const std::vector<StepId>& steps) {
  std::set<std::uint32_t> needed;  // of the rows of the step below
  std::uint64_t bytes = 0;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Step& step = plan.step(steps[i]);
    const Schema& input = plan.step(step.inputs[0]).schema;
    std::set<std::uint32_t> read;
    if (step.kind == StepKind::join) {
      bytes += bytes_of(step.schema, needed);
      for (const std::uint32_t column : needed)
        if (column < step.left_columns) read.insert(column);
      for (const JoinKey& key : step.join_keys) read.insert(key.left);
    } else if (step.kind == StepKind::filter) {
      if (i + 1 == steps.size())
        for (std::uint32_t c = 0; c < input.size(); c++) needed.insert(c);
      bytes += bytes_of(input, needed);
      read = needed;
      columns_of(*step.graph, step.predicate, read);
    } else {
      for (std::uint32_t c = 0; c < step.projections.size(); c++) {
        if (step.kind == StepKind::map && i + 1 < steps.size() && !needed.contains(c)) continue;
        columns_of(*step.graph, step.projections[c].root, read);
        if (step.kind == StepKind::map) bytes += width_bytes(step.schema[c].type);
      }
      for (const AggregateCall& call : step.aggregates)
        if (takes_argument(call.function)) columns_of(*step.graph, call.argument, read);
    }
    bytes += bytes_of(input, read);
    needed = std::move(read);
  }
  return bytes;
}

std::string describe_lookup(const Plan& plan, const Lookup& lookup, bool is_made_there) {
  const Step& step = plan.step(lookup.step);
  const std::string where =
      is_made_there ? "made on the device, if it fits there and is not small" : "made on the host";
  const std::string otherwise =
      step.expected_keys                  ? "; groups of all keys if a key stands there twice"
      : yields_right_columns(lookup.kind) ? "; a join on the host if a key stands there twice"
                                          : "";
  return "    looks up rows of the right side in the kernel: " + describe_join(plan, step) +
         otherwise + "\n    its table is " + where + "\n";
}

std::vector<std::string> columns_read_as_codes(const TileProgram& program) {
  std::vector<std::string> names;
  for (std::uint32_t column = 0; column < program.first_derived(); column++)
    if (is_read_as_codes(program, column)) names.push_back(program.source_schema[column].name);
  return names;
}

std::string describe_kernel(const Plan& plan, StepId base, StepId last, const TileProgram& program,
                            const Traits& traits, const Variant& variant, IntermediateRows asked) {
  std::vector<std::string> columns, predicates;
  for (std::uint32_t column : program.device_columns)
    columns.push_back(program.source_schema[column].name);
  for (NodeId predicate : program.predicates)
    predicates.push_back(text_of(*program.graph, predicate, program.source_schema));
  std::string text = "  kernel '" + std::string(variant.name) + "' for " + traits.id +
                     ", reading " + (columns.empty() ? "no column" : list(columns));
  if (!program.late_columns.empty()) {
    std::vector<std::string> late;
    for (std::uint32_t column : program.late_columns)
      late.push_back(program.source_schema[column].name);
    text += " (gathered by row number: " + list(late) + ")";
  }
  text += program.paged.empty() ? "\n" : ", out of the file's pages\n";
  for (const Lookup& lookup : program.lookups)
    text += describe_lookup(plan, lookup, keeps_rows_on_device(traits, asked));
  for (std::size_t i = 0; i < program.derived.size(); i++)
    if (is_on_codes(program, program.derived[i]))
      text +=
          "    computed on FSST codes: " + program.source_schema[program.first_derived() + i].name +
          "\n";
  if (!predicates.empty()) text += "    keeps rows where " + list(predicates) + "\n";
  for (const Output& output : program.outputs)
    if (output.late_column < 0)
      text += "    computes " + text_of(*program.graph, output.root, program.source_schema) +
              (output.name.empty() ? "" : " as " + output.name) + "\n";
  if (program.top_k)
    text += "    top_k: the first " + std::to_string(program.top_k->count) +
            " rows are kept while chunks stream" +
            (program.bound ? "; the kernel drops rows that come behind the last of them" : "") +
            "\n";
  const std::uint64_t fused = input_bytes_per_row(program) + output_bytes_per_row(program);
  const std::uint64_t unfused = unfused_bytes_per_row(plan, chain(plan, base, last));
  text += "    bytes moved per row: " + std::to_string(fused) + " fused, " +
          std::to_string(std::max(fused, unfused)) + " with one kernel per step";
  const auto& source = plan.step(base).source;
  if (source && source->row_count()) {
    const std::uint64_t rows = *source->row_count();
    text += " (" + count_text(rows) + " rows: " + bytes_text(rows * fused) + ", " +
            bytes_text(rows * std::max(fused, unfused)) + ")";
  }
  const std::vector<std::string> codes = columns_read_as_codes(program);
  return text + (codes.empty() ? "\n"
                               : "; and the codes of " + list(codes) +
                                     ", whose sizes only reading them tells\n");
}

// Chooses pages as the run does.
Result<std::string> choose_pages(const Plan& plan, StepId base, TileProgram& program,
                                 const RunOptions& options, const Traits& traits) {
  const std::shared_ptr<TableSource>& source = plan.step(base).source;
  if (!source || !source->can_be_scanned_again()) return std::string();
  return choose_page_decoding(program, *source, options.page_decoding, traits);
}

// "answered from the footer of lineitem.parquet: count(*) 60175"
std::string describe_answer(const Plan& plan, StepId reduce, const Table& answer) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < answer.columns.size(); i++)
    values.push_back(answer.names[i] + " " + text_of(scalar_at(answer.columns[i], 0)));
  return "  no kernel: answered from " + answered_from(plan, reduce) + ": " + list(values) + "\n";
}

// Returns the rows that a chain's source skips: "" if nothing tells. Kernels that read pages read
// whole row groups.
Result<std::string> describe_skipped(const Plan& plan, StepId base, const TileProgram& program) {
  const std::shared_ptr<TableSource>& source = plan.step(base).source;
  const std::optional<RowCondition> needed = needed_rows(program);
  if (!source || !needed) return std::string();
  PENSTOCK_ASSIGN(const std::optional<RowSelection> rows, source->select_rows(*needed));
  if (!rows) return std::string();
  return "    skips " +
         text_of(program.paged.empty() ? rows->counts : counted_by_groups(*rows, *source)) + "\n";
}

std::string describe_build(const BuildReport& report) {
  const char* how = report.cache == CacheResult::compiled ? "miss, compiled and stored"
                    : report.cache == CacheResult::disk   ? "hit on disk"
                                                          : "hit in memory";
  char line[160];
  std::snprintf(line, sizeof line, "    cache: %s (%.1f ms), key %s\n", how, report.seconds * 1e3,
                report.key.c_str());
  return line;
}

// A plan that is made to be described, and does not run.
class DescribedPlan {
 public:
  // `device`: null where none is open; then rows stay nowhere. `asks_sources`: whether the records
  // of sources answer aggregates.
  DescribedPlan(const Plan& plan, StepId result, const RunOptions& options,
                std::shared_ptr<Device> device, bool asks_sources)
      : results_{result},
        options_(options),
        device_(std::move(device)),
        run_(plan, results_, options_, {device_, {}, {}}),
        planner_(run_, asks_sources) {}

  Status make() {
    run_.expects_gpu = false;
    if (device_) {
      PENSTOCK_TRY(run_.opener.begin());
      PENSTOCK_TRY(run_.open_device());
    }
    PENSTOCK_ASSIGN(roots_, planner_.plan(results_));
    return {};
  }
  const Operator& root() const { return *roots_[0]; }

  // Visits scans and answers, each after those that it reads.
  template <class Visit> Status for_each(const Visit& visit) const {
    std::set<const Operator*> seen;
    return visit_from(*roots_[0], seen, visit);
  }

 private:
  template <class Visit>
  static Status visit_from(const Operator& at, std::set<const Operator*>& seen,
                           const Visit& visit) {
    if (!seen.insert(&at).second) return {};
    for (const OperatorInput& input : at.inputs())
      PENSTOCK_TRY(visit_from(*input.from, seen, visit));
    return visit(at);
  }

  std::vector<StepId> results_;
  RunOptions options_;
  std::shared_ptr<Device> device_;
  RunState run_;
  Planner planner_;
  std::vector<OperatorPointer> roots_;
};

// The kernels of one scan.
Result<std::string> describe_scan(const Plan& plan, const ScanOperator& scan,
                                  const RunOptions& options,
                                  const std::shared_ptr<Device>& device) {
  const Traits traits = device ? device->traits() : typical_traits(Target::opencl);
  const StepId base = scan.shape().base, last = scan.shape().last;
  std::string text;
  for (TileProgram program : scan.programs()) {
    PENSTOCK_ASSIGN(const std::string note, choose_pages(plan, base, program, options, traits));
    PENSTOCK_ASSIGN(const std::string skipped, describe_skipped(plan, base, program));
    PENSTOCK_ASSIGN(const Variant* variant, choose_variant(traits, program, options.variant));
    text +=
        describe_kernel(plan, base, last, program, traits, *variant, options.intermediate_rows) +
        skipped;
    if (!note.empty()) text += "    " + note + "\n";
    if (!device) continue;
    PENSTOCK_ASSIGN(const auto kernel,
                    TileKernel::build(device, program, {options.fast_math, options.variant, {}}));
    text += describe_build(kernel->compiled().report());
  }
  return text;
}

}  // namespace
}  // namespace plan

static Result<std::string> explained(const Plan& plan, StepId result, const RunOptions& options) {
  using namespace plan;
  PENSTOCK_TRY(check_result(plan, result));
  // A session of several devices has its first one here, and its programs are not all that runs.
  if (device::names_several(options.device))
    return Status(Code::unsupported, "explaining takes one device, not '" + options.device + "'");
  std::shared_ptr<Device> device;
  if (auto opened = device_of(options); opened.ok())
    device = std::move(opened).value();
  else if (!options.device.empty())
    return opened.status();
  DescribedPlan described(plan, result, options, device, true);
  PENSTOCK_TRY(described.make());
  std::string text = "Steps\n" + describe_steps(plan, result) + "Operators\n" +
                     describe_operators(described.root()) + "Kernels\n";
  const auto add = [&](const Operator& at) {
    if (const auto* const answer = dynamic_cast<const AnswerOperator*>(&at))
      text += describe_answer(plan, answer->step(), answer->answer());
    if (const auto* const scan = dynamic_cast<const ScanOperator*>(&at)) {
      PENSTOCK_ASSIGN(const std::string kernels, describe_scan(plan, *scan, options, device));
      text += kernels;
    }
    return Status();
  };
  PENSTOCK_TRY(described.for_each(add));
  return text;
}

namespace plan {
namespace {

// For SYCL the comments stand at the functions, for other targets before the text.
Result<std::string> with_comments(const PipelineSource& pipeline, const TileProgram& program,
                                  Algorithm algorithm, std::uint32_t group_size, Target target) {
  const ParameterDescriptions descriptions(program, algorithm);
  const auto describe = [&](std::string_view kernel, std::string_view parameter) {
    return descriptions.of(kernel, parameter);
  };
  if (target == Target::sycl) return kernel::sycl_header(pipeline.text, group_size, describe);
  std::string text;
  PENSTOCK_ASSIGN(const auto kernels, kernel::read_signatures(pipeline.text));
  for (const kernel::Signature& kernel : kernels)
    text += "// " + kernel.name + "\n" + kernel::parameter_comments(kernel, describe);
  return text + pipeline.text;
}

}  // namespace
}  // namespace plan

static Result<std::string> emitted(const Plan& plan, StepId result, Target target,
                                   std::string_view forced, PageDecoding page_decoding) {
  using namespace plan;
  PENSTOCK_TRY(check_result(plan, result));
  const Traits traits = typical_traits(target);
  RunOptions options;
  options.page_decoding = page_decoding;
  DescribedPlan described(plan, result, options, nullptr, false);
  PENSTOCK_TRY(described.make());
  std::string text;
  const auto add = [&](const Operator& at) {
    const auto* const scan = dynamic_cast<const ScanOperator*>(&at);
    if (!scan) return Status();
    for (TileProgram program : scan->programs()) {
      PENSTOCK_TRY(choose_pages(plan, scan->shape().base, program, options, traits).status());
      PENSTOCK_ASSIGN(const Variant* variant, choose_variant(traits, program, forced));
      const Policy policy = variant->policy(traits, program);
      PENSTOCK_ASSIGN(const PipelineSource pipeline,
                      emit_pipeline(program, std::string(variant->templates), policy, target));
      PENSTOCK_ASSIGN(
          const std::string commented,
          with_comments(pipeline, program, variant->algorithm, policy.group_size, target));
      text += "// " + std::string(variant->name) +
              ", compiled with -DGROUP_SIZE=" + std::to_string(policy.group_size) + "\n" +
              commented;
    }
    return Status();
  };
  PENSTOCK_TRY(described.for_each(add));
  return text;
}

Result<std::string> explain(const Plan& plan, StepId result, const RunOptions& options) {
  return catch_exceptions([&] { return explained(plan, result, options); });
}

Result<std::string> source(const Plan& plan, StepId result, Target target, std::string_view variant,
                           PageDecoding page_decoding) {
  return catch_exceptions([&] { return emitted(plan, result, target, variant, page_decoding); });
}

}  // namespace penstock
