#include "core/memory/tables/shorter_lifetimes.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/time_text.hpp"
#include "core/memory/categories/inferred_steps.hpp"
#include "core/memory/categories/snapshot_modules.hpp"
#include "core/memory/snapshot_steps.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kLeastLayers = 4;

class Shortened {
 public:
  Shortened(const Snapshot& snapshot, std::size_t device, const AllocationClassifier& meaning,
            const std::stop_token& stop)
      : snapshot_(snapshot),
        index_(device),
        device_(snapshot.devices[device]),
        all_(device_.history.allocations),
        meaning_(meaning),
        windows_(meaning.phases.windows()),
        stop_(stop) {}

  std::vector<ShorterLifetimes> run() {
    add(msg::free_gradients_after_optimizer, msg::assumes_gradients_return, gradients());
    add(msg::one_tensor_at_a_time, msg::assumes_same_temporaries, one_after_the_other());
    add(msg::free_step_memory_at_end, msg::assumes_unused_in_next_step, left_by_steps());
    add(msg::free_at_request_of_free, msg::assumes_other_stream_finished, pending());
    if (meaning_.modules.layers >= kLeastLayers) {
      add({msg::recompute_layers, grouped(meaning_.modules.layers)}, msg::assumes_last_output_retained,
          computed_again());
    }
    return std::move(made_);
  }

 private:
  void add(Message what, Message assumed, std::vector<LifeGap> gaps) {
    std::erase_if(gaps, [](const LifeGap& gap) { return gap.from >= gap.to; });
    if (!gaps.empty()) made_.push_back({std::move(what), std::move(assumed), std::move(gaps)});
  }
  bool stopped(std::size_t i) const { return i % 16384 == 0 && stop_.stop_requested(); }
  static AllocationId id_of(std::size_t i) { return AllocationId{static_cast<std::uint32_t>(i)}; }

