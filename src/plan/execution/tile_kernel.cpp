#include "plan/execution/tile_kernel.hpp"

#include <algorithm>

#include "expr/emit.hpp"
#include "plan/fusion/accumulators.hpp"
#include "plan/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

// A scalar as the kernel takes it: see kernel_type().
Argument scalar_argument(const Scalar& value, StringPool& strings) {
  switch (value.type.kind) {
    case Kind::boolean: return Argument::value(static_cast<std::uint32_t>(value.integer != 0));
    case Kind::string: return Argument::value(strings.code(value.text));
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
    case Kind::decimal: break;
    case Kind::int128: break;  // refused by emit()
  }
  return Argument::value(static_cast<std::int64_t>(value.integer));
}

void add(std::vector<Argument>& arguments, const std::vector<std::shared_ptr<Buffer>>& buffers) {
  for (const auto& buffer : buffers) arguments.push_back(Argument::of(*buffer));
}
void add(std::vector<Argument>& arguments, const std::shared_ptr<Buffer>& buffer) {
  arguments.push_back(Argument::of(*buffer));
}

}  // namespace

Result<std::unique_ptr<TileKernel>> TileKernel::make(std::shared_ptr<Device> device,
                                                     const TileProgram& program,
                                                     const Options& options) {
  std::unique_ptr<TileKernel> kernel(new TileKernel(std::move(device), program));
  kernel->options_ = options;
  const Traits& traits = kernel->device_->traits();
  PENSTOCK_ASSIGN(kernel->variant_, choose_variant(traits, program, options.variant));
  kernel->policy_ = kernel->variant_->policy(traits, program);
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
  PENSTOCK_ASSIGN(ProgramSource source, kernel->emit());
  kernel->building_ =
      std::async(std::launch::async,
                 [on = kernel->device_, source = std::move(source)] { return on->build(source); });
  return kernel;
}

Status TileKernel::wait() {
  if (!building_.valid()) return {};
  PENSTOCK_ASSIGN(compiled_, building_.get());
  return {};
}

Result<ProgramSource> TileKernel::emit() {
  attempts_++;
  if (!fits_parameters(program_))
    return Status(Code::unsupported,
                  program_.lookups.empty()
                      ? "an expression reads more columns than the some 50 that a kernel may"
                      : "joins and what is computed of them read more columns than the some 50 "
                        "that a kernel may; "
                        "a joined table counts twice, beside its columns");
  PENSTOCK_ASSIGN(text_, emit_pipeline(program_, std::string(variant_->skeleton), policy_,
                                       device_->traits().target));
  if (options_.on_source) options_.on_source(text_.text);
  ProgramSource source;
  source.text = text_.text;
  source.group_size = policy_.group_size;
  source.fast_math = options_.fast_math;
  source.label = std::string(variant_->name);
  return source;
}

Status TileKernel::compile() {
  PENSTOCK_ASSIGN(const ProgramSource source, emit());
  PENSTOCK_ASSIGN(compiled_, device_->build(source));
  return {};
}

std::uint32_t TileKernel::tile_count(std::uint64_t row_count) const {
  return static_cast<std::uint32_t>((row_count + policy_.tile_rows - 1) / policy_.tile_rows);
}

std::uint32_t TileKernel::group_count(std::uint64_t row_count) const {
  const std::uint32_t tiles = std::max(1u, tile_count(row_count));
  return policy_.groups == 0 ? tiles : std::min(tiles, policy_.groups);
}

std::uint64_t TileKernel::bytes_moved(std::uint64_t rows_read, std::uint64_t rows_kept) const {
  const std::uint64_t read = bytes_read(program_, rows_read),
                      written = bytes_written(program_, rows_kept);
  switch (variant_->algorithm) {
    case Algorithm::count_scan_write: return 2 * read + written;
    case Algorithm::tile_private: return read + 3 * written;  // to segments, and from there
    case Algorithm::store:
    case Algorithm::look_back:
    case Algorithm::one_pass:
    case Algorithm::reduce:
    case Algorithm::group:
    case Algorithm::group_dense:
    case Algorithm::group_local:
    case Algorithm::group_global: break;
    case Algorithm::group_partitioned:
      return read + 2 * rows_read * record_bytes(program_) + written;  // and keys, to count them
  }
  return read + written;
}

Status TileKernel::fault_status(std::uint32_t fault) const {
  if (fault >= text_.faults.size())
    return Status(Code::internal, "a kernel reported the unknown fault " + std::to_string(fault));
  return penstock::fault_status(*program_.graph, text_.faults[fault], text_.fault_codes[fault],
                                program_.source_schema);
}

