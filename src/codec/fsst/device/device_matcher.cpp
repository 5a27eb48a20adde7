// Predicates on a device: the table of variants, their tables and launches.
#include <algorithm>
#include <cstring>

#include "codec/fsst/device/candidate_blocks.hpp"
#include "codec/fsst/device/code_kernel_base.hpp"
#include "codec/fsst/device/device_layout.hpp"
#include "codec/fsst/host/automaton.hpp"

namespace penstock::fsst {
namespace {

// An automaton with at most this many states is kept in local memory: 512 bytes per state.
constexpr std::uint32_t max_local_states = 16;
// Bounds the tables of all row groups: a file may have as many row groups as rows.
constexpr std::uint64_t max_table_bytes = std::uint64_t{512} << 20;
// Longer words need a longer run-in before each candidate block.
constexpr std::uint32_t max_contained_bytes = 32;

bool compares_codes(const Traits&, const EncodedStrings& strings, const Predicate& predicate) {
  return strings.is_canonical && predicate.kind == Predicate::Kind::is_any_of;
}
bool finds_candidates(const Traits& traits, const EncodedStrings& strings,
                      const Predicate& predicate) {
  const std::uint32_t bytes = contained_bytes(predicate);
  return strings.codes.size < candidate_codes << 31 && bytes > 0 && bytes <= max_contained_bytes &&
         traits.local_bytes >= candidate_policy(traits).local_bytes();
}
bool any(const Traits&, const EncodedStrings&, const Predicate&) { return true; }

// Returns the rows of a tile of fsst_match_rows and fsst_match_codes.
std::uint64_t tile_rows_of(std::uint32_t threads) {
  return std::uint64_t{threads} * (threads >= 32 ? 4 : 32);
}

class MatcherBase : public CodeKernelBase<DeviceMatcher> {
 public:
  using CodeKernelBase::CodeKernelBase;
  Status open(const EncodedStrings& strings, const Predicate& predicate) {
    PENSTOCK_ASSIGN(const auto queue, open_column(strings));
    is_negated_ = predicate.is_negated ? 1 : 0;
    PENSTOCK_TRY(open_variant(*queue, strings, predicate));
    return queue->finish();
  }
  Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& bits) override {
    if (bits.bytes() < bitmap_bytes(row_count_))
      return Status(Code::invalid, "the bitmap is smaller than the column's rows");
    PENSTOCK_TRY(begin(queue, strings));
    return launch(queue, strings, bits);
  }

 protected:
  virtual Status open_variant(Queue& queue, const EncodedStrings& strings,
                              const Predicate& predicate) = 0;
  virtual Status launch(Queue& queue, const DeviceStrings& strings, const Buffer& bits) = 0;

  std::uint32_t is_negated_ = 0;
};

class RowMatcher : public MatcherBase {
 public:
  using MatcherBase::MatcherBase;
  std::string_view variant() const override { return "fsst_match_rows"; }

