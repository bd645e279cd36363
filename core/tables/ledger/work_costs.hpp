// The class of each kernel, and the time that the call that launched it would need at the device's limits.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/ledger/device_roofs.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Definitions: README.md, "Kernels".
enum class WorkClass : std::uint8_t { other, matrix, memory, recompute, optimizer };

/// The kernels of one operator call.
struct CallCost {
  SliceId call = kNoSlice;
  std::uint32_t facts = 0;     ///< of the call
  std::string_view dtype;      ///< of the numbers that it multiplies, or of its first tensor
  double hardware_flop = 0;    ///< that the device computes; 0 for calls that are not counted
  double model_flop = 0;       ///< without the scores that the backward pass of attention computes again
  double bytes = -1;           ///< least bytes; -1: not known
  double peak_ns = -1;         ///< of hardware_flop; -1: not known
  double model_peak_ns = -1;   ///< of model_flop; -1: not known
  double memory_ns = -1;       ///< of the bytes at the bandwidth; -1: not known
  std::int64_t device_ns = 0;  ///< summed duration of its kernels
  bool counted = false;        ///< an operator with a formula for its FLOPs
  bool at_most = false;        ///< the FLOPs are an upper bound
  bool recomputed = false;     ///< the backward pass makes the call again
  bool above_bandwidth =
      false;  ///< its bytes would need more than the bandwidth: L2 served it, or only parts are read
};

/// Kernels of a trace that compute, by class and call. Immutable; refers to the trace.
class WorkCosts {
 public:
  struct Piece {
    SliceId slice = kNoSlice;
    std::uint32_t call = kNoCall;
    WorkClass work_class = WorkClass::other;
  };
  static constexpr std::uint32_t kNoCall = 0xffffffffU;

  WorkCosts() = default;
  /// `tree`: operators of the whole trace. O(nodes + kernels * depth). Empty if stopped.
  WorkCosts(const Trace& trace, const OperatorTreePart& tree, const std::stop_token& stop = {});

  const DeviceRoofs& roofs() const { return roofs_; }
  std::span<const CallCost> calls() const { return calls_; }
  /// Sorted by slice.
  std::span<const Piece> pieces() const { return pieces_; }
  /// The piece of a kernel, or null. O(log kernels).
  const Piece* find(SliceId kernel) const;
  /// The cost of the piece's call, or null.
  const CallCost* cost(const Piece& piece) const {
    return piece.call == kNoCall ? nullptr : &calls_[piece.call];
  }

 private:
  friend class CostGatherer;

  DeviceRoofs roofs_;
  std::vector<CallCost> calls_;
  std::vector<Piece> pieces_;
};

}  // namespace kino
