// GPU work of a trace with the calls that launched it: the input of everything about iterations.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/serving/iteration_parts.hpp"
#include "core/tables/serving/mark_names.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One kernel, copy or memset.
struct WorkPiece {
  TimeRange range;
  TimeRange launch_range;  ///< of its launch call; unspecified without one
  SliceId slice = kNoSlice;
  SliceId launch = kNoSlice;  ///< kNoSlice: not recorded
  NameId name{};
  TrackId stream{};
  TrackId thread = kNoTrack;  ///< of the launch
  std::uint32_t device = 0;   ///< index into Trace::processes
  std::uint32_t process = 0;  ///< of the launch; unspecified without one
  IterationPart part = IterationPart::other;
  bool kernel = false;
  bool replayed = false;        ///< launched as part of a graph
  bool to_host = false;         ///< copy from the device to the host
  bool selects_tokens = false;  ///< see work_names.hpp
  bool decode_attention = false;
  bool prefill_attention = false;

  bool launched() const { return launch != kNoSlice; }
};

/// GPU work in order of start, then end.
struct ServingWork {
  std::vector<WorkPiece> pieces;
  bool any_launch = false;
};

/// Collects the work. With `hide_launches`, no piece has a launch, as in a recording of the GPU alone. Names
/// are classified once. O(slices + work log work).
ServingWork serving_work(const Trace& trace, bool hide_launches, const std::stop_token& stop = {});

/// Counts kernels by name, without allocating memory for each list.
class KernelCounter {
 public:
  /// A list of kernels counts as a pass through a whole model if one name occurs this often: once per layer.
  static constexpr std::uint32_t kLayers = 8;

  explicit KernelCounter(const Trace& trace) : counts_(trace.names.size()) {}

  void add(const WorkPiece& piece) {
    if (!piece.kernel) return;
    std::uint32_t& count = counts_[index_of(piece.name)];
    if (count++ == 0) names_.push_back(index_of(piece.name));
    whole_ = whole_ || count >= kLayers;
  }
  bool whole_model() const { return whole_; }
  /// Forgets all kernels. O(names that occurred).
  void clear() {
    for (const std::uint32_t name : names_) counts_[name] = 0;
    names_.clear();
    whole_ = false;
  }

 private:
  std::vector<std::uint32_t> counts_;  // by name
  std::vector<std::uint32_t> names_;
  bool whole_ = false;
};

/// Returns the phase that attention kernels indicate: decode or prefill if only one kind occurs. Always a
/// guess.
IterationPhase guessed_phase(std::span<const WorkPiece> pieces);

}  // namespace kino
