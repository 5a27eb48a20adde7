#include "exec/kernel/tile_kernel.hpp"

#include <algorithm>
#include <utility>

#include "expr/emit.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/next_variant.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::plan {
namespace {

// Returns a scalar as the kernel takes it: see kernel_type(). Strings have codes.
Argument scalar_argument(const Scalar& value) {
  switch (value.type.kind) {
    case Kind::boolean: return Argument::value(static_cast<std::uint32_t>(value.integer != 0));
    case Kind::float32: return Argument::value(static_cast<float>(value.real));
    case Kind::float64: return Argument::value(value.real);
    case Kind::int8: return Argument::value(static_cast<std::int8_t>(value.integer));
    case Kind::uint8: return Argument::value(static_cast<std::uint8_t>(value.integer));
    case Kind::int16: return Argument::value(static_cast<std::int16_t>(value.integer));
    case Kind::uint16: return Argument::value(static_cast<std::uint16_t>(value.integer));
    case Kind::int32:
    case Kind::date32: return Argument::value(static_cast<std::int32_t>(value.integer));
    case Kind::uint32: return Argument::value(static_cast<std::uint32_t>(value.integer));
    case Kind::int64:
    case Kind::uint64:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::int128: break;  // the lower word
    case Kind::string: break;  // not asked
  }
  return Argument::value(static_cast<std::int64_t>(value.integer));
}

std::uint64_t upper_word(const Scalar& value) {
  return static_cast<std::uint64_t>(value.integer >> 64);
}

}  // namespace

Result<std::unique_ptr<TileKernel>> TileKernel::make(std::shared_ptr<Device> device,
                                                     const TileProgram& program,
                                                     const Options& options) {
  std::unique_ptr<TileKernel> kernel(new TileKernel(std::move(device), program));
  kernel->options_ = options;
  bool is_forced = false;
  PENSTOCK_ASSIGN(kernel->variant_,
                  choose_variant(kernel->device_->traits(), program, options.variant, &is_forced));
  if (is_forced) kernel->forced_variant_ = kernel->variant_;
  kernel->policy_ = policy_of(*kernel->variant_, kernel->limited_traits(), program);
  kernel->size_ = first_size(kernel->limited_traits(), program, *kernel->variant_, kernel->policy_);
  return kernel;
}

Result<std::unique_ptr<TileKernel>> TileKernel::build(std::shared_ptr<Device> device,
                                                      const TileProgram& program,
                                                      const Options& options) {
  PENSTOCK_ASSIGN(auto kernel, make(std::move(device), program, options));
  PENSTOCK_TRY(kernel->compile());
  return kernel;
}

Result<std::unique_ptr<TileKernel>> TileKernel::begin(std::shared_ptr<Device> device,
                                                      const TileProgram& program,
                                                      const Options& options) {
  PENSTOCK_ASSIGN(auto kernel, make(std::move(device), program, options));
  PENSTOCK_TRY(kernel->take_or_emit());
  if (kernel->is_kept_) return kernel;
  kernel->building_ = kernel->start_to_build(*kernel->variant_, kernel->policy_, kernel->pipeline_);
  PENSTOCK_TRY(kernel->begin_next());
  return kernel;
}

// If the first program looks at keys and another one may have to add their rows up, both are
// compiled at once.
Status TileKernel::begin_next() {
  if (!has_dense_slots(variant_->algorithm) || forced_variant_ || !options_.variant.empty())
    return {};
  const Traits traits = limited_traits();
  Next next;
  next.variant =
      likely_next_variant(traits, program_, policy_, std::exchange(options_.source, nullptr));
  if (!next.variant || next.variant == variant_) return {};
  next.policy = policy_of(*next.variant, traits, program_);
  PENSTOCK_ASSIGN(next.source, emit(*next.variant, next.policy));
  if (options_.on_source) options_.on_source(next.source->text);
  next.building = start_to_build(*next.variant, next.policy, next.source);
  next_ = std::move(next);
  return {};
}

Task<Result<std::shared_ptr<Program>>> TileKernel::start_to_build(const Variant& variant,
                                                                  const Policy& policy,
                                                                  const Source& source) const {
  return ThreadPool::shared().start(
      [on = device_, text = program_source(variant, policy, source)] { return on->build(text); });
}

