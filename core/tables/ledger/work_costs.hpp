// Computes the class of each kernel, and the time that the launching call needs at the limits of the device.
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

/// Class of a kernel. Definitions: README.md, "Kernels".
enum class WorkClass : std::uint8_t { other, matrix, memory, recompute, optimizer };

/// Costs of one operator call and its kernels.
struct CallCost {
  SliceId call = kNoSlice;
  std::uint32_t facts = 0;     ///< index of the call's facts in decode_facts()
  std::string_view dtype;      ///< type of the numbers that it multiplies, or of its first tensor
  double hardware_flop = 0;    ///< FLOPs that the device computes; 0 if not counted
  double model_flop = 0;       ///< hardware_flop without recomputed attention scores
  double bytes = -1;           ///< least bytes; -1: unknown
  double peak_ns = -1;         ///< time of hardware_flop at the peak; -1: unknown
  double model_peak_ns = -1;   ///< time of model_flop at the peak; -1: unknown
  double memory_ns = -1;       ///< time of `bytes` at the memory bandwidth; -1: unknown
  std::int64_t device_ns = 0;  ///< summed duration of its kernels
  bool counted = false;        ///< whether the FLOPs are known
  bool at_most = false;        ///< whether the FLOPs are an upper bound
  bool recomputed = false;     ///< whether the backward pass repeats this call of the forward pass
  /// At the memory bandwidth, the least bytes would take over 5 % longer than the kernels took: L2 served a
  /// part of them, or not all of them are read.
  bool above_bandwidth = false;
};

/// Class and call of each computing kernel of a trace. Immutable. Refers to the trace.
class WorkCosts {
 public:
  struct Piece {
    SliceId slice = kNoSlice;
    std::uint32_t call = kNoCall;
    WorkClass work_class = WorkClass::other;
  };
  static constexpr std::uint32_t kNoCall = 0xffffffffU;

  WorkCosts() = default;
  /// Computes all costs. `tree` contains the operators of the whole trace. O(nodes + kernels * (depth + log
  /// calls)). Empty if stopped.
  WorkCosts(const Trace& trace, const OperatorTreePart& tree, const std::stop_token& stop = {});

  const DeviceRoofs& roofs() const { return roofs_; }
  std::span<const CallCost> calls() const { return calls_; }
  /// Returns one piece per kernel, sorted by slice.
  std::span<const Piece> pieces() const { return pieces_; }
  /// Returns the piece of a kernel, or null. O(log kernels).
  const Piece* find(SliceId kernel) const;
  /// As above, but O(1) if the kernel follows the one found before. `near`: position of the search; begin
  /// with 0.
  const Piece* find(SliceId kernel, std::size_t& near) const;
  /// Returns the cost of the piece's call, or null if no call is known.
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