 protected:
  Status open_variant(Queue& queue, const EncodedStrings& strings,
                      const Predicate& predicate) override {
    PENSTOCK_TRY(upload_automaton(queue, strings, predicate));
    const Traits& traits = device_->traits();
    const bool is_local = !traits.wants_single_thread_groups() &&
                          automaton_.state_count <= max_local_states &&
                          traits.local_bytes >= 600 * max_local_states;
    ProgramOptions options{offset_bytes_, row_threads(traits), {}};
    if (is_local)
      options.definitions =
          "#define MATCH_LOCAL_STATES " + std::to_string(max_local_states) + "u\n";
    PENSTOCK_TRY(build_program(options, variant()));
    return {};
  }
  Status upload_automaton(Queue& queue, const EncodedStrings& strings, const Predicate& predicate) {
    PENSTOCK_ASSIGN(automaton_, automaton_of(predicate));
    if (strings.row_groups.size() > max_table_bytes / ((automaton_.state_count + 4) * 256))
      return Status(Code::unsupported, "a predicate on FSST codes of " +
                                           std::to_string(strings.row_groups.size()) +
                                           " row groups");
    std::vector<std::uint8_t> steps, literals;
    for (const RowGroup& group : strings.row_groups) {
      const std::vector<std::uint8_t> group_transitions =
          code_transitions(automaton_, *group.table);
      const std::array<std::uint32_t, 256> filter =
          filter_of(automaton_, group_transitions, *group.table);
      steps.insert(steps.end(), group_transitions.begin(), group_transitions.end());
      filters_.insert(filters_.end(), filter.begin(), filter.end());
    }
    for (const auto& bytes : automaton_.next)
      literals.insert(literals.end(), bytes.begin(), bytes.end());
    PENSTOCK_ASSIGN(transitions_, upload(queue, steps));
    PENSTOCK_ASSIGN(byte_transitions_, upload(queue, literals));
    return {};
  }
  std::vector<Argument> arguments(const DeviceStrings& strings, const Buffer& bits) const {
    std::vector<Argument> all;
    for (const auto& buffer :
         {strings.codes, strings.offsets, strings.group_rows, transitions_, byte_transitions_})
      all.push_back(Argument::of(*buffer));
    all.push_back(Argument::of(bits));
    all.push_back(Argument::of(*status_));
    for (const std::uint64_t value : {code_bytes_, row_count_})
      all.push_back(Argument::value(value));
    for (const std::uint32_t value : {group_count_, automaton_.state_count,
                                      automaton_.first_accepting, automaton_.start, is_negated_})
      all.push_back(Argument::value(value));
    return all;
  }
  Status launch(Queue& queue, const DeviceStrings& strings, const Buffer& bits) override {
    constexpr std::uint32_t groups_per_multiprocessor = 32;
    return queue.launch(*program_, variant(),
                        groups(tile_rows_of(program_->group_size()), groups_per_multiprocessor),
                        arguments(strings, bits));
  }

  Automaton automaton_;
  std::vector<std::uint32_t> filters_;
  std::shared_ptr<Buffer> transitions_, byte_transitions_;
};

class CandidateMatcher final : public RowMatcher {
 public:
  using RowMatcher::RowMatcher;
  std::string_view variant() const override { return "fsst_match_candidates"; }

 private:
  Status open_variant(Queue& queue, const EncodedStrings& strings,
                      const Predicate& predicate) override {
    PENSTOCK_TRY(upload_automaton(queue, strings, predicate));
    PENSTOCK_ASSIGN(filter_, upload(queue, filters_));
    // Every block may be a candidate. A block that two row groups share is tested for both.
    max_candidates_ =
        static_cast<std::uint32_t>((code_bytes_ + candidate_codes - 1) / candidate_codes) +
        group_count_;
    PENSTOCK_ASSIGN(candidates_, device_->allocate(std::uint64_t{max_candidates_} * 4));
    PENSTOCK_ASSIGN(deferred_,
                    device_->allocate(std::max<std::uint64_t>(bitmap_bytes(row_count_), 16)));
    word_bytes_ = contained_bytes(predicate);
    policy_ = candidate_policy(device_->traits());
    const ProgramOptions options{offset_bytes_, policy_.threads,
                                 candidate_definitions(policy_, device_->traits())};
    PENSTOCK_TRY(build_program(options, "fsst_verify_candidates"));
    return {};
  }
  Status launch(Queue& queue, const DeviceStrings& strings, const Buffer& bits) override {
    const std::uint32_t units = device_->traits().compute_units;
    std::vector<Argument> find, verify, deferred;
    const auto add = [](std::vector<Argument>& to, std::initializer_list<const Buffer*> buffers) {
      for (const Buffer* buffer : buffers) to.push_back(Argument::of(*buffer));
    };
    add(find, {strings.codes.get(), strings.offsets.get(), strings.group_rows.get(), filter_.get(),
               &bits, deferred_.get(), candidates_.get(), status_.get()});
    for (const std::uint64_t value : {code_bytes_, row_count_})
      find.push_back(Argument::value(value));
    for (const std::uint32_t value : {group_count_, max_candidates_, is_negated_})
      find.push_back(Argument::value(value));
    add(verify, {strings.codes.get(), strings.offsets.get(), strings.group_rows.get(),
                 transitions_.get(), byte_transitions_.get()});
    deferred = verify;
    add(verify, {candidates_.get(), &bits, deferred_.get(), status_.get()});
    verify.push_back(Argument::value(row_count_));
    for (const std::uint32_t value :
         {group_count_, automaton_.state_count, word_bytes_, max_candidates_, is_negated_})
      verify.push_back(Argument::value(value));
    add(deferred, {&bits, deferred_.get(), status_.get()});
    deferred.push_back(Argument::value(row_count_));
    for (const std::uint32_t value :
         {group_count_, automaton_.state_count, automaton_.first_accepting, is_negated_})
      deferred.push_back(Argument::value(value));
    PENSTOCK_TRY(queue.launch(*program_, "fsst_find_candidates",
                              units * policy_.groups_per_multiprocessor, find));
    PENSTOCK_TRY(queue.launch(*program_, "fsst_verify_candidates",
                              units * policy_.groups_per_multiprocessor, verify));
    return queue.launch(*program_, "fsst_verify_deferred", units, deferred);
  }

