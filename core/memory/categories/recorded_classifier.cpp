#include "core/memory/categories/recorded_classifier.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

using enum MemoryCategory;

/// Lifetimes of the allocations of one stack.
struct StackVotes {
  EventIndex longest = 0;  ///< longest lifetime of allocations that were freed in the pass that made them,
                           ///< in events
  std::uint32_t freed = 0;
  std::uint32_t retained = 0;
};

class RecordedMeaning {
 public:
  RecordedMeaning(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning)
      : snapshot_(snapshot),
        device_(snapshot.devices[device]),
        all_(device_.history.allocations),
        history_(has_history(device_)),
        meaning_(meaning),
        phases_(meaning.phases),
        windows_(meaning.phases.windows()) {
    find_megatron_lines();
  }

  void run(const std::stop_token& stop) {
    count_fates(stop);
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (i % 16384 == 0 && stop.stop_requested()) return;
      if (has_own_stack(device_, i)) decide(i);
    }
    workspaces_by_size();
  }

 private:
  MemoryPhase phase(std::size_t i) const { return phases_.phase_of(all_.stack[i]); }
  const StackFacts& facts(std::size_t i) const {
    const auto stack = static_cast<std::size_t>(all_.stack[i]);
    return stack < meaning_.facts.size() ? meaning_.facts[stack] : none_;
  }
  std::size_t window(std::size_t i) const {
    return all_.begin[i] < 0 ? PhaseReading::kNone : phases_.window_at(all_.begin[i]);
  }
  /// Returns whether the stack is empty, so the autograd engine's thread is only inferred.
  bool guessed(std::size_t i) const { return all_.stack[i] == kEmptyStack; }

  bool outlives(std::size_t i, std::size_t window) const {
    if (window == PhaseReading::kNone) return true;
    return all_.end[i] > windows_[window].end + 1;
  }
  /// Returns whether the allocation was made in the unfinished last window and is still live.
  bool open_at_stop(std::size_t i, std::size_t window) const {
    return phases_.stops_inside() && window + 1 == windows_.size() && all_.end[i] == kNever;
  }

  void count_fates(const std::stop_token& stop) {
    retained_by_graph_.assign(windows_.size(), 0);
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (i % 16384 == 0 && stop.stop_requested()) return;
      const std::size_t at = window(i);
      if (at == PhaseReading::kNone || open_at_stop(i, at)) continue;
      StackVotes& votes = votes_[static_cast<std::uint32_t>(all_.stack[i])];
      if (outlives(i, at)) {
        ++votes.retained;
      } else {
        ++votes.freed;
        votes.longest = std::max(votes.longest, all_.end[i] - all_.begin[i]);
      }
    }
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (i % 16384 == 0 && stop.stop_requested()) return;
      const std::size_t at = window(i);
      if (at == PhaseReading::kNone || phase(i) != MemoryPhase::forward) continue;
      if (facts(i).depth < 2 || facts(i).workspace || facts(i).pack_rule != kNoPackRule) continue;
      if (retention_of(i, at) != Retention::no && !before_backward(i)) ++retained_by_graph_[at];
    }
  }

  enum class Retention : std::uint8_t { no, yes, unvoted };
  Retention retention_of(std::size_t i, std::size_t at) const {
    if (!open_at_stop_or_none(i, at)) return outlives(i, at) ? Retention::yes : Retention::no;
    if (at == PhaseReading::kNone) return Retention::yes;
    const auto found = votes_.find(static_cast<std::uint32_t>(all_.stack[i]));
    if (found == votes_.end()) return Retention::unvoted;
    const StackVotes& votes = found->second;
    if (votes.freed == 0) return Retention::yes;
    const auto count = static_cast<EventIndex>(device_.entries.entry_count());
    if (count - 1 - all_.begin[i] > votes.longest) return Retention::yes;
    return votes.retained > votes.freed ? Retention::yes : Retention::no;
  }
  bool died_in_pass(std::size_t i) const {
    const auto found = votes_.find(static_cast<std::uint32_t>(all_.stack[i]));
    return found != votes_.end() && found->second.freed > 0;
  }
  bool open_at_stop_or_none(std::size_t i, std::size_t at) const {
    return at == PhaseReading::kNone || open_at_stop(i, at);
  }

  /// Returns whether the allocation is live when the next backward begins.
  bool before_backward(std::size_t i) const {
    const std::size_t next = phases_.next_window(all_.begin[i], MemoryPhase::backward);
    return next < windows_.size() && all_.end[i] > windows_[next].begin;
  }

  void set(std::size_t i, MemoryCategory category, Confidence sure, const Message& why) {
    meaning_.set(i, category, guessed(i) && sure != Confidence::unknown ? Confidence::guess : sure, why);
  }

  void decide(std::size_t i) {
    if (megatron(i) || workspace(i) || pack(i)) {
      meaning_.by_pack[i] = true;
      return;
    }
    switch (phase(i)) {
      case MemoryPhase::forward:
        return forward(i);
      case MemoryPhase::backward:
        return backward(i);
      case MemoryPhase::optimizer:
        return optimizer(i);
      case MemoryPhase::script:
      case MemoryPhase::zero_grad:
        return script(i);
    }
  }

  void find_megatron_lines() {
    for (std::uint32_t i = 0; i < snapshot_.stacks.frame_count(); ++i) {
      const SnapshotFrame& frame = snapshot_.frame(FrameId{i});
      if (snapshot_.text(frame.name) != "__init__") continue;
      if (!is_megatron_buffer(with_slashes(snapshot_.text(frame.file)), "__init__")) continue;
      buffer_frames_.emplace(i, frame.line);
    }
    if (buffer_frames_.empty()) return;
    // Use only lines that are the innermost frame of that file for some allocation.
    for (std::size_t i = 0; i < all_.count(); ++i)
      if (const auto line = buffer_line(i)) buffer_lines_[*line] = true;
  }
  std::optional<std::int64_t> buffer_line(std::size_t i) const {
    for (const FrameId id : snapshot_.stacks.frames(all_.stack[i])) {
      const auto found = buffer_frames_.find(static_cast<std::uint32_t>(id));
      if (found != buffer_frames_.end()) return found->second;
    }
    return std::nullopt;
  }
  bool megatron(std::size_t i) {
    if (buffer_frames_.empty()) return false;
    const auto line = buffer_line(i);
    if (!line) return false;
    if (buffer_lines_.size() == 1) {
      set(i, gradient_buffers, Confidence::likely, msg::megatron_buffer_frame_one_line);
    } else {
      set(i, *line == buffer_lines_.begin()->first ? parameters : gradient_buffers, Confidence::certain,
          msg::megatron_buffer_frame);
    }
    return true;
  }

  bool workspace(std::size_t i) {
    if (!facts(i).workspace) return false;
    set(i, workspaces, Confidence::certain, msg::allocated_by_cublas);
    return true;
  }

  bool pack(std::size_t i) {
    const StackFacts& stack = facts(i);
    if (stack.pack_rule == kNoPackRule) return false;
    const PackRule& rule = pack_rules()[stack.pack_rule];
    const std::size_t at = window(i);
    const bool outliving = retention_of(i, at) != Retention::no;
    if (rule.outlives_pass_only && at != PhaseReading::kNone && !outliving) return false;
    if (rule.outlives_pass_only && at == PhaseReading::kNone && all_.end[i] != kNever && dies_soon(i))
      return false;
    MemoryCategory category = rule.category;
    if (rule.under_forward != unknown && stack.below_forward) category = rule.under_forward;
    if (rule.gradients_if_outliving && outliving) category = gradients;
    // An allocation that is freed in the recording may be a copy.
    const bool freed = category == parameters && all_.end[i] != kNever;
    set(i, category, freed && rule.sure == Confidence::certain ? Confidence::likely : rule.sure,
        text_of(rule));
    return true;
  }
  /// Returns whether no pass begins while the allocation, which is freed in the recording, is live.
  bool no_pass_during(std::size_t i) const {
    const std::size_t next = phases_.next_window(all_.begin[i]);
    return all_.end[i] != kNever && (next >= windows_.size() || all_.end[i] <= windows_[next].begin);
  }
  /// Returns whether an allocation outside of passes is freed before the next pass begins.
  bool dies_soon(std::size_t i) const {
    const std::size_t next = phases_.next_window(all_.begin[i]);
    return next < windows_.size() && all_.end[i] <= windows_[next].begin;
  }

  void forward(std::size_t i) {
    const std::size_t at = window(i);
    if (all_.begin[i] < 0) return older_forward(i);
    if (facts(i).cached_cast && (before_backward(i) || retention_of(i, at) != Retention::no))
      return set(i, weight_casts, Confidence::certain, msg::copy_made_by_autocast);
    if (phases_.ends_in_phase(all_.end[i], MemoryPhase::backward))
      return set(i, activations, Confidence::certain, msg::forward_freed_in_backward);
    if (before_backward(i)) return set(i, activations, Confidence::likely, msg::forward_live_at_backward);
    const Retention retention = retention_of(i, at);
    if (retention == Retention::no)
      return set(i, forward_temporaries, Confidence::likely, msg::forward_freed_in_forward);
    const std::size_t next = phases_.next_window(all_.begin[i], MemoryPhase::backward);
    if (next < windows_.size())
      return set(i, forward_temporaries, Confidence::likely, msg::forward_freed_before_backward);
    // If the graph retains enough allocations of the window, it also retains this one. Exception: the window
    // is unfinished, and allocations of this stack were freed in their pass.
    const bool by_graph = at != PhaseReading::kNone && retained_by_graph_[at] >= kLeastOfGraph;
    if (by_graph && !(open_at_stop(i, at) && died_in_pass(i)))
      return set(i, activations, Confidence::likely, msg::forward_retained_by_graph);
    set(i, kept_from_forward, retention == Retention::unvoted ? Confidence::guess : Confidence::likely,
        msg::forward_retained_without_backward);
  }
  void older_forward(std::size_t i) {
    if (phases_.ends_in_phase(all_.end[i], MemoryPhase::backward))
      return set(i, activations, Confidence::certain, msg::forward_freed_in_backward);
    set(i, kept_from_forward, Confidence::guess,
        history_ ? msg::forward_before_recording_retained : msg::forward_retained);
  }

  void backward(std::size_t i) {
    const StackFacts& stack = facts(i);
    if (stack.recomputed)
      return set(i, recomputed_activations, Confidence::certain, msg::forward_rerun_in_backward);
    if (stack.make_grads)
      return set(i, backward_temporaries, Confidence::certain, msg::first_gradient_of_backward);
    if (stack.accumulate_grad) return set(i, gradients, Confidence::certain, msg::retained_by_autograd);
    const std::size_t at = window(i);
    const Retention retention = retention_of(i, at);
    if (retention != Retention::no) {
      return set(
          i, gradients,
          retention == Retention::unvoted || all_.begin[i] < 0 ? Confidence::guess : Confidence::likely,
          msg::backward_live_after_it);
    }
    set(i, backward_temporaries, Confidence::likely, msg::backward_freed_in_backward);
  }

  void optimizer(std::size_t i) {
    const Retention retention = retention_of(i, window(i));
    if (retention != Retention::no) {
      return set(i, optimizer_state, all_.begin[i] < 0 ? Confidence::guess : Confidence::likely,
                 msg::optimizer_live_after_step);
    }
    set(i, optimizer_temporaries, Confidence::likely, msg::optimizer_freed_in_optimizer);
  }

  void script(std::size_t i) {
    if (!facts(i).recorded) {
      if (all_.begin[i] >= 0) meaning_.set(i, unknown, Confidence::unknown, msg::no_stack_recorded);
      return;
    }
    if (all_.begin[i] >= 0 && phases_.ends_in_phase(all_.end[i], MemoryPhase::backward))
      return set(i, activations, Confidence::likely, msg::script_freed_in_backward);
    const auto count = static_cast<EventIndex>(device_.entries.entry_count());
    const EventIndex end = std::min(all_.end[i], count);
    if (facts(i).under_init && end - all_.begin[i] > count / 2) {
      return set(i, parameters, Confidence::guess,
                 history_ ? msg::init_live_for_most : msg::init_live_at_snapshot);
    }
    if (all_.begin[i] < 0) return;  // older allocations lack evidence
    // Megatron, for instance, copies the parameters of the modules to one buffer and frees them.
    constexpr EventIndex kLeastOfRecording = 20;
    if (facts(i).under_init && end - all_.begin[i] > count / kLeastOfRecording && no_pass_during(i))
      return set(i, parameters, Confidence::guess, msg::init_freed_before_pass);
    const std::size_t next = phases_.next_window(all_.begin[i]);
    const bool beyond = next < windows_.size() ? all_.end[i] > windows_[next].end + 1 : all_.end[i] == kNever;
    if (beyond) {
      set(i, inputs, Confidence::likely, msg::script_live_after_next_pass);
    } else {
      set(i, script_temporaries, Confidence::likely, msg::script_freed_in_next_pass);
    }
  }

  /// Classifies workspaces of cuBLAS by size: one per handle and stream, in sizes that PyTorch requests.
  void workspaces_by_size() {
    constexpr std::array<std::uint64_t, 2> kSizes{8519680, 33554432};
    constexpr std::size_t kMost = 8;
    for (const std::uint64_t size : kSizes) {
      std::vector<std::size_t> found;
      bool all_stay = true;
      for (std::size_t i = 0; i < all_.count(); ++i) {
        if (all_.size[i] != size) continue;
        found.push_back(i);
        all_stay = all_stay && (all_.end[i] == kNever || all_.begin[i] < 0);
      }
      const bool all_told = all_stay && found.size() <= kMost;
      for (const std::size_t i : found) {
        if (facts(i).workspace || (facts(i).cpp && all_.begin[i] >= 0)) continue;
        if (all_told) {
          meaning_.set(i, workspaces, Confidence::likely, msg::cublas_workspace_never_freed);
        } else if (all_.begin[i] < 0 && !has_own_stack(device_, i)) {
          meaning_.set(i, workspaces, Confidence::guess, msg::cublas_workspace_size);
        }
      }
    }
  }

  static constexpr std::uint32_t kLeastOfGraph = 8;
  const Snapshot& snapshot_;
  const SnapshotDevice& device_;
  const Allocations& all_;
  bool history_;
  AllocationClassifier& meaning_;
  const PhaseReading& phases_;
  const std::vector<PhaseWindow>& windows_;
  StackFacts none_;
  std::unordered_map<std::uint32_t, StackVotes> votes_;  // by stack
  std::vector<std::uint32_t> retained_by_graph_;         // by window
  std::unordered_map<std::uint32_t, std::int64_t> buffer_frames_;
  std::map<std::int64_t, bool> buffer_lines_;
};

}  // namespace

bool has_own_stack(const SnapshotDevice& device, std::size_t allocation) {
  const Allocations& all = device.history.allocations;
  if (all.origin[allocation] == AllocationOrigin::recorded) return true;
  if (all.stack[allocation] == kNoStack || all.stack[allocation] == kEmptyStack) return false;
  return all.origin[allocation] == AllocationOrigin::ghost || !device.trust.frees_have_stacks;
}

void classify_recorded(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning,
                       const std::stop_token& stop) {
  RecordedMeaning(snapshot, device, meaning).run(stop);
}

}  // namespace kino
