// Tiles on the GPU: built by workers, uploaded within a time budget, evicted least recently used first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "render/gpu.hpp"
#include "render/tile_builder.hpp"

namespace kino {

/// Location of a tile's instances: texels in a page of the device.
struct CachedTile {
  std::uint32_t page = 0;
  std::uint32_t first_texel = 0;
  std::uint32_t texel_count = 0;
  std::vector<TileLabel> labels;
};

/// Used by the UI thread, with the device that is current in the constructor. Tiles are appended to pages of
/// 1 MiB, and whole pages are evicted. This avoids fragmentation, and needs few objects and few transfers per
/// frame.
class TileCache {
 public:
  static constexpr std::size_t kBudgetBytes = std::size_t{128} << 20;

  TileCache(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake,
            std::size_t budget_bytes = kBudgetBytes);

  /// See TileBuilder.
  void set_packed(std::shared_ptr<const PackedStreams> packed) { builder_.set_packed(std::move(packed)); }
  void set_counters(std::shared_ptr<const DerivedCounters> counters) {
    builder_.set_counters(std::move(counters));
  }

  /// Starts a frame: uploads finished tiles for about `budget_ms`, but at least one. Returns whether all
  /// finished tiles are uploaded. Invalidates the pointers returned by find().
  bool begin_frame(double budget_ms);
  /// Returns the tile, valid at least to the end of the frame, or nullptr. O(1).
  const CachedTile* find(const TileKey& key);
  /// Replaces the set of tiles to build, most important first.
  void request(std::vector<TileRequest> wanted);
  /// See TileBuilder::set_paint(). Existing tiles remain until their memory is needed.
  void set_paint(std::uint32_t number, SlicePaint paint) { builder_.set_paint(number, std::move(paint)); }
  /// Returns the memory of the pages and of their tables and labels, in bytes.
  std::size_t size_bytes() const;

 private:
  struct Page {
    GpuPage texels;
    std::uint32_t used_texels = 0;
    std::size_t kept_bytes = 0;  ///< bytes of table entries and labels
    std::uint64_t last_frame = 0;
    std::vector<TileKey> keys;
  };
  struct Entry {
    std::uint32_t page = 0;
    CachedTile tile;
  };

  void store(BuiltTile& built);
  /// Makes `current_` an empty page.
  void open_page();
  /// Transfers the tiles staged by store() for the current page.
  void flush();

  Gpu& gpu_;
  const std::size_t budget_bytes_;
  TileBuilder builder_;
  std::vector<Page> pages_;
  std::uint32_t current_ = 0;
  std::vector<std::byte> staged_;
  std::uint32_t staged_first_ = 0;
  std::unordered_map<TileKey, Entry, TileKeyHash> tiles_;
  std::vector<BuiltTile> waiting_;  ///< built, but not uploaded; the next to upload is last
  std::unordered_set<TileKey, TileKeyHash> waiting_keys_;
  std::uint64_t frame_ = 0;
};

}  // namespace kino
