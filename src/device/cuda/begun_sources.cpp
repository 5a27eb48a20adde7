#include "device/cuda/begun_sources.hpp"

#include <future>
#include <map>
#include <mutex>
#include <system_error>

#include "base/exception_boundary.hpp"
#include "base/hash.hpp"
#include "base/thread_pool.hpp"
#include "device/cuda/wait_at_exit.hpp"

namespace penstock::cuda {
namespace {

using Outcome = std::optional<CompiledSource>;

struct Begun {
  std::mutex mutex;
  std::map<Hash128, std::shared_future<Outcome>> outcomes;
};
Begun& begun() {
  static Begun& begun = *new Begun;  // kept: threads outlive statics
  return begun;
}

Hash128 key_of(const SourceToCompile& source) {
  std::string key = std::to_string(source.architecture);
  for (const std::string& option : source.options) key.append(1, '\0').append(option);
  return content_hash(key.append(1, '\0').append(source.text));
}

struct Work {
  const Nvrtc& nvrtc;
  SourceToCompile source;
  std::string label;
  std::function<bool()> is_needless;
  std::promise<Outcome> outcome = {};
  std::promise<void> ended = {};

  void run() {
    Outcome made;
    static_cast<void>(catch_exceptions([&]() -> Status {
      if (is_needless()) return {};
      PENSTOCK_ASSIGN(
          made, compile_source(nvrtc, source.text, source.architecture, source.options, label));
      return {};
    }));
    outcome.set_value(std::move(made));
    ended.set_value();
  }
};

}  // namespace

void begin_source(const Nvrtc& nvrtc, SourceToCompile source, std::string label,
                  std::function<bool()> is_needless) {
  auto work =
      std::make_shared<Work>(nvrtc, std::move(source), std::move(label), std::move(is_needless));
  {
    const std::lock_guard lock(begun().mutex);
    if (!begun().outcomes.try_emplace(key_of(work->source), work->outcome.get_future()).second)
      return;
  }
  wait_at_exit(work->ended.get_future());
  try {
    ThreadPool::shared().start_detached([work] { work->run(); });
  } catch (const std::system_error&) {  // no thread: the device compiles it
    work->outcome.set_value({});
    work->ended.set_value();
  }
}

std::optional<CompiledSource> take_begun(const SourceToCompile& source) {
  std::shared_future<Outcome> outcome;
  {
    const std::lock_guard lock(begun().mutex);
    const auto found = begun().outcomes.find(key_of(source));
    if (found == begun().outcomes.end()) return {};
    outcome = found->second;
    begun().outcomes.erase(found);
  }
  return outcome.get();
}

}  // namespace penstock::cuda
