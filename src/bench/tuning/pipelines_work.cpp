// A filter, a sum and a group-by over rows in the device's memory.
#include <algorithm>
#include <cmath>

#include "bench/bench_table.hpp"
#include "bench/tuning/tuned_work.hpp"
#include "penstock/run.hpp"

namespace penstock::bench {
namespace {

constexpr std::int32_t key_count = 1000;
// Whole numbers, so that sums are exact.
float tuned_value(std::uint64_t row) { return static_cast<float>(hash_of_row(row) >> 44 & 1023); }
std::int32_t tuned_key(std::uint64_t row) {
  return static_cast<std::int32_t>(hash_of_row(row) % key_count);
}

struct TunedRows {
  std::vector<std::int32_t> keys;
  std::vector<float> values;
};
TunedRows make_tuned_rows(std::uint64_t count) {
  TunedRows rows{std::vector<std::int32_t>(count), std::vector<float>(count)};
  for (std::uint64_t row = 0; row < count; row++)
    rows.keys[row] = tuned_key(row), rows.values[row] = tuned_value(row);
  return rows;
}

class PipelineWork : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device, bool has_keys) {
    const TunedRows rows = make_tuned_rows(tuned_rows(*device));
    std::vector<std::pair<std::string, Column>> columns = {{"x", Column::from(rows.values)}};
    if (has_keys) columns.emplace_back("key", Column::from(rows.keys));
    PENSTOCK_ASSIGN(const Table table, to_device(Table::of(std::move(columns)), *device));
    options_.device = device->traits().id;
    const StepId source = plan_.source(table_source(table, "rows"));
    Builder builder(plan_.step(source).schema);
    PENSTOCK_ASSIGN(result_, add_steps(plan_, source, builder));
    find_answer(rows);
    return {};
  }
  Status build() override {
    prepared_.reset();
    PENSTOCK_ASSIGN(prepared_, prepare(plan_, result_, options_));
    return {};
  }
  Status verify() override {
    PENSTOCK_TRY(prepared_->run_seconds());
    PENSTOCK_ASSIGN(const QueryResult outcome, prepared_->fetch());
    return is_right(outcome.table) ? Status()
                                   : Status(Code::internal, "a kernel's answer is wrong");
  }
  Result<double> run_seconds() override { return prepared_->run_seconds(); }

 protected:
  virtual Result<StepId> add_steps(Plan& plan, StepId source, Builder& builder) = 0;
  virtual void find_answer(const TunedRows& rows) = 0;
  virtual bool is_right(const Table& result) const = 0;

  static Result<StepId> keep_above(Plan& plan, StepId source, Builder& builder, float limit) {
    PENSTOCK_ASSIGN(const NodeId predicate, builder.binary(Op::greater, builder.column(0u),
                                                           builder.captured(Scalar::of(limit))));
    return plan.filter(source, builder.graph(), predicate);
  }

 private:
  Plan plan_;
  StepId result_ = 0;
  RunOptions options_;
  std::unique_ptr<Prepared> prepared_;
};

class FilterWork final : public PipelineWork {
  static constexpr float limit = 921;  // of 1024
  Result<StepId> add_steps(Plan& plan, StepId source, Builder& builder) override {
    return keep_above(plan, source, builder, limit);
  }
  void find_answer(const TunedRows& rows) override {
    for (const float x : rows.values)
      if (x > limit) wanted_.push_back(x);
  }
  bool is_right(const Table& result) const override {
    const float* const got = result.columns[0].values.as<float>();
    return result.row_count == wanted_.size() && std::equal(wanted_.begin(), wanted_.end(), got);
  }
  std::vector<float> wanted_;
};

class SumWork final : public PipelineWork {
  static constexpr float limit = 511;
  Result<StepId> add_steps(Plan& plan, StepId source, Builder& builder) override {
    PENSTOCK_ASSIGN(const StepId kept, keep_above(plan, source, builder, limit));
    return plan.reduce(kept, builder.graph(), {{Aggregate::sum, builder.column(0u), "x", nullptr}});
  }
  void find_answer(const TunedRows& rows) override {
    for (const float x : rows.values) sum_ += x > limit ? static_cast<double>(x) : 0.0;
  }
  bool is_right(const Table& result) const override {
    return *result.columns[0].values.as<double>() == sum_;
  }
  double sum_ = 0;
};

class GroupsWork final : public PipelineWork {
  Result<StepId> add_steps(Plan& plan, StepId source, Builder& builder) override {
    return plan.group_by(source, builder.graph(), {{"key", builder.column(1u)}},
                         {{Aggregate::sum, builder.column(0u), "x", nullptr}});
  }
  void find_answer(const TunedRows& rows) override {
    for (std::size_t row = 0; row < rows.keys.size(); row++)
      sums_[static_cast<std::size_t>(rows.keys[row])] += static_cast<double>(rows.values[row]);
  }
  bool is_right(const Table& result) const override {
    const double* const got = result.columns[1].values.as<double>();
    return result.row_count == sums_.size() && std::equal(sums_.begin(), sums_.end(), got);
  }
  std::vector<double> sums_ = std::vector<double>(key_count);
};

template <class Work>
Result<std::unique_ptr<TunedWork>> opened_pipeline(const std::shared_ptr<Device>& device,
                                                   bool has_keys) {
  auto work = std::make_unique<Work>();
  PENSTOCK_TRY(work->open(device, has_keys));
  return std::unique_ptr<TunedWork>(std::move(work));
}

}  // namespace

Result<std::unique_ptr<TunedWork>> open_filter(const std::shared_ptr<Device>& device) {
  return opened_pipeline<FilterWork>(device, false);
}
Result<std::unique_ptr<TunedWork>> open_sum(const std::shared_ptr<Device>& device) {
  return opened_pipeline<SumWork>(device, false);
}
Result<std::unique_ptr<TunedWork>> open_groups(const std::shared_ptr<Device>& device) {
  return opened_pipeline<GroupsWork>(device, true);
}

}  // namespace penstock::bench
