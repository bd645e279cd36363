#include "core/memory/allocator/allocator_what_if.hpp"

#include <algorithm>

#include "core/memory/allocator/allocator_proof.hpp"

namespace kino {
namespace {

class WhatIfRun {
 public:
  WhatIfRun(const AllocatorTrace& trace, const AllocatorRules& rules, const WhatIfOptions& options)
      : trace_(trace),
        without_(options.without),
        edits_(options.edits),
        device_(options.downwards),
        model_(rules, device_),
        block_of_(trace.requests.size(), kNoBlock) {
    add_places(trace, model_);
  }

  /// Sets the state before the first op. Returns whether it fits.
  bool begin(WhatIfStart start) {
    if (start == WhatIfStart::keep) {
      replay_start(trace_, model_, block_of_);
    } else {
      for (std::uint32_t i = 0; i < trace_.older; ++i)
        if (!allocate(i, kBeforeRecording)) return false;
    }
    result_.start_reserved = model_.reserved();
    note_peak(kBeforeRecording);
    return true;
  }

  /// Runs the ops before `until`. Returns whether all requests fit; false if stopped.
  bool run(EventIndex until, std::vector<std::uint64_t>* curve, std::vector<EventIndex>* events,
           const std::stop_token& stop) {
    std::size_t number = 0;
    for (const AllocatorOp& op : trace_.ops) {
      if (op.event >= until) break;
      if (++number % 4096 == 0 && stop.stop_requested()) {
        result_.stopped = true;
        return false;
      }
      if (edits_ != nullptr && !edit(op.event)) return false;
      switch (op.kind) {
        case AllocatorOpKind::allocate:
          if (!allocate(op.request, op.event)) return false;
          break;
        case AllocatorOpKind::request_free:
          request_free(op.request);
          continue;
        case AllocatorOpKind::complete:
          complete(op.request);
          continue;
        case AllocatorOpKind::release:
          release();
          break;
        case AllocatorOpKind::retry:
        case AllocatorOpKind::out_of_memory:
          continue;
      }
      note_peak(op.event);
      if (curve != nullptr) curve->push_back(model_.reserved());
      if (events != nullptr) events->push_back(op.event);
    }
    return true;
  }

  WhatIfResult finish() {
    result_.end_reserved = model_.reserved();
    result_.end_active = model_.active();
    result_.counts = model_.counts();
    if (result_.oom) result_.free = model_.free_sums();
    return result_;
  }

  AllocatorModel& model() { return model_; }

 private:
  bool allocate(std::uint32_t request, EventIndex event) {
    if (without_ != nullptr && (*without_)[request]) return true;
    const AllocatorRequest& recorded = trace_.requests[request];
    const std::uint64_t retries = model_.counts().retries;
    const std::uint32_t block = model_.allocate(recorded.place, recorded.bytes);
    if (model_.counts().retries != retries) forget_pending();
    block_of_[request] = block;
    if (block != kNoBlock) return true;
    const FreeMemorySums free = model_.free_sums();
    result_.oom = WhatIfOom{
        event,       model_.rules().rounded(recorded.bytes), model_.reserved(), model_.active(), free.free,
        free.largest};
    return false;
  }

  /// Applies the edits up to `event`. Returns whether all requests fit.
  bool edit(EventIndex event) {
    for (; edited_ < edits_->size() && (*edits_)[edited_].event <= event; ++edited_) {
      const WhatIfEdit& edit = (*edits_)[edited_];
      if (!edit.again) {
        complete(edit.request);
      } else if (block_of_[edit.request] == kNoBlock && !allocate(edit.request, edit.event)) {
        return false;
      }
      note_peak(edit.event);
    }
    return true;
  }

  void request_free(std::uint32_t request) {
    if (block_of_[request] == kNoBlock) return;
    model_.request_free(block_of_[request]);
    pending_.push_back(request);
  }
  void complete(std::uint32_t request) {
    if (block_of_[request] == kNoBlock) return;
    model_.complete(block_of_[request]);
    block_of_[request] = kNoBlock;
    if (!pending_.empty()) std::erase(pending_, request);
  }
  void release() {
    model_.release_cached();
    forget_pending();
  }
  /// Forgets the blocks of pending frees, because a release completes them and their blocks may be reused.
  void forget_pending() {
    for (const std::uint32_t request : pending_) block_of_[request] = kNoBlock;
    pending_.clear();
  }

