// penstock emit: the complete source of a statement's kernels in a target's language.
#include "cli/commands.hpp"
#include "cli/commands/query_command.hpp"
#include "penstock/io.hpp"
#include "penstock/run.hpp"
#include "penstock/sql.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

namespace {

struct EmitOptions {
  std::string statement, target, variant, pages = "auto";
};

Status emit_text(const EmitOptions& options) {
  PENSTOCK_ASSIGN(const Target target, target_from_name(options.target));
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result, bind_sql(options.statement, plan, open_table));
  PENSTOCK_ASSIGN(const std::string text,
                  source(plan, result, target, options.variant, page_decoding_of(options.pages)));
  return standard_output()(text);
}

}  // namespace

Action declare_emit(Arguments& arguments) {
  auto options = std::make_shared<EmitOptions>();
  std::vector<std::string> targets;
  for (Target target :
       {Target::cuda, Target::opencl, Target::metal, Target::sycl, Target::cpu, Target::host})
    targets.emplace_back(name_of(target));
  arguments.positional("STATEMENT", options->statement, "SELECT ... FROM 'file.parquet' WHERE ...");
  arguments.choice("--target,-t", std::move(targets), options->target, "the language of the source",
                   true);
  arguments.value("--variant", "NAME", options->variant, "use this kernel variant");
  arguments.choice("--pages", {"auto", "device", "host"}, options->pages,
                   "host: kernels that take columns as arrays, also of files whose pages kernels "
                   "can read");
  return [options] { return emit_text(*options); };
}

}  // namespace penstock::cli