  /// Returns gaps for gradients that outlive an optimizer pass: from the end of the pass to the next
  /// backward.
  std::vector<LifeGap> gradients() const {
    std::vector<LifeGap> gaps;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (stopped(i)) return {};
      if (meaning_.category[i] != MemoryCategory::gradients) continue;
      std::size_t w = meaning_.phases.next_window(all_.begin[i], MemoryPhase::optimizer);
      while (w < windows_.size() && windows_[w].end + 1 < all_.end[i]) {
        const EventIndex from = windows_[w].end + 1;
        const std::size_t backward = meaning_.phases.next_window(windows_[w].end, MemoryPhase::backward);
        const EventIndex again = backward < windows_.size() ? windows_[backward].begin : kNever;
        const std::size_t next = meaning_.phases.next_window(windows_[w].end, MemoryPhase::optimizer);
        // If a second optimizer pass precedes the next backward, it also needs the gradient.
        if (next >= windows_.size() || windows_[next].begin >= std::min(again, all_.end[i]))
          gaps.push_back({id_of(i), from, std::min(again, all_.end[i])});
        w = next;
      }
    }
    return gaps;
  }

  bool takes_lists(StackId stack) const {
    return std::ranges::any_of(snapshot_.stacks.frames(stack), [&](FrameId frame) {
      return snapshot_.text(snapshot_.stacks.frame(frame).name).find("_multi_tensor_") !=
             std::string_view::npos;
    });
  }

  std::vector<LifeGap> one_after_the_other() const {
    std::vector<LifeGap> gaps;
    std::map<std::uint32_t, bool> lists;
    // Only the largest temporary of a stack in a window remains.
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> largest;
    std::vector<std::size_t> temporaries;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (stopped(i)) return {};
      if (meaning_.category[i] != MemoryCategory::optimizer_temporaries || all_.begin[i] < 0) continue;
      const auto stack = static_cast<std::uint32_t>(all_.stack[i]);
      const auto [known, fresh] = lists.try_emplace(stack, false);
      if (fresh) known->second = takes_lists(all_.stack[i]);
      if (!known->second) continue;
      temporaries.push_back(i);
      const auto [at, first] = largest.try_emplace({meaning_.phases.window_at(all_.begin[i]), stack}, i);
      if (!first && all_.size[i] > all_.size[at->second]) at->second = i;
    }
    for (const std::size_t i : temporaries) {
      const auto stack = static_cast<std::uint32_t>(all_.stack[i]);
      if (largest.at({meaning_.phases.window_at(all_.begin[i]), stack}) != i)
        gaps.push_back({id_of(i), all_.begin[i], all_.end[i]});
    }
    return gaps;
  }

  static bool is_of_a_step(MemoryCategory category) {
    switch (category) {
      case MemoryCategory::activations:
      case MemoryCategory::recomputed_activations:
      case MemoryCategory::forward_temporaries:
      case MemoryCategory::backward_temporaries:
      case MemoryCategory::kept_from_forward:
      case MemoryCategory::inputs:
      case MemoryCategory::script_temporaries:
        return true;
      default:
        return false;
    }
  }

  std::vector<LifeGap> left_by_steps() const {
    const SnapshotSteps steps = steps_of(snapshot_, index_, stop_);
    if (steps.region.empty()) return {};  // equal parts are not steps
    std::vector<LifeGap> gaps;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (stopped(i)) return {};
      if (all_.begin[i] < steps.begin || !is_of_a_step(meaning_.category[i])) continue;
      const auto step = std::ranges::lower_bound(steps.ends, all_.begin[i]);
      if (step == steps.ends.end() || all_.end[i] <= *step + 1) continue;
      // Memory that lives beyond the next step is not left over from one step.
      const auto next = step + 1;
      const EventIndex last = next == steps.ends.end() ? kNever : *next;
      if (all_.end[i] == kNever || all_.end[i] > last) continue;
      gaps.push_back({id_of(i), *step + 1, all_.end[i]});
    }
    return gaps;
  }

  std::vector<LifeGap> pending() const {
    std::vector<LifeGap> gaps;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (stopped(i)) return {};
      const EventIndex request = all_.free_requested[i];
      if (request < 0 || request == kNever || all_.end[i] <= request + 1) continue;
      gaps.push_back({id_of(i), request, all_.end[i]});
    }
    return gaps;
  }

  /// One layer in one forward.
  struct Layer {
    EventIndex last_begin = 0;      ///< event of the layer's last allocation
    EventIndex first_end = kNever;  ///< first end of an activation in the backward
    EventIndex last_end = 0;
    std::vector<std::size_t> activations;  ///< sorted by begin; the last one is the output
  };

  std::vector<LifeGap> computed_again() const {
    const SnapshotModules& modules = meaning_.modules;
    const std::vector<std::uint32_t> layer_of =
        forward_layers(snapshot_, index_, meaning_.phases, modules, stop_);
    std::map<std::pair<std::size_t, std::uint32_t>, Layer> layers;
    for (std::size_t i = 0; i < std::min(layer_of.size(), all_.count()); ++i) {
      if (stopped(i)) return {};
      const auto stack = static_cast<std::size_t>(all_.stack[i]);
      if (layer_of[i] == kNoLayer || all_.begin[i] < 0 || stack >= modules.of_stack.size()) continue;
      const std::uint32_t node = modules.of_stack[stack];
      if (node == SnapshotModule::kNoModule || !modules.is_below(node, modules.layer_node)) continue;
      Layer& layer = layers[{meaning_.phases.window_at(all_.begin[i]), layer_of[i]}];
      layer.last_begin = std::max(layer.last_begin, all_.begin[i]);
      if (meaning_.category[i] == MemoryCategory::activations) layer.activations.push_back(i);
    }
    std::vector<LifeGap> gaps;
    for (auto& [key, layer] : layers) {
      const std::size_t backward = meaning_.phases.next_window(layer.last_begin, MemoryPhase::backward);
      for (const std::size_t i : layer.activations) {
        layer.first_end = std::min(layer.first_end, all_.end[i]);
        if (all_.end[i] != kNever) layer.last_end = std::max(layer.last_end, all_.end[i]);
      }
      if (!layer.activations.empty() && backward < windows_.size())
        layer.first_end = std::max(layer.first_end, windows_[backward].begin);
    }
    for (const auto& [key, layer] : layers) {
      if (layer.activations.empty()) continue;
      const std::size_t backward = meaning_.phases.next_window(layer.last_begin, MemoryPhase::backward);
      // A layer is recomputed when the backward of the next layer is done; the last layer, when the backward
      // starts. It is recomputed at the latest when its first activation ends, and never if there is no
      // backward.
      EventIndex again = kNever;
      if (backward < windows_.size()) {
        const auto following = layers.find({key.first, key.second + 1});
        again = following != layers.end() && !following->second.activations.empty()
                    ? following->second.last_end
                    : windows_[backward].begin;
        again = std::min(again, layer.first_end);
      }
      for (const std::size_t i : std::span(layer.activations).first(layer.activations.size() - 1))
        gaps.push_back({id_of(i), layer.last_begin + 1, std::min(again, all_.end[i])});
    }
    return gaps;
  }

  const Snapshot& snapshot_;
  const std::size_t index_;
  const SnapshotDevice& device_;
  const Allocations& all_;
  const AllocationClassifier& meaning_;
  const std::vector<PhaseWindow>& windows_;
  const std::stop_token& stop_;
  std::vector<ShorterLifetimes> made_;
};

}  // namespace

std::vector<ShorterLifetimes> shorter_lifetimes(const Snapshot& snapshot, std::size_t device,
                                                const AllocationClassifier& meaning,
                                                const std::stop_token& stop) {
  return Shortened(snapshot, device, meaning, stop).run();
}

CurvePeak peak_with_gaps(const SnapshotDevice& device, const std::vector<std::uint64_t>& live,
                         const std::vector<LifeGap>& gaps) {
  const Allocations& all = device.history.allocations;
  // Changes of the absent bytes by event; index 0 is before all events.
  std::vector<std::int64_t> away(live.size() + 1);
  const auto index = [&](EventIndex event) {
    return event == kNever
               ? live.size()
               : std::min(live.size(), static_cast<std::size_t>(std::max(event, kBeforeRecording) + 1));
  };
  for (const LifeGap& gap : gaps) {
    const std::int64_t size = signed_of(all.size[static_cast<std::size_t>(gap.id)]);
    away[index(gap.from)] += size;
    away[index(gap.to)] -= size;
  }
  CurvePeak peak;
  std::int64_t gone = 0;
  for (std::size_t i = 0; i < live.size(); ++i) {
    gone += away[i];
    const std::uint64_t left = live[i] - static_cast<std::uint64_t>(gone);
    if (left > peak.bytes) peak = {left, static_cast<EventIndex>(i) - 1};
  }
  return peak;
}

}  // namespace kino
