#include "exec/collect/distinct_totals.hpp"

#include <algorithm>

namespace penstock::plan {
namespace {

constexpr std::uint64_t max_piece_groups = 1 << 23;  // with columns in memory at once

std::uint64_t bit_bytes(std::uint64_t count) { return (count + 7) / 8; }

}  // namespace

TileProgram totals_program(const TileProgram& groups) {
  TileProgram totals = *groups.of_distinct;
  totals.graph = std::make_shared<Graph>();
  totals.source_schema.clear();
  totals.lookups.clear();
  totals.derived.clear();
  totals.predicates.clear();
  totals.paged.clear();
  totals.epilogue = totals.key_count > 0 ? Epilogue::group : Epilogue::reduce;
  for (std::uint32_t i = 0; i < groups.key_count; i++) {
    const Node& node = groups.graph->at(groups.outputs[i].root);
    totals.source_schema.push_back({groups.outputs[i].name, node.type, node.nullable});
    totals.outputs[i].root = totals.graph->add({Op::column, node.type, node.nullable, i, {}});
  }
  choose_columns(totals);
  std::erase_if(totals.own_codes, [&](std::uint32_t key) { return !own_column_of(groups, key); });
  return totals;
}

Result<std::unique_ptr<DistinctTotals>> DistinctTotals::begin(const MergePlace& place,
                                                              const TileProgram& groups,
                                                              const ProgramStrings& strings,
                                                              const TopK* first) {
  std::unique_ptr<DistinctTotals> totals(new DistinctTotals(place, strings.of_outputs(groups)));
  const TileKernel::Options options{place.fast_math,          {},    {},
                                    place.memory_limit_bytes, false, place.kept};
  PENSTOCK_ASSIGN(totals->kernel_,
                  TileKernel::begin(place.device, totals_program(groups), options));
  totals->collector_ =
      make_collector(totals->kernel_->program(), totals->strings_, nullptr, place, first);
  return totals;
}

Status DistinctTotals::launch(std::string_view kernel, std::uint64_t count,
                              std::vector<Argument> arguments) {
  return of_columns_.launch(*place_.queue, kernel, count, arguments);
}

Status DistinctTotals::make_values(const GroupsOnDevice& groups, std::uint64_t first,
                                   std::uint64_t count, std::uint32_t column, const Buffer& to) {
  const Type type = kernel_->program().source_schema[column].type;
  if (type.kind == Kind::boolean) return make_bits(groups, first, count, column, 0, false, to);
  const auto width = static_cast<std::uint32_t>(width_bytes(type));
  return launch(width >= 4 ? "group_column_words" : "group_column_bytes", count,
                {Argument::of(*groups.words), Argument::of(to), Argument::value(first),
                 Argument::value(count), Argument::value(groups.stride), Argument::value(column),
                 Argument::value(width >= 4 ? width / 4 : width)});
}

Status DistinctTotals::make_bits(const GroupsOnDevice& groups, std::uint64_t first,
                                 std::uint64_t count, std::uint32_t word, std::uint32_t bit,
                                 bool is_flipped, const Buffer& to) {
  const std::uint64_t bytes = bit_bytes(count);
  return launch("group_column_bits", bytes,
                {Argument::of(*groups.words), Argument::of(to), Argument::value(first),
                 Argument::value(count), Argument::value(bytes), Argument::value(groups.stride),
                 Argument::value(word), Argument::value(bit),
                 Argument::value(static_cast<std::uint32_t>(is_flipped))});
}

// Makes the buffers of input_buffers() for so many groups. A NULL has its bit in a word after the
// keys.
Status DistinctTotals::make_columns(const GroupsOnDevice& groups, std::uint64_t first,
                                    std::uint64_t count) {
  const TileProgram& program = kernel_->program();
  const auto key_count = static_cast<std::uint32_t>(program.source_schema.size());
  const std::vector<ColumnBuffer> buffers = input_buffers(program);
  std::vector<BufferPointer>& memory = chunk_.memory.input.buffers;
  memory.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); i++) {
    const ColumnBuffer& buffer = buffers[i];
    const std::uint64_t bytes = (buffer.bytes(count) + 67) / 4 * 4;
    if (!memory[i] || memory[i]->bytes() < bytes) {
      PENSTOCK_ASSIGN(memory[i], place_.device->allocate(bytes));
    }
    const bool is_validity = buffer.role == BufferRole::validity;
    PENSTOCK_TRY(is_validity ? make_bits(groups, first, count, key_count + buffer.index / 64,
                                         buffer.index % 64, true, *memory[i])
                             : make_values(groups, first, count, buffer.index, *memory[i]));
  }
  chunk_.memory.input.row_count = count;
  return {};
}

// Runs the kernel on the columns, and again if its table of groups is too small.
Status DistinctTotals::run_kernel() {
  Queue& queue = *place_.queue;
  PENSTOCK_TRY(kernel_->fit(queue, chunk_.memory.input, strings_));
  for (;;) {
    PENSTOCK_TRY(kernel_->prepare(chunk_.buffers, chunk_.memory.input.row_count));
    PENSTOCK_ASSIGN(chunk_.begun, queue.record());
    PENSTOCK_TRY(kernel_->enqueue(queue, chunk_.memory.input, chunk_.buffers, strings_));
    PENSTOCK_ASSIGN(chunk_.done, queue.record());
    PENSTOCK_TRY(queue.flush());
    figures_.launches++;
    figures_.bytes_moved += kernel_->bytes_moved(chunk_.memory.input.row_count, 0);
    PENSTOCK_TRY(read_chunk(place_.device, *kernel_, *collector_, chunk_));
    PENSTOCK_ASSIGN(const bool fits, wait_for_chunk(*kernel_, chunk_));
    PENSTOCK_ASSIGN(const double seconds, chunk_.done->seconds_since(*chunk_.begun));
    figures_.device_seconds += seconds;
    if (fits) return collector_->take(*kernel_, chunk_);
    PENSTOCK_TRY(kernel_->try_again(queue, chunk_.memory.input, strings_, chunk_.overflowed[0]));
  }
}

Status DistinctTotals::add_pieces(const GroupsOnDevice& groups) {
  PENSTOCK_TRY(kernel_->wait());
  PENSTOCK_TRY(of_columns_.wait());
  for (std::uint64_t first = 0; first < groups.count; first += max_piece_groups) {
    PENSTOCK_TRY(make_columns(groups, first, std::min(max_piece_groups, groups.count - first)));
    PENSTOCK_TRY(run_kernel());
  }
  return collector_->take_rest(*kernel_);
}

Result<bool> DistinctTotals::add(const GroupsOnDevice& groups) {
  const Status added = add_pieces(groups);
  if (added.code() == Code::no_memory) {
    PENSTOCK_TRY(place_.queue->finish());  // enqueued work uses memory that ends with this
    return false;
  }
  PENSTOCK_TRY(added);
  return true;
}

void DistinctTotals::add_to(RunReport& report) const {
  KernelFigures figures = figures_;
  figures.bytes_moved += kernel_->bytes_moved(0, collector_->row_count());
  add_kernel(report, "distinct_totals", kernel_->shared_source(), kernel_->compiled(), figures)
      .variant = std::string(kernel_->variant().name);
  collector_->add_to(report);
}

}  // namespace penstock::plan
