#include "sql/parse/problems.hpp"

#include <algorithm>

#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t max_shown = 12;
// The most refusals that are kept. A statement may have as many as it has bytes, and each shows its
// line.
constexpr std::size_t max_kept = 100;

// Returns a message's sentence, and where its "\nLINE 1: ..." begins.
std::string_view sentence_of(const std::string& message) {
  return std::string_view(message).substr(0, message.rfind("\nLINE "));
}

}  // namespace

bool Problems::is_known(const Status& status) const {
  if (status.code() != Code::unsupported) return false;
  const std::string_view sentence = sentence_of(status.message());
  return sentence.empty() || is_full() ||
         std::ranges::any_of(refusals_, [&](const Refusal& refusal) {
           return shortened(refusal.sentence) == sentence;
         });
}

bool Problems::is_full() const { return refusals_.size() >= max_kept; }

Status Problems::refuse(std::int64_t offset, std::string sentence) {
  const bool is_new = std::ranges::find(refusals_, sentence, &Refusal::sentence) == refusals_.end();
  Status error = error_at(statement_, offset, Code::unsupported, sentence);
  if (is_new && !is_full()) refusals_.push_back({offset, std::move(sentence)});
  return error;
}

bool Problems::pass(const Status& status) {
  if (status.ok()) return true;
  const bool is_refusal = status.code() == Code::unsupported;
  if (error_.ok() && keeps_errors_ && !is_known(status)) error_ = status;
  return (is_refusal || status.code() == Code::invalid) && !is_full();
}

Status Problems::status() const {
  if (refusals_.empty()) return error_;
  std::vector<Refusal> sorted = refusals_;
  const auto place_of = [](const Refusal& refusal) {  // behind all others where it is not known
    return static_cast<std::uint64_t>(refusal.offset);
  };
  std::ranges::stable_sort(sorted, {}, place_of);
  std::string message(sentence_of(error_.message()));
  const std::string place = !error_.ok()            ? error_.message().substr(message.size())
                            : sorted[0].offset >= 0 ? "\n" + excerpt(statement_, sorted[0].offset)
                                                    : "";
  for (std::size_t i = 0; i < std::min(sorted.size(), max_shown); i++)
    message += (message.empty() ? "" : "\n") + shortened(sorted[i].sentence);
  if (sorted.size() > max_shown)
    message += "\nand " + std::string(is_full() ? "at least " : "") +
               std::to_string(sorted.size() - max_shown) + " more are not supported";
  Status all(error_.ok() ? Code::unsupported : error_.code(), message + place);
  for (const std::string& context : error_.context()) all = all.with(context);
  return all;
}

bool Failures::pass(const Status& status) {
  if (!status.ok() && first_.ok()) first_ = status;
  return problems_.pass(status);
}

}  // namespace penstock::sql