Status TileKernel::prepare_outputs(std::vector<std::shared_ptr<Buffer>>& buffers,
                                   std::uint64_t row_count) const {
  buffers.clear();  // back to the pool first: the larger ones may need the room
  for (const ColumnBuffer& buffer : output_buffers(program_)) {
    PENSTOCK_ASSIGN(auto memory,
                    device_->allocate(std::max<std::uint64_t>(buffer.bytes(row_count), 64)));
    buffers.push_back(std::move(memory));
  }
  return {};
}

Status TileKernel::prepare(Slot& slot, std::uint64_t row_count) const {
  if (packs_scalars(program_))
    PENSTOCK_TRY(replace(slot.scalars, program_.graph->parameters.size() * 8));
  if (!slot.fault) {
    PENSTOCK_ASSIGN(slot.fault, device_->allocate(64));
    PENSTOCK_ASSIGN(slot.overflowed, device_->allocate(64));
    slot.fault_is_clear = false;
  }
  switch (program_.epilogue) {
    case Epilogue::compact: return prepare_compact(slot, row_count);
    case Epilogue::reduce: return prepare_reduce(slot, row_count);
    case Epilogue::group: break;
  }
  if (variant_->algorithm == Algorithm::group_dense) return prepare_dense(slot, row_count);
  if (variant_->algorithm == Algorithm::group_partitioned)
    return prepare_partitions(slot, row_count);
  return variant_->algorithm == Algorithm::group_global ? prepare_table(slot)
                                                        : prepare_group(slot, row_count);
}

Status TileKernel::prepare_compact(Slot& slot, std::uint64_t row_count) const {
  if (slot.kept_count && row_count <= slot.capacity_rows) return {};
  PENSTOCK_TRY(prepare_outputs(slot.outputs, row_count));
  if (variant_->algorithm == Algorithm::tile_private)
    PENSTOCK_TRY(prepare_outputs(slot.segments, row_count));
  const std::uint64_t tiles = tile_count(row_count) + std::uint64_t{8};
  PENSTOCK_TRY(replace(slot.tile_counts, tiles * 4));
  PENSTOCK_TRY(replace(slot.tile_starts, tiles * 8));
  PENSTOCK_TRY(replace(slot.kept_count, 64));
  slot.capacity_rows = row_count;
  return {};
}

Status TileKernel::prepare_reduce(Slot& slot, std::uint64_t row_count) const {
  const std::uint64_t words = program_.accumulator_words() + 1, groups = group_count(row_count);
  PENSTOCK_TRY(replace(slot.scratch, groups * policy_.group_size * words * 8));
  return replace(slot.partials, groups * words * 8);
}

// Keeps a buffer that is large enough.
Status TileKernel::replace(std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) const {
  if (buffer && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device_->allocate(std::max<std::uint64_t>(bytes, 64)));
  return {};
}

// The scalars as the words that scalar_loads() reads; they stay in the slot, whose chunk is waited
// for.
Status TileKernel::upload_scalars(Queue& queue, Slot& slot, StringPool& strings) const {
  slot.scalar_words.clear();
  for (const Scalar& value : program_.graph->parameters)
    slot.scalar_words.push_back(value.type.kind == Kind::string ? strings.code(value.text)
                                                                : word_of_scalar(value));
  return queue.upload(*slot.scalars, slot.scalar_words.data(), slot.scalar_words.size() * 8);
}

std::vector<Argument> TileKernel::source_arguments(const ChunkInput& input, const Slot& slot,
                                                   StringPool& strings) const {
  std::vector<Argument> arguments;
  add(arguments, input.buffers);
  add(arguments, input.lookups);
  if (packs_scalars(program_)) {
    add(arguments, slot.scalars);
    return arguments;
  }
  for (std::uint32_t i = 0; i < program_.graph->parameters.size(); i++)
    if (is_used_parameter(program_, i))
      arguments.push_back(scalar_argument(program_.graph->parameters[i], strings));
  return arguments;
}

Status TileKernel::enqueue(Queue& queue, const ChunkInput& input, Slot& slot,
                           StringPool& strings) const {
  if (!slot.fault_is_clear) PENSTOCK_TRY(queue.fill(*slot.fault, no_fault, 4));
  slot.fault_is_clear = true;
  if (packs_scalars(program_)) PENSTOCK_TRY(upload_scalars(queue, slot, strings));
  std::vector<Argument> arguments = source_arguments(input, slot, strings);
  switch (program_.epilogue) {
    case Epilogue::compact:
      return enqueue_compact(queue, std::move(arguments), input.row_count, slot);
    case Epilogue::reduce:
      return enqueue_reduce(queue, std::move(arguments), input.row_count, slot);
    case Epilogue::group: break;
  }
  if (variant_->algorithm == Algorithm::group_dense)
    return enqueue_dense(queue, std::move(arguments), input.row_count, slot);
  if (variant_->algorithm == Algorithm::group_partitioned)
    return enqueue_partitions(queue, std::move(arguments), input.row_count, slot);
  return variant_->algorithm == Algorithm::group_global
             ? enqueue_table(queue, std::move(arguments), input.row_count, slot)
             : enqueue_group(queue, std::move(arguments), input.row_count, slot);
}

