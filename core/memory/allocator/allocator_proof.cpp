#include "core/memory/allocator/allocator_proof.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace kino {
namespace {

struct DriverCall {
  std::int64_t addr = 0;
  std::uint64_t bytes = 0;
  bool operator==(const DriverCall&) const = default;
};

/// Device that permits only the calls that the recording contains before a request.
class RecordedDevice final : public AllocatorDevice {
 public:
  std::optional<std::int64_t> allocate(std::uint64_t bytes) override {
    const auto found = std::ranges::find(segments_, bytes, &DriverCall::bytes);
    if (found == segments_.end()) return std::nullopt;
    const std::int64_t addr = found->addr;
    segments_.erase(found);
    ++equal_;
    return addr;
  }
  std::optional<std::int64_t> reserve() override {
    if (maps_.empty()) return std::nullopt;
    return maps_.front().addr;
  }
  bool map(std::int64_t addr, std::uint64_t bytes) override {
    if (maps_.empty() || maps_.front() != DriverCall{addr, bytes}) return false;
    maps_.pop_front();
    ++equal_;
    return true;
  }
  void unmap(std::int64_t addr, std::uint64_t bytes) override { released_.push_back({addr, bytes}); }
  void free(std::int64_t addr, std::uint64_t bytes) override { released_.push_back({addr, bytes}); }

  void note_segment(DriverCall call) { segments_.push_back(call); }
  void note_map(DriverCall call) { maps_.push_back(call); }
  bool idle() const { return segments_.empty() && maps_.empty(); }
  void drop_pending() {
    segments_.clear();
    maps_.clear();
  }
  std::deque<DriverCall>& maps() { return maps_; }
  std::vector<DriverCall> take_released() { return std::exchange(released_, {}); }
  std::uint64_t equal() const { return equal_; }

 private:
  std::deque<DriverCall> segments_;
  std::deque<DriverCall> maps_;
  std::vector<DriverCall> released_;
  std::uint64_t equal_ = 0;
};

class ProofRun {
 public:
  ProofRun(const SnapshotDevice& device, const AllocatorTrace& trace)
      : device_(device), entries_(device.entries), trace_(trace), model_(trace.rules, driver_) {
    add_places(trace, model_);
    block_of_.assign(trace.requests.size(), kNoBlock);
    replay_start(trace, model_, block_of_);
    reserved_ = trace.start_reserved;
  }

  AllocatorProof run(const std::stop_token& stop) {
    std::size_t op = 0;
    for (std::size_t i = 0; i < entries_.entry_count(); ++i) {
      if (i % 65536 == 0 && stop.stop_requested()) return proof_;
      while (op < trace_.ops.size() && trace_.ops[op].event < static_cast<EventIndex>(i)) ++op;
      bool own = op < trace_.ops.size() && trace_.ops[op].event == static_cast<EventIndex>(i);
      const std::size_t at = i;
      switch (entries_.action[i]) {
        case SnapshotAction::segment_alloc:
        case SnapshotAction::segment_map:
          note_call(i);
          continue;
        case SnapshotAction::segment_free:
        case SnapshotAction::segment_unmap:
          i += trace_.releases[trace_.ops[op].request].count - 1;
          release(at, i + 1);
          own = false;
          break;
        default:
          break;
      }
      while (own && op < trace_.ops.size() && trace_.ops[op].event == static_cast<EventIndex>(at))
        apply(trace_.ops[op++]);
      ++proof_.checked;
      if (model_.reserved() == reserved_) {
        ++proof_.reserved_equal;
      } else {
        differ(at, msg::reserved_memory);
      }
    }
    finish();
    return proof_;
  }

 private:
  void differ(std::size_t entry, msg::Id what) {
    if (!proof_.first_difference) proof_.first_difference = {static_cast<EventIndex>(entry), what};
  }

  void note_call(std::size_t i) {
    const DriverCall call{static_cast<std::int64_t>(entries_.addr[i]), entries_.size[i]};
    reserved_ += entries_.size[i];
    ++proof_.driver_calls;
    if (entries_.action[i] == SnapshotAction::segment_alloc) {
      driver_.note_segment(call);
    } else {
      driver_.note_map(call);
    }
  }

  /// Maps memory that a failed request had mapped, because it remains mapped.
  void apply_maps(std::size_t entry) {
    while (!driver_.maps().empty()) {
      const DriverCall call = driver_.maps().front();
      if (model_.map_at_address(call.addr, call.bytes)) continue;
      differ(entry, msg::map_not_in_model);
      driver_.drop_pending();
    }
  }

  void apply(const AllocatorOp& op) {
    const auto entry = static_cast<std::size_t>(op.event);
    switch (op.kind) {
      case AllocatorOpKind::allocate:
        return allocate(op, entry);
      case AllocatorOpKind::request_free:
        if (block_of_[op.request] != kNoBlock) model_.request_free(block_of_[op.request]);
        return;
      case AllocatorOpKind::complete:
        if (block_of_[op.request] != kNoBlock) model_.complete(block_of_[op.request]);
        block_of_[op.request] = kNoBlock;
        return;
      case AllocatorOpKind::out_of_memory:
        apply_maps(entry);
        return;
      case AllocatorOpKind::release:
      case AllocatorOpKind::retry:
        return;
    }
  }