Status TileKernel::wait() {
  if (!building_.valid()) return {};
  building_.wait_while_wanted();
  PENSTOCK_ASSIGN(std::shared_ptr<Program> compiled, building_.get());
  set_compiled(std::move(compiled));
  return {};
}

void TileKernel::add_notes(std::vector<std::string>& notes) const {
  const auto add = [&](std::string note) {
    if (!note.empty() && std::ranges::find(notes, note) == notes.end())
      notes.push_back(std::move(note));
  };
  if (forced_variant_ != nullptr) {
    std::string note = "PENSTOCK_VARIANT forced " + std::string(forced_variant_->name);
    if (variant_ != forced_variant_)
      note += "; for these keys " + std::string(variant_->name) + " ran in its place";
    add(std::move(note));
  }
  if (variant_->algorithm == Algorithm::group_kept &&
      !device_->traits().wants_single_thread_groups())
    add("the keys of a user-defined reduction, of floats of very different sizes, or of 64-bit "
        "extremes without 64-bit atomics were too many for the device's faster tables: each of its "
        "threads kept a table");
  add(kernel::tuned_file(device_->traits()).note);
}

Status TileKernel::take_or_emit() {
  attempts_++;
  std::optional<KeptPrograms::Kernel> known;
  if (options_.kept) known = options_.kept->find_kernel(key(), program_);
  is_kept_ = known.has_value();
  if (known) {
    pipeline_ = std::move(known->source), compiled_ = std::move(known->compiled);
  } else {
    PENSTOCK_ASSIGN(pipeline_, emit(*variant_, policy_));
  }
  if (options_.on_source) options_.on_source(pipeline_->text);
  return {};
}

Result<TileKernel::Source> TileKernel::emit(const Variant& variant, const Policy& policy) const {
  if (!fits_parameters(program_))
    return Status(Code::unsupported,
                  program_.lookups.empty()
                      ? "too many columns in an expression for one kernel (about 50)"
                      : "too many columns in joins for one kernel (about 50); each joined table "
                        "counts as two, besides its columns");
  PENSTOCK_ASSIGN(PipelineSource source, emit_pipeline(program_, std::string(variant.templates),
                                                       policy, device_->traits().target));
  return std::make_shared<const PipelineSource>(std::move(source));
}

ProgramSource TileKernel::program_source(const Variant& variant, const Policy& policy,
                                         const Source& source) const {
  ProgramSource text;
  text.text = source->text;
  text.group_size = policy.group_size;
  text.fast_math = options_.fast_math;
  text.label = std::string(variant.name);
  text.linked = source->linked;
  return text;
}

void TileKernel::set_compiled(std::shared_ptr<Program> compiled) {
  compiled_ = std::move(compiled);
  if (options_.kept) options_.kept->keep_kernel(key(), program_, {pipeline_, compiled_});
}

Status TileKernel::compile() {
  if (next_ && next_->variant == variant_ && next_->policy == policy_) return take_begun();
  PENSTOCK_TRY(take_or_emit());
  if (is_kept_) return {};
  PENSTOCK_ASSIGN(std::shared_ptr<Program> compiled,
                  device_->build(program_source(*variant_, policy_, pipeline_)));
  set_compiled(std::move(compiled));
  return {};
}

Status TileKernel::take_begun() {
  attempts_++;
  Next begun = std::move(*next_);
  next_.reset();
  pipeline_ = std::move(begun.source);
  is_kept_ = false;
  PENSTOCK_ASSIGN(std::shared_ptr<Program> compiled, begun.building.get());
  set_compiled(std::move(compiled));
  return {};
}

BuildReport TileKernel::build_report() const {
  BuildReport report = compiled_->report();
  if (is_kept_) report.cache = CacheResult::memory, report.seconds = 0;
  return report;
}

std::uint64_t TileKernel::bytes_moved(std::uint64_t rows_read, std::uint64_t rows_kept) const {
  const std::uint64_t read = bytes_read(program_, rows_read),
                      written = bytes_written(program_, rows_kept);
  switch (variant_->algorithm) {
    case Algorithm::count_scan_write: return 2 * read + written;
    case Algorithm::tile_private: return read + 3 * written;  // to segments, and out of them
    case Algorithm::store:
    case Algorithm::look_back:
    case Algorithm::one_pass:
    case Algorithm::reduce:
    case Algorithm::group:
    case Algorithm::group_kept:
    case Algorithm::group_dense:
    case Algorithm::group_local:
    case Algorithm::group_global: break;
    case Algorithm::group_partitioned:
      // Keys are read once more, to count them.
      return read + 2 * rows_read * record_bytes(program_) + written;
  }
  return read + written;
}

