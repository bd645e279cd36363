// Level-of-detail tiles: 512 bins of a row as a short list of rectangles.
//
// A tile covers kTileBins bins of 2^level ns at absolute positions, so panning never shimmers. In a row of
// disjoint slices, at most one of the slices that start in a bin is at least a bin long: the last one. It
// becomes a solid with exact edges; the other slices that start in the bin become one cell. So a tile has at
// most 2 * kTileBins + 1 instances. Every slice starts in exactly one instance at every level, and a slice of
// a bin or more is never merged. This code is independent of the graphics API.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/base/slice_set.hpp"
#include "core/trace/lod_index.hpp"
#include "core/trace/trace.hpp"

namespace kino {

inline constexpr int kTileBinsLog2 = 9;
inline constexpr int kTileBins = 1 << kTileBinsLog2;
/// Two tiles of this level cover all of int64_t.
inline constexpr int kMaxTileLevel = 63 - kTileBinsLog2;

/// Returns the level at which a bin is one to two pixels: max(0, ceil(log2(ns_per_px))), at most
/// kMaxTileLevel.
int tile_level(double ns_per_px);

/// Position of a tile. Any int64_t time is in exactly one tile of a level.
struct TilePlace {
  int level = 0;
  std::int64_t number = 0;

  /// Returns the tile of `level` that contains `time_ns`.
  static TilePlace at(int level, std::int64_t time_ns) { return {level, time_ns >> (level + kTileBinsLog2)}; }
  std::int64_t origin_ns() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << (level + kTileBinsLog2));
  }
  /// Returns the last ns inside the tile, since an exclusive end could overflow.
  std::int64_t last_ns() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(origin_ns()) + length_ns() - 1);
  }
  std::uint64_t length_ns() const { return std::uint64_t{1} << (level + kTileBinsLog2); }
  std::uint64_t bin_ns() const { return std::uint64_t{1} << level; }
  bool operator==(const TilePlace&) const = default;
};

/// Bits of TileInstance::flags.
inline constexpr std::uint8_t kTileSolid =
    1;  ///< one slice with exact edges; otherwise a cell of one or more
inline constexpr std::uint8_t kTileContinuedLeft = 2;   ///< the slice started before the tile
inline constexpr std::uint8_t kTileContinuedRight = 4;  ///< the slice ends after the tile
inline constexpr std::uint8_t kTileFaded = 8;           ///< none of its slices is a hit

/// One rectangle. Float is precise enough: within a tile it resolves 1/32768 of a bin.
struct TileInstance {
  float x0_ns = 0;            ///< from the tile's origin, clipped to the tile
  float x1_ns = 0;            ///< may equal x0_ns
  std::uint32_t paint = 0;    ///< key of its longest slice or, with hits, of its first hit; 0 for instants
  std::uint16_t count = 0;    ///< slices or instants inside, at most 65535
  std::uint8_t coverage = 0;  ///< busy share of [x0, x1), 1..255
  std::uint8_t flags = 0;     ///< kTileSolid etc.
};
static_assert(sizeof(TileInstance) == 16);

/// Range of the values of a counter in [x0, x1).
struct CounterInstance {
  float x0_ns = 0;
  float x1_ns = 0;
  float min_value = 0;
  float max_value = 0;
};
static_assert(sizeof(CounterInstance) == 16);

/// Candidate for a label: a solid that is wide enough, with its whole extent.
struct TileLabel {
  SliceId slice{};
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// Solids of at least this many bins can have labels. At level 0, where a bin can be many pixels wide, all
/// solids can.
inline constexpr std::uint64_t kLabelBins = 12;

/// The colors of tiles: a key for every slice, which a palette maps to a color. Immutable, shared with the
/// workers.
struct SlicePaint {
  std::shared_ptr<const std::vector<std::uint32_t>> keys;  ///< by SliceId; null: keys are NameIds
  std::shared_ptr<const SliceSet> hits;                    ///< highlighted slices; null: all

  std::uint32_t key_of(const Trace& trace, SliceId slice) const {
    return keys ? (*keys)[index_of(slice)] : index_of(trace.name(slice));
  }
};

/// A row's columns. start + duration must fit int64_t; slices are disjoint and in order of start.
struct SliceRow {
  std::span<const std::int64_t> start_ns;
  std::span<const std::int64_t> duration_ns;
  std::span<const NameId> name;
  const LodIndex* index = nullptr;
  LodRow lod;
  std::uint32_t first_slice = 0;      ///< SliceId of element 0
  std::span<const SliceId> original;  ///< the trace's slices; empty: consecutive from first_slice
  const std::vector<std::uint32_t>* keys = nullptr;  ///< by the trace's SliceId; null: keys are NameIds
  const SliceSet* hits = nullptr;                    ///< the trace's SliceIds; null: all

  static SliceRow of(const Trace& trace, RowId row);
  /// Returns the row with the keys and hits of `paint`, which must outlive the result.
  SliceRow painted(const SlicePaint& paint) const;
};

/// Appends the part of `row` in the tile, in order of time, and appends the candidates for labels to
/// `labels`. O(log slices), plus O(log slices per bin) per instance; with hits O(slices / 64) more, or
/// O(slices) in rows with `original`.
void emit_slices(const SliceRow& row, TilePlace place, std::vector<TileInstance>& instances,
                 std::vector<TileLabel>& labels);

/// Appends one instance per non-empty bin, which extends from the bin's first instant to its last. `time_ns`
/// must ascend.
void emit_instants(std::span<const std::int64_t> time_ns, TilePlace place,
                   std::vector<TileInstance>& instances);

/// Appends the step function of the samples, starting with the value before the tile. An instance of a bin
/// has the minimum and maximum of the bin's samples, and between such bins the last value continues. Values
/// that are not finite are skipped. `time_ns` must ascend. O(log samples + samples in the tile).
void emit_counter(std::span<const std::int64_t> time_ns, std::span<const double> value, TilePlace place,
                  std::vector<CounterInstance>& instances);

/// Appends the means over the tile's bins, from the first sample on. Equal neighbors are one instance. `row`
/// must have an integral. O(kTileBins * (log samples + CounterRow::kStride)).
void emit_means(const CounterRow& row, TilePlace place, std::vector<CounterInstance>& instances);

}  // namespace kino