  CandidatePolicy policy_;
  std::uint32_t word_bytes_ = 0, max_candidates_ = 0;
  std::shared_ptr<Buffer> filter_, candidates_, deferred_;
};

class CodeMatcher final : public MatcherBase {
 public:
  using MatcherBase::MatcherBase;
  std::string_view variant() const override { return "fsst_match_codes"; }

 private:
  Status open_variant(Queue& queue, const EncodedStrings& strings,
                      const Predicate& predicate) override {
    std::vector<std::uint32_t> firsts, constants, words;
    for (const RowGroup& group : strings.row_groups) {
      firsts.push_back(static_cast<std::uint32_t>(constants.size() / 2));
      add_constants(*group.table, predicate, constants, words);
      if (words.size() > 0x7fffffff)
        return Status(Code::unsupported, "constants whose codes take more than 8 GiB");
    }
    firsts.push_back(static_cast<std::uint32_t>(constants.size() / 2));
    PENSTOCK_ASSIGN(firsts_, upload(queue, firsts));
    PENSTOCK_ASSIGN(constants_, upload(queue, constants));
    PENSTOCK_ASSIGN(words_, upload(queue, words));
    PENSTOCK_TRY(build_program({offset_bytes_, row_threads(device_->traits()), {}}, variant()));
    return {};
  }
  static void add_constants(const SymbolTable& table, const Predicate& predicate,
                            std::vector<std::uint32_t>& constants,
                            std::vector<std::uint32_t>& words) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const std::string& string : predicate.constants)
      all.push_back(encode_string(table, string));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto& codes : all) {
      constants.push_back(static_cast<std::uint32_t>(codes.size()));
      constants.push_back(static_cast<std::uint32_t>(words.size()));
      words.resize(words.size() + (codes.size() + 3) / 4);
      if (!codes.empty()) std::memcpy(words.data() + constants.back(), codes.data(), codes.size());
    }
  }
  Status launch(Queue& queue, const DeviceStrings& strings, const Buffer& bits) override {
    constexpr std::uint32_t groups_per_multiprocessor = 64;
    return queue.launch(
        *program_, variant(),
        groups(tile_rows_of(program_->group_size()), groups_per_multiprocessor),
        {{Argument::of(*strings.codes), Argument::of(*strings.offsets),
          Argument::of(*strings.group_rows), Argument::of(*firsts_), Argument::of(*constants_),
          Argument::of(*words_), Argument::of(bits), Argument::of(*status_),
          Argument::value(code_bytes_), Argument::value(row_count_), Argument::value(group_count_),
          Argument::value(is_negated_)}});
  }

  std::shared_ptr<Buffer> firsts_, constants_, words_;
};

template <class T> std::unique_ptr<MatcherBase> make(std::shared_ptr<Device> device) {
  return std::make_unique<T>(std::move(device));
}

// A variant's requirements of the device only; `fits` checks the column and the predicate too.
kernel::Fit fits_candidates(const Traits& traits) {
  return kernel::fits_local_memory(traits, candidate_policy(traits).local_bytes());
}

