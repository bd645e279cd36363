#include "core/memory/categories/allocation_classifier.hpp"

#include <algorithm>

#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/categories/pre_recording_classifier.hpp"
#include "core/memory/categories/recorded_classifier.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {

void AllocationClassifier::set(std::size_t allocation, MemoryCategory as, Confidence how,
                               const Message& because) {
  category[allocation] = as;
  sure[allocation] = how;
  const auto found = std::ranges::find(whys, because.packed(),
                                       [](const Message& why) -> const std::string& { return why.packed(); });
  const auto number = static_cast<std::size_t>(found - whys.begin());
  if (found == whys.end()) whys.push_back(because);  // a few dozen: one per rule and note
  why[allocation] = static_cast<std::uint16_t>(number);
}

namespace {

/// Adds a doubt if casts are larger than half of the largest parameter. Autocast also casts inputs, so such
/// casts are probably not copies of weights.
void doubt_casts(const Allocations& all, AllocationClassifier& meaning) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (meaning.category[i] == MemoryCategory::parameters) largest = std::max(largest, all.size[i]);
  }
  if (largest == 0) return;
  std::uint64_t casts = 0;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (meaning.category[i] != MemoryCategory::weight_casts) continue;
    ++casts;
    if (all.size[i] > largest / 2) ++beyond;
  }
  if (beyond == 0) return;
  meaning.doubts.emplace_back(msg::casts_that_are_activations, grouped(beyond), grouped(casts),
                              text_from_bytes(static_cast<double>(largest) / 2, meaning.units));
}

/// Adds a doubt if no parameters are known and there are three or more tensors of optimizer state per
/// parameter. Optimizers keep at most two tensors per parameter, except with amsgrad. Out-of-place updates
/// allocate a new parameter in each step, which lives as long as state.
void doubt_state(const Allocations& all, AllocationClassifier& meaning) {
  constexpr std::uint64_t kWithParameters = 3;
  if (meaning.reference.sizes.empty()) return;
  SizeCounts state;
  for (std::size_t i = 0; i < all.count(); ++i) {
    switch (meaning.category[i]) {
      case MemoryCategory::parameters:
      case MemoryCategory::copies_of_parameters:
      case MemoryCategory::unsharded_parameters:
      case MemoryCategory::master_weights:
        return;
      case MemoryCategory::optimizer_state:
        if (all.end[i] == kNever) ++state[all.size[i]];
        break;
      default:
        break;
    }
  }
  const std::uint64_t copies = copies_in(state, meaning.reference.sizes).copies;
  if (copies < kWithParameters) return;
  meaning.doubts.emplace_back(msg::optimizer_state_contains_parameters, grouped(copies));
}

}  // namespace

AllocationClassifier memory_meaning(const Snapshot& snapshot, std::size_t device, ByteUnits units,
                                    const std::stop_token& stop) {
  AllocationClassifier meaning;
  meaning.units = units;
  const Allocations& all = snapshot.devices[device].history.allocations;
  meaning.category.assign(all.count(), MemoryCategory::unknown);
  meaning.sure.assign(all.count(), Confidence::unknown);
  meaning.why.assign(all.count(), 0);
  meaning.by_pack.assign(all.count(), false);
  const msg::Id older =
      has_history(snapshot.devices[device]) ? msg::older_than_the_recording : msg::no_history_was_recorded;
  meaning.whys = {msg::no_matching_rule, older};
  for (std::size_t i = 0; i < all.count() && all.begin[i] < 0; ++i)
    meaning.set(i, MemoryCategory::before_recording, Confidence::unknown, older);
  meaning.facts = stack_facts(snapshot, stop);
  if (stop.stop_requested()) return meaning;
  meaning.phases = PhaseReading(snapshot, device, meaning.facts, stop);
  meaning.modules = snapshot_modules(snapshot, device, meaning.phases, stop);
  if (stop.stop_requested()) return meaning;
  classify_recorded(snapshot, device, meaning, stop);
  if (!stop.stop_requested()) classify_older(snapshot, device, meaning, stop);
  if (stop.stop_requested()) return meaning;
  doubt_casts(all, meaning);
  doubt_state(all, meaning);
  return meaning;
}

}  // namespace kino
