#include "device/cuda/pc_sampling.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>

namespace penstock::cuda {
namespace {

// A sample every 4,096 cycles of each multiprocessor, some 400,000 per second each. That resolves a
// kernel of a millisecond well, and CUPTI's 512 MB of buffer on the device last for seconds.
constexpr std::uint32_t period_exponent = 12;
// Instructions per call; a generated kernel has some thousands.
constexpr std::size_t records_at_once = 4096;

// The memory that CUPTI writes records to.
class RecordBuffer {
 public:
  explicit RecordBuffer(std::size_t reason_count)
      : reason_count_(reason_count), stalls_(records_at_once * reason_count) {
    clear();
  }
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;

  void clear() {
    for (std::size_t i = 0; i < records_at_once; i++) {
      records_[i] = {};
      records_[i].size = sizeof(PcRecord);
      records_[i].stalls = stalls_.data() + i * reason_count_;
    }
    data_ = {};
    data_.size = sizeof data_;
    data_.record_capacity = records_at_once;
    data_.records = records_.data();
  }
  PcData& data() { return data_; }

 private:
  std::size_t reason_count_;
  std::vector<PcStall> stalls_;
  std::vector<PcRecord> records_ = std::vector<PcRecord>(records_at_once);
  PcData data_;
};

class PcSampling : public StallSampler {
 public:
  PcSampling(Cupti cupti, ContextPointer context, std::shared_ptr<SampledPrograms> programs)
      : cupti_(std::move(cupti)), context_(std::move(context)), programs_(std::move(programs)) {}
  ~PcSampling() override {
    const Current current(*context_);
    if (is_enabled_) call(cupti_.disable);
  }

  Status begin() {
    const Current current(*context_);
    PENSTOCK_TRY(check(call(cupti_.enable), "cuptiPCSamplingEnable"));
    is_enabled_ = true;
    PENSTOCK_TRY(read_reasons());
    flushed_ = std::make_unique<RecordBuffer>(reasons_.size());
    PENSTOCK_TRY(configure());
    return check(call(cupti_.start), "cuptiPCSamplingStart");
  }

  Result<StallSamples> finish() override {
    const Current current(*context_);
    PENSTOCK_TRY(check(call(cupti_.stop), "cuptiPCSamplingStop"));
    take(*flushed_);
    PENSTOCK_TRY(drain());
    is_enabled_ = false;
    PENSTOCK_TRY(check(call(cupti_.disable), "cuptiPCSamplingDisable"));
    take(*flushed_);
    return grouped();
  }

 private:
  CUptiResult call(CUptiResult (*function)(PcContextParameters*)) {
    PcContextParameters parameters{sizeof parameters, nullptr, context_->handle()};
    return function(&parameters);
  }
  Status check(CUptiResult code, const char* name) const { return status_of(cupti_, code, name); }

  Status read_reasons() {
    std::size_t count = 0;
    PcReasonCountParameters ask{sizeof ask, nullptr, context_->handle(), &count};
    PENSTOCK_TRY(check(cupti_.reason_count(&ask), "cuptiPCSamplingGetNumStallReasons"));
    std::vector<std::uint32_t> indices(count);
    std::vector<std::array<char, reason_name_bytes>> texts(count);
    std::vector<char*> names;
    for (auto& text : texts) names.push_back(text.data());
    PcReasonParameters all{sizeof all, nullptr,        context_->handle(),
                           count,      indices.data(), names.data()};
    PENSTOCK_TRY(check(cupti_.reasons(&all), "cuptiPCSamplingGetStallReasons"));
    for (std::size_t i = 0; i < count; i++)
      reasons_[indices[i]] =
          stall_reason({texts[i].data(), ::strnlen(texts[i].data(), reason_name_bytes)});
    return {};
  }

  Status configure() {
    std::array<PcAttribute, 4> attributes{};
    attributes[0].type = CUPTI_PC_SAMPLING_ATTR_SAMPLING_PERIOD;
    attributes[0].value.number = period_exponent;
    attributes[1].type = CUPTI_PC_SAMPLING_ATTR_COLLECTION_MODE;
    attributes[1].value.number = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    attributes[2].type = CUPTI_PC_SAMPLING_ATTR_ENABLE_START_STOP_CONTROL;
    attributes[2].value.number = 1;
    attributes[3].type = CUPTI_PC_SAMPLING_ATTR_SAMPLING_DATA_BUFFER;
    attributes[3].value.pointer = &flushed_->data();
    PcAttributeParameters parameters{sizeof parameters, nullptr, context_->handle(),
                                     attributes.size(), attributes.data()};
    PENSTOCK_TRY(
        check(cupti_.set_attributes(&parameters), "cuptiPCSamplingSetConfigurationAttribute"));
    for (const PcAttribute& attribute : attributes)
      PENSTOCK_TRY(check(attribute.status, "cuptiPCSamplingSetConfigurationAttribute")
                       .with("attribute " + std::to_string(attribute.type)));
    return {};
  }

