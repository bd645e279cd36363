// Builds tiles on the worker pool. Each frame replaces the set of wanted tiles, so stale ones are not built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"
#include "render/lane_draw.hpp"

namespace kino {

struct TileKey {
  LaneDraw::Kind kind = LaneDraw::Kind::slices;
  std::uint32_t index = 0;  ///< RowId for slices, TrackId for instants and counters
  TilePlace place;
  std::uint32_t paint = 0;  ///< number of the SlicePaint or DerivedCounters; 0: the trace's own
  bool operator==(const TileKey&) const = default;
};

struct TileKeyHash {
  std::size_t operator()(const TileKey& key) const {
    std::uint64_t hash = key.index | std::uint64_t{static_cast<std::uint8_t>(key.kind)} << 32 |
                         static_cast<std::uint64_t>(key.place.level) << 40 |
                         static_cast<std::uint64_t>(key.paint) << 48;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9U + static_cast<std::uint64_t>(key.place.number);
    hash = (hash ^ hash >> 32) * 0x94d049bb133111ebU;
    return hash ^ hash >> 29;
  }
};

struct TileRequest {
  TileKey key;
  bool visible = true;  ///< false: built ahead of need, so the tile causes no redraw
};

/// A finished tile. `texels` are TileInstance or CounterInstance, 16 bytes each.
struct BuiltTile {
  static constexpr std::size_t kTexelBytes = 16;

  TileKey key;
  std::vector<std::byte> texels;
  std::vector<TileLabel> labels;
  std::size_t texel_count() const { return texels.size() / kTexelBytes; }
};

/// Builds the tile of a key on the calling thread. For its cost, see core/trace/timeline/lod_tile.hpp.
BuiltTile build_tile(const ShownRows& rows, const TileKey& key, const SlicePaint& paint = {});

/// Used by the UI thread. Jobs on the pool may outlive the builder.
class TileBuilder {
 public:
  /// `wake` is called when a visible tile is ready, but only once until the next take(). A worker calls it,
  /// or request() if the tile becomes visible later. It is not called after the destructor.
  TileBuilder(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);
  TileBuilder(const TileBuilder&) = delete;
  TileBuilder& operator=(const TileBuilder&) = delete;
  ~TileBuilder();

  /// Provides the rows of packed streams in addition to the trace's own. Call once, before such a row is
  /// requested.
  void set_packed(std::shared_ptr<const PackedStreams> packed);
  /// Provides derived counters in addition to the trace's own. Requests for a later set need another `paint`
  /// number. Discards all current requests.
  void set_counters(std::shared_ptr<const DerivedCounters> counters);
  /// Replaces the wanted tiles, most important first. Tiles that are in progress or ready are not built
  /// again.
  void request(std::span<const TileRequest> wanted);
  /// Sets the paint of slice tiles whose key has this number; slice tiles with other numbers are no longer
  /// built. Number 0 is coloring by name. Discards all current requests.
  void set_paint(std::uint32_t number, SlicePaint paint);
  /// Moves the finished tiles to the end of `built`.
  void take(std::vector<BuiltTile>& built);

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  WorkerPool& pool_;
};

}  // namespace kino
