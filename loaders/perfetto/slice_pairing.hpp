// Which end belongs to which begin of a Perfetto trace, whose ends name no slice.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/perfetto/perfetto_events.hpp"

namespace kino {

/// By index into the events.
struct PairedSlice {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t begin = 0;
  std::uint32_t end = kNone;  ///< none: it was not ended
  std::uint32_t run = kNone;  ///< of those paired by position: which group of records they are of
};

struct Pairing {
  std::vector<PairedSlice> slices;
  std::uint32_t runs = 0;
  std::uint64_t ends_without_begin = 0;
  /// Of those paired by position, how many the other rule would end elsewhere.
  std::uint64_t differing = 0;
};

/// PyTorch writes a group of records as all begins, then all ends in the same order, so that the i-th end
/// belongs to the i-th begin: a run of begins of a sequence with a run of as many ends behind it, track by
/// track the same, that is not in order of time. Everything else is paired as Perfetto does: an end closes
/// what was opened last on its track, in order of time, ends before begins. O(n log n).
Pairing pair_slices(std::span<const PerfettoEvent> events, const std::stop_token& stop);

}  // namespace kino