  // Samples that are not collected yet.
  Status drain() {
    RecordBuffer buffer(reasons_.size());
    for (bool more = true; more;) {
      buffer.clear();
      PcDataParameters parameters{sizeof parameters, nullptr, context_->handle(), &buffer.data()};
      const CUptiResult outcome = cupti_.get_data(&parameters);
      if (outcome == CUPTI_ERROR_OUT_OF_MEMORY)
        return Status(Code::capacity,
                      "the GPU's buffer of samples is full: profile a shorter query");
      PENSTOCK_TRY(check(outcome, "cuptiPCSamplingGetData"));
      more = buffer.data().remaining_count > 0 && buffer.data().record_count > 0;
      take(buffer);
    }
    return {};
  }

  // Adds a buffer's samples and empties it. The names are kept: CUPTI shares them between records,
  // and they are few.
  void take(RecordBuffer& buffer) {
    const PcData& data = buffer.data();
    total_ += data.total_samples;
    dropped_ += data.dropped_samples;
    for (std::size_t i = 0; i < std::min(data.record_count, records_at_once); i++) {
      const PcRecord& record = data.records[i];
      for (std::size_t s = 0; s < std::min(record.stall_count, reasons_.size()); s++)
        counts_[{record.cubin_crc, record.function_name ? record.function_name : "",
                 record.pc_offset, record.stalls[s].reason_index}] += record.stalls[s].samples;
    }
    buffer.clear();
  }

  struct Sampled {
    std::string key;
    std::shared_ptr<Module> module;
  };
  std::map<std::uint64_t, Sampled> programs_by_crc() const {
    std::map<std::uint64_t, Sampled> found;
    const std::lock_guard lock(programs_->mutex);
    for (const auto& [key, module] : programs_->by_key) {
      PcCrcParameters parameters{sizeof parameters, module->image().size(), module->image().data(),
                                 0};
      if (cupti_.crc_of(&parameters) == CUPTI_SUCCESS) found[parameters.crc] = {key, module};
    }
    return found;
  }

  StallSamples grouped() const {
    const std::map<std::uint64_t, Sampled> programs = programs_by_crc();
    std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::string>,
             std::uint64_t>
        sums;
    for (const auto& [place, samples] : counts_) {
      const auto& [crc, kernel, pc_offset, reason] = place;
      const auto name = reasons_.find(reason);
      if (samples == 0 || name == reasons_.end() || name->second.empty()) continue;
      const auto program = programs.find(crc);
      const bool known = program != programs.end();
      const SourcePlace from =
          known ? place_of(cupti_, program->second.module->image(), kernel, pc_offset)
                : SourcePlace();
      sums[{known ? program->second.key : "", kernel, from.part, from.line, name->second}] +=
          samples;
    }
    StallSamples result;
    for (const auto& [place, samples] : sums) {
      const auto& [key, kernel, part, line, reason] = place;
      result.samples.push_back({key, kernel, reason, part, line, samples});
    }
    result.total = total_;
    result.dropped = dropped_;
    result.period_cycles = 1u << period_exponent;
    return result;
  }

  Cupti cupti_;
  ContextPointer context_;
  std::shared_ptr<SampledPrograms> programs_;
  bool is_enabled_ = false;
  std::map<std::uint32_t, std::string> reasons_;
  std::unique_ptr<RecordBuffer> flushed_;  // CUPTI's own, where it flushes by itself
  using Place = std::tuple<std::uint64_t, std::string, std::uint64_t,
                           std::uint32_t>;  // cubin, kernel, PC, reason
  std::map<Place, std::uint64_t> counts_;
  std::uint64_t total_ = 0, dropped_ = 0;
};

}  // namespace

Result<std::unique_ptr<StallSampler>> begin_pc_sampling(ContextPointer context,
                                                        std::shared_ptr<SampledPrograms> programs) {
  int version = 0;
  PENSTOCK_TRY(context->check(context->api.cuDriverGetVersion(&version), "cuDriverGetVersion"));
  PENSTOCK_ASSIGN(Cupti cupti, open_cupti(version / 1000));
  return begin_pc_sampling(std::move(cupti), std::move(context), std::move(programs));
}

Result<std::unique_ptr<StallSampler>> begin_pc_sampling(Cupti cupti, ContextPointer context,
                                                        std::shared_ptr<SampledPrograms> programs) {
  auto sampling =
      std::make_unique<PcSampling>(std::move(cupti), std::move(context), std::move(programs));
  PENSTOCK_TRY(sampling->begin().with("while beginning to sample stalls"));
  return std::unique_ptr<StallSampler>(std::move(sampling));
}

}  // namespace penstock::cuda
