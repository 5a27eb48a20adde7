#include "exec/collect/group_collector.hpp"

#include <algorithm>

#include "base/human_readable.hpp"
#include "base/thread_pool.hpp"
#include "exec/aggregate/group_table.hpp"
#include "exec/collect/distinct_totals.hpp"
#include "exec/groups/first_groups.hpp"
#include "exec/groups/group_exchange.hpp"
#include "exec/groups/group_results.hpp"
#include "exec/kernel/launch_tables.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

// Collects groups. The chunks' tables are merged on the device if GroupMerge takes them, otherwise
// here.
class GroupCollector : public Collector {
 public:
  GroupCollector(const TileProgram& program, const ProgramStrings& strings,
                 const MergePlace& merges, const TopK* first)
      : program_(program),
        strings_(strings),
        place_(merges),
        first_(first),
        groups_(program, strings, merges.device),
        merge_(GroupMerge::begin(merges, program)),
        merges_there_(merge_ != nullptr) {
    if (!merges.wanted_groups) return;
    wanted_.emplace(program, *merges.wanted_groups, strings);
    groups_.keep_only(*wanted_);
  }

  // Begins to compile what would select or add up merged groups, if there come to be many, at once:
  // beside the compilers of what runs before it. If cores are few, it waits for the first merge.
  // So does the program that makes rows of all groups: its sort compiles for more than a second.
  void begin_early() {
    constexpr unsigned enough_cores = 8;
    if (!merges_there_ || place_.share || place_.leaves_partials) return;
    if (host_core_count() < enough_cores) return;
    if (program_.of_distinct)
      has_begun_after_ = begin_after_merge().ok();  // else the first merge tells why
    else
      selection_ = FirstGroups::begin(place_, program_, first_);
  }

  Status read(const TileKernel&, Chunk& chunk) override {
    const GroupByResults& tables = chunk.buffers.group_by();
    PENSTOCK_ASSIGN(chunk.counts,
                    chunk.read_back.read<std::uint32_t>(*tables.used_slots, tables.table_count));
    PENSTOCK_ASSIGN(chunk.overflowed,
                    chunk.read_back.read<std::uint32_t>(*chunk.buffers.overflowed, 1));
    return read_small_tables(chunk);
  }

  // Reads the tables of the variant that the chunk ran. For an earlier chunk the kernel may have
  // changed to another variant since.
  Status take(const TileKernel& kernel, Chunk& chunk) override {
    last_ = chunk.done;
    if (merges_there_ && kernel.keeps_sums()) PENSTOCK_TRY(begin_after_sums());
    return take_tables({chunk.buffers.group_by(), chunk.counts, chunk.words, chunk.read_back});
  }

  Status take_rest(const TileKernel& kernel) override {
    Status taken = take_all(kernel);
    if (taken.ok() && !groups_.settle()) taken = sum_too_large();
    // Groups of a range that do not fit the memory come to the host. The other shares then put no
    // rows together with this share's, and must not wait for them.
    if (place_.share) place_.share->others().joint_rows().leave(place_.share->number);
    return taken;
  }

  void add_to(RunReport& report) const override {
    if (merge_) merge_->add_to(report);
    if (selection_) selection_->add_to(report);
    for (const KernelReport& after : after_merge_.kernels) report.kernels.push_back(after);
    report.bytes_exchanged += after_merge_.bytes_exchanged;
    if (totals_are_there_)
      totals_->add_to(report);
    else if (program_.of_distinct && groups_.size() >= min_merged_groups)
      report.notes.push_back("values of DISTINCT were added up on the host: " +
                             count_text(groups_.size()) + " of them");
  }

  std::optional<CollectedRows> rows_that_stay() override {
    if (!stays_) return {};
    return CollectedRows(std::move(*stays_));
  }
  Result<Table> finish() override {
    if (leaves_partials() && !rows_) return groups_.partials();
    if (!rows_) { PENSTOCK_ASSIGN(rows_, finish_on_host()); }
    return wanted_ ? wanted_->rows_of(*rows_, strings_) : std::move(*rows_);
  }
  std::uint64_t row_count() const override {
    return groups_.size() + distinct_count_ + (rows_ ? rows_->row_count : 0) +
           (stays_ ? stays_->row_count : 0);
  }

 private:
  static constexpr std::uint64_t small_table_bytes = std::uint64_t{64} << 10;

  std::size_t entry_words() const { return program_.entry_words(); }
  Result<Table> finish_on_host() {
    return totals_are_there_ ? totals_->finish() : groups_.results(first_);
  }