Status TileKernel::fault_status(std::uint32_t fault) const {
  if (fault >= pipeline_->faults.size())
    return Status(Code::internal, "a kernel reported the unknown fault " + std::to_string(fault));
  return penstock::fault_status(*program_.graph, pipeline_->faults[fault],
                                pipeline_->fault_codes[fault], program_.source_schema);
}

Status TileKernel::prepare(ChunkBuffers& buffers, std::uint64_t row_count) const {
  PENSTOCK_TRY(prepare_scalars(buffers.scalars));
  if (!buffers.fault) {
    PENSTOCK_ASSIGN(buffers.fault, device_->allocate(64));
    PENSTOCK_ASSIGN(buffers.overflowed, device_->allocate(64));
    buffers.fault_is_clear = false;
  }
  buffers.select(variant_->algorithm);
  return std::visit([&](auto& strategy) { return strategy.prepare(context(), row_count); },
                    buffers.strategy);
}

Status TileKernel::prepare_scalars(PackedScalars& scalars) const {
  if (!packs_scalars(program_)) return {};
  return context().reserve(scalars.memory, scalar_words(program_) * 8);
}

Status TileKernel::upload_scalars(Queue& queue, PackedScalars& scalars,
                                  const ProgramStrings& strings) const {
  if (!packs_scalars(program_)) return {};
  scalars.words.clear();
  const std::vector<Scalar>& parameters = program_.graph->parameters;
  for (std::uint32_t i = 0; i < parameters.size(); i++) {
    const Scalar& value = parameters[i];
    scalars.words.push_back(value.type.kind == Kind::string ? strings.code_of_parameter(program_, i)
                                                            : expr::word_of_scalar(value));
    if (expr::is_wide(value.type)) scalars.words.push_back(upper_word(value));
  }
  return queue.upload(*scalars.memory, scalars.words.data(), scalars.words.size() * 8);
}

std::vector<Argument> TileKernel::source_arguments(const ChunkInput& input,
                                                   const PackedScalars& scalars,
                                                   const ProgramStrings& strings) const {
  std::vector<Argument> arguments;
  add(arguments, input.buffers);
  add(arguments, input.lookups);
  if (packs_scalars(program_)) {
    add(arguments, {&scalars.memory});
    return arguments;
  }
  const std::vector<Scalar>& parameters = program_.graph->parameters;
  for (std::uint32_t i = 0; i < parameters.size(); i++) {
    if (!is_used_parameter(program_, i)) continue;
    arguments.push_back(parameters[i].type.kind == Kind::string
                            ? Argument::value(strings.code_of_parameter(program_, i))
                            : scalar_argument(parameters[i]));
    if (expr::is_wide(parameters[i].type))
      arguments.push_back(Argument::value(upper_word(parameters[i])));
  }
  return arguments;
}

std::size_t TileKernel::kept_count() const {
  return (kept_->table_count > 0 ? 1 : 0) + kept_->sums.size();
}

Result<GroupByResults> TileKernel::kept_groups(std::size_t number, Queue* queue) const {
  if (kept_->table_count > 0 && number == 0) return rest_of(*kept_);
  KeptSums& sums = kept_->sums[number - (kept_->table_count > 0 ? 1 : 0)];
  auto entries = entries_of(sums, *device_, *queue);
  sums.limbs.reset();
  return entries;
}

Status TileKernel::enqueue(Queue& queue, const ChunkInput& input, ChunkBuffers& buffers,
                           const ProgramStrings& strings) const {
  if (!buffers.fault_is_clear) PENSTOCK_TRY(queue.fill(*buffers.fault, no_fault, 4));
  buffers.fault_is_clear = true;
  buffers.attempt = attempts_;
  PENSTOCK_TRY(upload_scalars(queue, buffers.scalars, strings));
  const TileLaunch launch{
      queue,           compiled_,     source_arguments(input, buffers.scalars, strings),
      input.row_count, buffers.fault, buffers.overflowed};
  return std::visit([&](auto& strategy) { return strategy.enqueue(context(), launch); },
                    buffers.strategy);
}

}  // namespace penstock::plan