  void note_peak(EventIndex event) {
    result_.peak_active = std::max(result_.peak_active, model_.active());
    if (model_.reserved() <= result_.peak_reserved) return;
    result_.peak_reserved = model_.reserved();
    result_.peak_event = event;
    result_.active_at_peak = model_.active();
    result_.free = model_.free_sums();
  }

  const AllocatorTrace& trace_;
  const std::vector<bool>* without_;
  const std::vector<WhatIfEdit>* edits_;
  std::size_t edited_ = 0;
  SyntheticDevice device_;
  AllocatorModel model_;
  std::vector<std::uint32_t> block_of_;  // by request
  std::vector<std::uint32_t> pending_;   // requests
  WhatIfResult result_;
};

}  // namespace

double WhatIfResult::fragmentation() const {
  if (peak_reserved == 0) return 0;
  return 1 - static_cast<double>(active_at_peak) / static_cast<double>(peak_reserved);
}

WhatIfResult what_if(const AllocatorTrace& trace, const AllocatorRules& rules, const WhatIfOptions& options,
                     std::vector<std::uint64_t>* curve, std::vector<EventIndex>* curve_events,
                     const std::stop_token& stop) {
  WhatIfRun run(trace, rules, options);
  if (run.begin(options.start)) run.run(kNever, curve, curve_events, stop);
  return run.finish();
}

OomResult compute_oom(const AllocatorTrace& trace, const AllocatorRules& rules, std::size_t oom,
                      const std::stop_token& stop) {
  WhatIfOptions options;
  options.downwards = trace.downwards;
  WhatIfRun run(trace, rules, options);
  const RecordedOom& error = trace.ooms[oom];
  if (!run.begin(WhatIfStart::fresh) || !run.run(error.event, nullptr, nullptr, stop)) return {};
  OomResult answer;
  answer.reached = true;
  // The recorded size is rounded; without the padding, it rounds to itself.
  const std::uint64_t bytes = error.rounded_bytes > rules.padding ? error.rounded_bytes - rules.padding : 0;
  answer.fits = run.model().allocate(error.place, bytes) != kNoBlock;
  answer.reserved = run.model().reserved();
  return answer;
}

CapacityBounds capacity_bounds(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace) {
  const SnapshotDevice& snapshot_device = snapshot.devices[device];
  CapacityBounds bounds;
  bounds.low = trace.recorded_peak;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const AllocatorOp& op = trace.ops[i];
    if (op.kind != AllocatorOpKind::retry || trace.rules.expandable) continue;
    const std::uint64_t before = curve_at(snapshot_device, MemoryCurve::reserved, op.event - 1);
    // Find the request that follows the retry.
    for (std::size_t next = i + 1; next < trace.ops.size(); ++next) {
      std::uint64_t rounded = 0;
      if (trace.ops[next].kind == AllocatorOpKind::allocate) {
        rounded = trace.rules.rounded(trace.requests[trace.ops[next].request].bytes);
      } else if (trace.ops[next].kind == AllocatorOpKind::out_of_memory) {
        rounded = trace.ooms[trace.ops[next].request].rounded_bytes;
      } else {
        continue;
      }
      const std::uint64_t requested = before + trace.rules.segment_for(rounded) - AllocatorRules::kRoundLarge;
      bounds.high = std::min(bounds.high.value_or(requested), requested);
      break;
    }
  }
  if (!trace.ooms.empty()) bounds.from_oom = trace.ooms.front().reserved + trace.ooms.front().device_free;
  return bounds;
}

std::optional<std::uint64_t> least_capacity(const AllocatorTrace& trace, AllocatorRules rules,
                                            const WhatIfOptions& options, const std::stop_token& stop) {
  constexpr std::uint64_t kStep = AllocatorRules::kRoundLarge;
  rules.capacity = kUnlimitedBytes;
  const WhatIfResult free_run = what_if(trace, rules, options, nullptr, nullptr, stop);
  std::uint64_t fits = (free_run.peak_reserved + kStep - 1) / kStep;
  std::uint64_t fails = 0;
  while (fits - fails > 1) {
    if (stop.stop_requested()) return std::nullopt;
    const std::uint64_t middle = fails + (fits - fails) / 2;
    rules.capacity = middle * kStep;
    const WhatIfResult result = what_if(trace, rules, options, nullptr, nullptr, stop);
    (result.oom ? fails : fits) = middle;
  }
  return fits * kStep;
}

}  // namespace kino