  void allocate(const AllocatorOp& op, std::size_t entry) {
    const AllocatorRequest& request = trace_.requests[op.request];
    ++proof_.allocs;
    const std::uint64_t retries = model_.counts().retries;
    const std::uint32_t block = model_.allocate(request.place, request.bytes);
    if (model_.counts().retries != retries || block == kNoBlock) {
      differ(entry, msg::only_model_calls_device);
      driver_.take_released();
    }
    if (!driver_.idle()) {
      differ(entry, msg::only_recording_calls_device);
      driver_.drop_pending();
    }
    block_of_[op.request] = block;
    if (block == kNoBlock) return;
    if (model_.addr_of(block) == static_cast<std::int64_t>(entries_.addr[entry])) {
      ++proof_.same_address;
    } else {
      differ(entry, msg::different_free_block);
    }
  }

  void release(std::size_t from, std::size_t to) {
    apply_maps(from);
    model_.release_cached();
    std::vector<DriverCall> released = driver_.take_released();
    for (std::size_t i = from; i < to; ++i) {
      const DriverCall call{static_cast<std::int64_t>(entries_.addr[i]), entries_.size[i]};
      reserved_ -= entries_.size[i];
      ++proof_.released;
      if (i - from >= released.size() && model_.release_at_address(call.addr)) {
        // The segment belongs to a private pool that no longer exists.
        for (const DriverCall& more : driver_.take_released()) released.push_back(more);
      }
      if (i - from < released.size() && released[i - from] == call) {
        ++proof_.released_equal;
      } else {
        differ(i, msg::different_segment_released);
      }
    }
    if (released.size() != to - from) differ(from, msg::different_number_of_segments_released);
  }

  void finish() {
    proof_.driver_calls_equal += driver_.equal();
    std::unordered_map<std::int64_t, std::uint64_t> sizes;
    for (const std::uint32_t block : block_of_)
      if (block != kNoBlock) sizes.emplace(model_.addr_of(block), model_.size_of(block));
    for (const SnapshotBlock& block : device_.blocks) {
      if (block.state == BlockState::inactive) continue;
      ++proof_.final_blocks;
      const auto found = sizes.find(static_cast<std::int64_t>(block.addr));
      if (found != sizes.end() && found->second == block.size) ++proof_.final_blocks_equal;
    }
    proof_.exact = !proof_.first_difference && proof_.allocs > 0;
  }

  const SnapshotDevice& device_;
  const SnapshotEntries& entries_;
  const AllocatorTrace& trace_;
  RecordedDevice driver_;
  AllocatorModel model_;
  std::vector<std::uint32_t> block_of_;  // by request
  std::uint64_t reserved_ = 0;           // as recorded
  AllocatorProof proof_;
};

}  // namespace

void add_places(const AllocatorTrace& trace, AllocatorModel& model) {
  for (const RequestPlace& place : trace.places)
    model.add_place(place.pool, place.stream_order, place.may_expand, place.is_default);
}

void replay_start(const AllocatorTrace& trace, AllocatorModel& model, std::vector<std::uint32_t>& block_of) {
  for (const StartSegment& segment : trace.start) {
    if (segment.blocks.empty()) continue;
    const std::uint32_t first =
        model.give_segment(segment.place, segment.small, segment.expandable, segment.blocks);
    for (std::size_t i = 0; i < segment.requests.size(); ++i) {
      if (segment.requests[i] != kNoBlock)
        block_of[segment.requests[i]] = first + static_cast<std::uint32_t>(i);
    }
  }
}

AllocatorProof prove_allocator(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace,
                               const std::stop_token& stop) {
  if (!trace.refused.empty()) return {};
  return ProofRun(snapshot.devices[device], trace).run(stop);
}

Message ProvedAllocator::refused() const {
  if (!trace.refused.empty()) return trace.refused;
  if (proof.exact) return {};
  if (!proof.first_difference) return msg::the_replay_was_stopped;
  const AllocatorDifference& difference = *proof.first_difference;
  return {msg::model_differs_at_event, std::to_string(difference.event), difference.what};
}

std::shared_ptr<const ProvedAllocator> proved_allocator(const Snapshot& snapshot, std::size_t device,
                                                        const std::stop_token& stop) {
  const std::optional<bool> ascend = is_ascend(snapshot, device);
  const auto made = [&](bool padded) {
    auto proved = std::make_shared<ProvedAllocator>();
    proved->trace = allocator_trace(snapshot, device, padded, stop);
    proved->proof = prove_allocator(snapshot, device, proved->trace, stop);
    return proved;
  };
  auto first = made(ascend.value_or(false));
  if (ascend || first->proof.exact || !first->trace.refused.empty()) return first;
  auto second = made(true);
  return second->proof.exact || second->proof.same_address > first->proof.same_address ? second : first;
}

}  // namespace kino