struct MatcherVariant {
  std::string_view name;
  bool (*fits)(const Traits& traits, const EncodedStrings& strings, const Predicate& predicate);
  const char* needs;  // of column and predicate, as a clause; "" if nothing
  kernel::Fit (*fits_device)(const Traits& traits);
  std::unique_ptr<MatcherBase> (*make)(std::shared_ptr<Device> device);
};
constexpr std::array<MatcherVariant, 3> matcher_variants = {
    {{"fsst_match_codes", compares_codes, "IN and =, of canonical codes", any_device,
      make<CodeMatcher>},
     {"fsst_match_candidates", finds_candidates, "LIKE '%word%', of a rare word", fits_candidates,
      make<CandidateMatcher>},
     {"fsst_match_rows", any, "any predicate", any_device, make<RowMatcher>}}};

constexpr const char* match_family = "fsst_match";

// A case for each kind of predicate, with the rows that take it.
std::vector<kernel::VariantCase> view_of_matchers(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (std::size_t first = 0; first < matcher_variants.size(); first++) {
    kernel::VariantCase each{match_family, matcher_variants[first].needs, {}};
    for (std::size_t row = 0; row < matcher_variants.size(); row++) {
      const MatcherVariant& variant = matcher_variants[row];
      const bool takes_it = row == first || row + 1 == matcher_variants.size();
      kernel::VariantRow shown{std::string(variant.name),
                               takes_it ? variant.fits_device(traits)
                                        : kernel::Fit{std::string("it is for ") + variant.needs}};
      if (shown.fit && variant.fits_device == fits_candidates)
        shown.policy = candidate_numbers(traits);
      else if (shown.fit)
        shown.policy = {{"group_size", row_threads(traits)}};
      each.rows.push_back(std::move(shown));
    }
    cases.push_back(std::move(each));
  }
  return cases;
}
const kernel::VariantTable table_of_matchers(view_of_matchers);

// Returns whether most blocks would be candidates. Then matching row by row, each until its result
// is known, is faster. On two cores, 16 % candidates take as long as all rows do, 76 % five times
// as long. The limit for GPUs is a guess.
bool finds_too_many(const Traits& traits, const EncodedStrings& strings,
                    const Predicate& predicate) {
  const double max_share = traits.wants_single_thread_groups() ? 0.15 : 0.5;
  const Result<Automaton> automaton = automaton_of(predicate);
  return automaton.ok() && candidate_share(strings, *automaton) > max_share;
}

std::vector<const MatcherVariant*> fitting(const Traits& traits, const EncodedStrings& strings,
                                           const Predicate& predicate) {
  std::vector<const MatcherVariant*> variants;
  for (const MatcherVariant& variant : matcher_variants)
    if (variant.fits(traits, strings, predicate)) variants.push_back(&variant);
  if (variants.front()->name == "fsst_match_candidates" && validate_layout(strings).ok() &&
      finds_too_many(traits, strings, predicate))
    std::rotate(variants.begin(), variants.begin() + 1, variants.end());
  return variants;
}

}  // namespace

std::vector<std::string> DeviceMatcher::variants(const Traits& traits,
                                                 const EncodedStrings& strings,
                                                 const Predicate& predicate) {
  std::vector<std::string> names;
  for (const MatcherVariant* variant : fitting(traits, strings, predicate))
    names.emplace_back(variant->name);
  return names;
}

Result<std::unique_ptr<DeviceMatcher>> DeviceMatcher::build(std::shared_ptr<Device> device,
                                                            const EncodedStrings& strings,
                                                            const Predicate& predicate,
                                                            std::string_view variant) {
  const std::vector<const MatcherVariant*> rows = fitting(device->traits(), strings, predicate);
  std::vector<std::string> names;
  for (const MatcherVariant* row : rows) names.emplace_back(row->name);
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(match_family, names, variant, device->traits()));
  std::unique_ptr<MatcherBase> matcher = rows[chosen.index]->make(std::move(device));
  PENSTOCK_TRY(matcher->open(strings, predicate));
  return std::unique_ptr<DeviceMatcher>(std::move(matcher));
}

}  // namespace penstock::fsst