Status TileKernel::enqueue_compact(Queue& queue, std::vector<Argument> arguments,
                                   std::uint64_t row_count, Slot& slot) const {
  const std::uint32_t tiles = tile_count(row_count), groups = group_count(row_count);
  const std::vector<Argument> source = arguments;
  const auto scan = [&] {
    return queue.launch(*compiled_, "pipeline_scan", 1,
                        {{Argument::of(*slot.tile_counts), Argument::of(*slot.tile_starts),
                          Argument::of(*slot.kept_count), Argument::value(tiles)}});
  };
  const auto finish_arguments = [&](std::vector<Argument>& list) {
    add(list, slot.fault);
    list.push_back(Argument::value(row_count));
  };
  switch (variant_->algorithm) {
    case Algorithm::store:
      add(arguments, slot.outputs);
      finish_arguments(arguments);
      return queue.launch(*compiled_, "pipeline_store_all", groups, arguments);
    case Algorithm::look_back: {
      // Groups wait for one another.
      PENSTOCK_ASSIGN(const std::uint32_t resident,
                      device_->resident_groups(*compiled_, "pipeline_look_back"));
      if (resident == 0)
        return Status(Code::capacity, "no group of pipeline_look_back fits a multiprocessor of " +
                                          device_->traits().id);
      PENSTOCK_TRY(queue.fill(*slot.tile_counts, 0, std::uint64_t{4} * tiles));
      if (tiles == 0)
        PENSTOCK_TRY(
            queue.fill(*slot.kept_count, 0, 8));  // else whoever has the last tile writes it
      add(arguments, slot.outputs);
      add(arguments, slot.tile_counts);
      add(arguments, slot.kept_count);
      finish_arguments(arguments);
      return queue.launch_resident(*compiled_, "pipeline_look_back", std::min(groups, resident),
                                   arguments);
    }
    case Algorithm::one_pass:
      PENSTOCK_TRY(
          queue.fill(*slot.tile_counts, 0,
                     std::uint64_t{4} * (tiles + std::uint64_t{1})));  // and the ticket behind them
      if (tiles == 0) PENSTOCK_TRY(queue.fill(*slot.kept_count, 0, 8));
      add(arguments, slot.outputs);
      add(arguments, slot.tile_counts);
      add(arguments, slot.kept_count);
      finish_arguments(arguments);
      return queue.launch(*compiled_, "pipeline_one_pass", groups, arguments);
    case Algorithm::tile_private: {
      add(arguments, slot.segments);
      add(arguments, slot.tile_counts);
      finish_arguments(arguments);
      PENSTOCK_TRY(queue.launch(*compiled_, "pipeline_compact", groups, arguments));
      PENSTOCK_TRY(scan());
      std::vector<Argument> close;
      add(close, slot.segments);
      add(close, slot.outputs);
      add(close, slot.tile_counts);
      add(close, slot.tile_starts);
      close.push_back(Argument::value(tiles));
      return queue.launch(*compiled_, "pipeline_close", groups, close);
    }
    case Algorithm::count_scan_write: {
      add(arguments, slot.tile_counts);
      arguments.push_back(Argument::value(row_count));
      PENSTOCK_TRY(queue.launch(*compiled_, "pipeline_count", groups, arguments));
      PENSTOCK_TRY(scan());
      std::vector<Argument> write = source;
      add(write, slot.outputs);
      add(write, slot.tile_starts);
      finish_arguments(write);
      return queue.launch(*compiled_, "pipeline_write", groups, write);
    }
    case Algorithm::reduce:
    case Algorithm::group:
    case Algorithm::group_dense:
    case Algorithm::group_partitioned:
    case Algorithm::group_local:
    case Algorithm::group_global: break;
  }
  return Status(Code::internal, "no algorithm of a compaction");
}

Status TileKernel::enqueue_reduce(Queue& queue, std::vector<Argument> arguments,
                                  std::uint64_t row_count, Slot& slot) const {
  slot.groups = group_count(row_count);
  add(arguments, slot.scratch);
  add(arguments, slot.partials);
  add(arguments, slot.fault);
  arguments.push_back(Argument::value(row_count));
  return queue.launch(*compiled_, "pipeline_reduce", slot.groups, arguments);
}

}  // namespace penstock::plan