  // Small tables are read with their counts, including entries that no key uses. A second download
  // would wait for kernels of later chunks if the driver puts queues together: 2 ms a chunk of Q1.
  Status read_small_tables(Chunk& chunk) {
    const GroupByResults& tables = chunk.buffers.group_by();
    const std::uint64_t words =
        std::uint64_t{tables.table_count} * tables.slots_per_table * entry_words();
    chunk.words = {};
    if (!tables.results_are_set || tables.is_slot_major || words * 8 > small_table_bytes) return {};
    PENSTOCK_ASSIGN(chunk.words, chunk.read_back.read<std::uint64_t>(*tables.results, words));
    return {};
  }

  Status take_all(const TileKernel& kernel) {
    PENSTOCK_TRY(exchange_sums(kernel));
    PENSTOCK_TRY(take_kept(kernel));
    if (!merges_there_) return exchange(nullptr);
    PENSTOCK_ASSIGN(GroupsOnDevice groups, merge_->collect());
    // They are added up, or selected, on the device, as long as the host has none of them.
    const bool are_all = groups_.size() == 0;
    PENSTOCK_TRY(exchange(are_all ? &groups : nullptr));
    if (leaves_partials() || !are_all) return download(groups);
    if (groups.count == 0) totals_.reset(), selection_.reset();
    if (totals_) { PENSTOCK_ASSIGN(totals_are_there_, totals_->add(groups)); }
    if (selection_) { PENSTOCK_ASSIGN(groups, selection_->select(groups)); }
    if (!totals_are_there_) return take_rows(groups);
    bytes_downloaded += totals_->bytes_downloaded();
    distinct_count_ = groups.count;
    return {};
  }

  // Takes the tables that all launches left.
  Status take_kept(const TileKernel& kernel) {
    const bool is_only = kernel.kept_count() == 1 && groups_.size() == 0;
    for (std::size_t i = 0; i < kernel.kept_count(); i++) {
      std::shared_ptr<Event> begun;
      if (place_.queue) { PENSTOCK_ASSIGN(begun, place_.queue->record()); }
      PENSTOCK_ASSIGN(const GroupByResults tables, kernel.kept_groups(i, place_.queue));
      if (begun) {
        PENSTOCK_ASSIGN(last_, place_.queue->record());
        PENSTOCK_TRY(place_.queue->flush());
      }
      ReadBack read_back;
      PENSTOCK_TRY(read_back.begin(kernel.device(), *last_));
      PENSTOCK_ASSIGN(const auto counts,
                      read_back.read<std::uint32_t>(*tables.used_slots, tables.table_count));
      PENSTOCK_TRY(read_back.wait());
      if (begun && kernel.keeps_sums()) {
        PENSTOCK_ASSIGN(const double seconds, last_->seconds_since(*begun));
        rest_seconds += seconds;
      }
      PENSTOCK_TRY(
          take_tables({tables, counts, {}, read_back, is_only && tables.table_count == 1}));
    }
    return {};
  }

  Status take_tables(const LaunchTables& from) {
    const auto& [tables, counts, words, read_back, is_only] = from;
    for (const std::uint32_t count : counts)
      if (count > tables.slots_per_table)
        return Status(Code::internal, "a kernel used more slots than there are");
    if (merges_there_ && (have_range_ || merge_->wants(counts))) {
      PENSTOCK_ASSIGN(const bool is_merged,
                      is_only ? merge_->add_only(tables, counts[0]) : merge_->add(tables, counts));
      if (is_merged) return begin_after_merge();
      PENSTOCK_ASSIGN(const GroupsOnDevice groups, merge_->collect());
      PENSTOCK_TRY(download(groups));
      totals_.reset();
      merges_there_ = false;
    }
    if (tables.is_slot_major) {
      PENSTOCK_ASSIGN(const auto entries, entries_by_slots(from, entry_words(), bytes_downloaded));
      return groups_.add(entries, entry_words()) ? Status() : sum_too_large();
    }
    PENSTOCK_ASSIGN(const auto entries, entries_by_tables(from, entry_words(), bytes_downloaded));
    for (const std::span<const std::uint64_t> group : entries)
      if (!groups_.add(group, entry_words(), read_back.memory())) return sum_too_large();
    return {};
  }

  Status begin_after_sums() {
    if (place_.share && !program_.of_distinct && !adding_)
      adding_.emplace(SumsExchange::begin_kernels(place_.device));
    return begin_after_merge();
  }

  // Begins to compile the kernels for all merged groups, while later chunks are read.
  Status begin_after_merge() {
    if (has_begun_after_ || (place_.leaves_partials && !place_.share)) return {};
    has_begun_after_ = true;
    if (!program_.of_distinct) {
      if (!selection_) selection_ = FirstGroups::begin(place_, program_, first_);
      results_ = selection_ ? nullptr : GroupResults::begin(place_, program_);
      return {};
    }
    if (has_string_extremes(*program_.of_distinct)) return {};  // the host knows the strings' order
    MergePlace place = place_;
    place.leaves_partials = false;
    place.share = nullptr;
    PENSTOCK_ASSIGN(totals_, DistinctTotals::begin(place, program_, strings_, first_));
    return {};
  }

