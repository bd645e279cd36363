// What slices are coloured by when it is not their name: kind, track, module, or how long they are among
// their like.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

enum class PaintBy : std::uint8_t { kind, track, module, duration };

/// What one key stands for.
struct PaintGroup {
  NameId name{};             ///< modules: the slice that opens one, "nn.Module: Linear_0"
  std::uint64_t slices = 0;  ///< with this key
  std::int64_t gpu_ns = 0;   ///< summed durations of the kernels, copies and memsets among them
};

/// A key for every slice: 4 bytes a slice.
struct PaintKeys {
  std::shared_ptr<const std::vector<std::uint32_t>> keys;  ///< by SliceId
  std::vector<PaintGroup> groups;                          ///< by key
};

/// Keys of PaintBy::duration: 0 to 100 is the share in per cent of slices of the same name that are shorter
/// (of equals half), and one more for names of fewer than kFewestOfName slices.
inline constexpr std::uint32_t kPercentiles = 101;
inline constexpr std::uint32_t kTooFewKey = kPercentiles;
inline constexpr std::uint64_t kFewestOfName = 5;
/// Key of PaintBy::module for slices in no module.
inline constexpr std::uint32_t kNoModuleKey = 0;

/// The keys are
///   kind      the SliceKind
///   track     the TrackId
///   module    1, 2, ... for every name of a module: the innermost Python slice "nn.Module: ..." around the
///             slice or, in a trace without any, the innermost annotation (without ProfilerStep). GPU work
///             belongs where it was launched, a backward operator where its forward one was.
///   duration  see kPercentiles; for names of more than 16384 slices from that many of them, evenly taken, so
///             within about 1 per cent.
/// Null keys once stop is requested. O(n), duration O(n log 16384), parallel; measured on 1.5 M slices and 2
/// cores: kind and track 10 ms, module 25 ms, duration 80 ms. `threads` 0: as many as the machine has.
PaintKeys paint_keys(const Trace& trace, PaintBy by, const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace kino
