#include "app/pages/timeline/counter_sources.hpp"

#include <algorithm>
#include <utility>

namespace kino {

void CounterSources::set_others(std::vector<CountersOfRun> wanted) {
  const auto same = [](const std::unique_ptr<Source>& has, const CountersOfRun& counters) {
    return has->counters.same(counters);
  };
  if (std::ranges::equal(sources_, wanted, same)) return;
  std::vector<std::unique_ptr<Source>> next;
  for (CountersOfRun& counters : wanted) {
    const auto found = std::ranges::find_if(sources_, [&](const std::unique_ptr<Source>& has) {
      return has != nullptr && has->counters.same(counters);
    });
    if (found != sources_.end()) {
      next.push_back(std::move(*found));
    } else {
      next.push_back(std::make_unique<Source>());
      next.back()->counters = std::move(counters);
    }
  }
  sources_ = std::move(next);
  changed_ = true;
}

void CounterSources::add_result(std::shared_ptr<const CounterTracks> result) {
  if (results_.size() == kMostResults) results_.erase(results_.begin());
  results_.push_back(std::move(result));
  changed_ = true;
}

void CounterSources::forget_results() {
  changed_ = changed_ || !results_.empty();
  results_.clear();
}

bool CounterSources::update(bool derived) {
  bool changed = std::exchange(changed_, false);
  if (derived && !derived_requested_) {
    derived_requested_ = true;
    derived_.start(pool_, wake_, [trace = trace_](const std::stop_token& stop) {
      return std::make_shared<const CounterTracks>(derived_counters(*trace, stop));
    });
  }
  changed = derived_.poll() != nullptr || changed;
  for (const auto& source : sources_) {
    if (!std::exchange(source->requested, true)) {
      source->made.start(pool_, wake_,
                         [trace = trace_, counters = source->counters](const std::stop_token& stop) {
                           return std::make_shared<const CounterTracks>(counters.make(*trace, stop));
                         });
    }
    changed = source->made.poll() != nullptr || changed;
  }
  return changed;
}

bool CounterSources::take_failure() {
  if (!derived_requested_ || !derived_.failed()) return false;
  derived_requested_ = false;
  return true;
}

CounterSources::Parts CounterSources::parts() const {
  Parts parts;
  const auto add = [&](const Made& made) {
    if (made.value() != nullptr && !(*made.value())->tracks.empty()) parts.push_back(*made.value());
  };
  for (const auto& source : sources_) add(source->made);
  add(derived_);
  parts.insert(parts.end(), results_.begin(), results_.end());
  return parts;
}

bool CounterSources::running() const {
  return derived_.running() || changed_ ||
         std::ranges::any_of(sources_, [](const auto& source) { return source->made.running(); });
}

}  // namespace kino