  // Takes part in the exchange of sums with other devices, if there are any.
  Status exchange_sums(const TileKernel& kernel) {
    if (!place_.share) return {};
    const bool are_all = adding_ && merges_there_ && place_.queue && merge_->is_empty() &&
                         groups_.size() == 0 && kernel.kept_count() == kernel.kept_sums().size();
    SumsExchange& others = place_.share->others().sums();
    PENSTOCK_ASSIGN(
        have_range_,
        others.exchange({place_.share->number, place_.share->base, program_, kernel.policy(),
                         are_all ? &kernel.kept_sums() : nullptr, adding_ ? &*adding_ : nullptr},
                        place_, after_merge_));
    place_.share->has_range = have_range_;
    return {};
  }

  // Takes part in the exchange of groups with other devices, if there are any. `groups` may be
  // null: they are not on the device.
  Status exchange(GroupsOnDevice* groups) {
    if (!place_.share || have_range_) return {};
    PENSTOCK_ASSIGN(place_.share->has_range,
                    place_.share->others().exchange(place_.share->number, place_, program_,
                                                    place_.share->base, groups, after_merge_));
    return {};
  }
  bool has_range() const { return place_.share && place_.share->has_range; }
  bool leaves_partials() const { return place_.leaves_partials && !has_range(); }

  // Takes the rows that the device makes of many groups, or takes groups for the host to make rows
  // of.
  Status take_rows(const GroupsOnDevice& groups) {
    if (!has_range() && place_.location != MergeLocation::device &&
        groups.count < min_groups_made_rows)
      return download(groups);
    if (!results_ && !selection_) results_ = GroupResults::begin(place_, program_);
    if (!results_) return download(groups);
    PENSTOCK_ASSIGN(auto rows, results_->rows(groups, strings_, after_merge_));
    if (rows && results_->stay(groups.count)) {
      stays_ = std::move(rows);
      return {};
    }
    PENSTOCK_ASSIGN(auto columns, download_rows(rows ? &*rows : nullptr));
    if (!columns) return download(groups);
    rows_ = results_->table(std::move(*columns));
    return {};
  }

  // Rows of a range are downloaded to the table that the ranges of all devices are put together in.
  Result<std::optional<std::vector<Column>>> download_rows(const DeviceRows* rows) {
    std::optional<std::vector<Column>> columns;
    if (rows) bytes_downloaded += rows->row_count * results_->bytes_per_row();
    if (has_range()) {
      PENSTOCK_ASSIGN(columns,
                      place_.share->others().joint_rows().download(
                          place_.share->number, *place_.device, rows, results_->columns()));
    }
    if (columns || !rows) return columns;
    PENSTOCK_ASSIGN(columns,
                    download_columns(*place_.device, *rows, results_->columns(), strings_.pool()));
    return columns;
  }

  // Adds groups of the device to the groups on the host.
  Status download(const GroupsOnDevice& groups) {
    bool fits = true;
    const bool is_first = groups_.size() == 0;
    PENSTOCK_TRY(merge_->download(groups, [&](std::span<const std::uint64_t> some) {
      if (is_first && !wanted_)
        groups_.append(some);
      else
        fits &= groups_.merge_groups(some);
      bytes_downloaded += some.size_bytes();
    }));
    return fits ? Status() : sum_too_large();
  }

  const TileProgram& program_;
  const ProgramStrings strings_;
  const MergePlace place_;
  const TopK* first_;                   // null: all groups
  std::optional<WantedGroups> wanted_;  // nullopt: all
  GroupTable groups_;
  std::unique_ptr<GroupMerge> merge_;  // null: all groups are merged here
  bool merges_there_ = false;          // until memory is too small
  bool has_begun_after_ = false;
  bool have_range_ = false;                 // the sums were exchanged
  std::optional<RowKernels> adding_;        // compiles the kernels for that
  std::shared_ptr<Event> last_;             // the end of the last chunk's kernels
  std::unique_ptr<FirstGroups> selection_;  // of merged groups; null: the host's
  std::unique_ptr<GroupResults> results_;   // makes their rows; null: on the host
  std::optional<Table> rows_;               // made by results_
  std::optional<DeviceRows> stays_;         // the same, in device memory
  RunReport after_merge_;                   // of the exchange and of making rows
  // Adds up DISTINCT values that are merged on the device.
  std::unique_ptr<DistinctTotals> totals_;
  bool totals_are_there_ = false;
  std::uint64_t distinct_count_ = 0;  // of values that it added up
};

}  // namespace

std::unique_ptr<Collector> make_group_collector(const TileProgram& program,
                                                const ProgramStrings& strings,
                                                const MergePlace& merges, const TopK* first) {
  auto collector = std::make_unique<GroupCollector>(program, strings, merges, first);
  collector->begin_early();
  return collector;
}

}  // namespace penstock::plan
