// Makes the rows of a group-by from groups in device memory: columns of keys and results, sorted
// there by the keys.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "exec/groups/group_merge.hpp"
#include "exec/kernel/exec_kernels.hpp"
#include "fuse/program/program_strings.hpp"
#include "table/sort/device_row_sort.hpp"

namespace penstock::plan {

// From so many groups on the device makes the rows.
constexpr std::uint64_t min_groups_made_rows = 1 << 15;

class GroupResults {
 public:
  // Returns whether kernels make the rows, so that these may stay in device memory.
  static bool may_stay(const TileProgram& program);
  // Begins to compile. Null if the host makes the rows: with strings, if rows do not stay, keys
  // with more than 64 bits, DISTINCT values that are not added up yet, or sums of floats of 32
  // bits.
  static std::unique_ptr<GroupResults> begin(const MergePlace& place, const TileProgram& program);
  // Whether the rows of so many groups stay in device memory.
  bool stay(std::uint64_t groups) const {
    return groups > 0 && groups * bytes_per_row() <= place_.rows_stay_bytes;
  }
  // Returns the rows, sorted unless they stay; nothing if memory is too small. Waits. Strings have
  // codes of the run.
  Result<std::optional<DeviceRows>> rows(const GroupsOnDevice& groups,
                                         const ProgramStrings& strings, RunReport& report);
  Columns columns() const;  // of the rows, by number
  std::uint64_t bytes_per_row() const;
  // Makes the program's columns of the downloaded ones.
  Table table(std::vector<Column> downloaded) const;

 private:
  // A column of the rows.
  struct Place {
    Type type;
    std::uint32_t word = 0;                     // of a group
    std::uint32_t null_word = 0, null_bit = 0;  // kernels/group_results.kc
    bool has_nulls = false;
    const Accumulator* averaged = nullptr;  // divided by the count in null_word
  };

  GroupResults(const MergePlace& place, const TileProgram& program, std::vector<Place> places)
      : place_(place),
        program_(program),
        places_(std::move(places)),
        kernels_(place.device, exec_kernels("group_results")),
        sort_(DeviceRowSort::begin(place.device)) {}
  static Place place_of_key(const TileProgram& program, std::uint32_t key);
  static std::optional<std::vector<Place>> places_of(const TileProgram& program);
  static bool add_places(const TileProgram& program, const AggregateResult& result,
                         std::vector<Place>& places);
  Result<DeviceColumn> make_column(const GroupsOnDevice& groups, const Place& place);
  Status fill_column(const GroupsOnDevice& groups, const Place& place, const DeviceColumn& to);
  Result<DeviceRows> make_columns(const GroupsOnDevice& groups, const ProgramStrings& strings,
                                  RunReport& report);
  Status use_codes_of_run(const DeviceRows& rows, const ProgramStrings& strings, RunReport& report);
  bool has_strings() const;
  Result<std::optional<DeviceRows>> sorted(DeviceRows rows, RunReport& report);
  std::vector<Argument> average_arguments(const GroupsOnDevice& groups, const Place& place,
                                          const Buffer& values) const;

  const MergePlace place_;
  const TileProgram& program_;
  const std::vector<Place> places_;
  RowKernels kernels_;
  BufferPointer is_beyond_;  // a word: an average is the host's
  std::shared_ptr<DeviceRowSort> sort_;
};

}  // namespace penstock::plan
