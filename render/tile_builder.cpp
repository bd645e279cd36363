#include "render/tile_builder.hpp"

#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace kino {
namespace {

template <class Instance>
std::vector<std::byte> bytes_of(const std::vector<Instance>& instances) {
  static_assert(sizeof(Instance) == BuiltTile::kTexelBytes);
  const auto bytes = std::as_bytes(std::span(instances));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

BuiltTile build_tile(const ShownRows& rows, const TileKey& key, const SlicePaint& paint) {
  BuiltTile built;
  built.key = key;
  if (key.kind == LaneDraw::Kind::slices) {
    std::vector<TileInstance> instances;
    emit_slices(rows.slices_of(RowId{key.index}).painted(paint), key.place, instances, built.labels);
    built.texels = bytes_of(instances);
    return built;
  }
  if (key.kind == LaneDraw::Kind::instants) {
    const Trace& trace = *rows.trace;
    const Track& track = trace.tracks[key.index];
    std::vector<TileInstance> instances;
    emit_instants(trace.instants.time_ns.sub(track.first_instant, track.instant_count), key.place, instances);
    built.texels = bytes_of(instances);
  } else {
    std::vector<CounterInstance> instances;
    const CounterRow row = rows.counter_at(key.index);
    if (row.as_mean()) {
      emit_means(row, key.place, instances);
    } else {
      emit_counter(row.time_ns, row.value, key.place, instances);
    }
    built.texels = bytes_of(instances);
  }
  return built;
}

struct TileBuilder::Shared {
  /// A tile that a worker has started and the owner has not taken.
  struct Begun {
    bool visible = false;
    bool ready = false;
  };

  /// Returns whether the owner must be woken now because a visible tile is ready; if so, sets `woken`. Needs
  /// the mutex.
  bool must_wake(const Begun& tile) {
    const bool due = tile.visible && tile.ready && !woken;
    woken = woken || due;
    return due;
  }

  /// Marks a tile as started. Returns false if it already is, or if memory ran out; the next frame requests
  /// it again. Needs the mutex.
  bool begin(const TileRequest& tile) {
    try {
      return begun.try_emplace(tile.key, Begun{tile.visible, false}).second;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  /// Stores the tile for take(). Returns false if memory ran out. Needs the mutex.
  bool keep(BuiltTile tile) {
    try {
      ready.push_back(std::move(tile));
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void call_wake() {
    const std::lock_guard lock(wake_mutex);
    if (wake) wake();
  }

  std::shared_ptr<const Trace> trace;

  std::mutex mutex;
  std::shared_ptr<const PackedStreams> packed;            // guarded by mutex
  std::shared_ptr<const DerivedCounters> counters;        // guarded by mutex
  std::uint32_t paint_number = 0;                         // guarded by mutex
  SlicePaint paint;                                       // guarded by mutex
  std::vector<TileRequest> wanted;                        // guarded by mutex; the next to build is last
  std::unordered_map<TileKey, Begun, TileKeyHash> begun;  // guarded by mutex
  std::vector<BuiltTile> ready;                           // guarded by mutex
  unsigned workers = 0;                                   // guarded by mutex; jobs posted and not ended
  bool woken = false;                                     // guarded by mutex; since the last take()

  std::mutex wake_mutex;
  std::function<void()> wake;  // guarded by wake_mutex; empty after the builder's destruction
};

TileBuilder::TileBuilder(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : shared_(std::make_shared<Shared>()), pool_(pool) {
  shared_->trace = std::move(trace);
  shared_->wake = std::move(wake);
}

TileBuilder::~TileBuilder() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->wanted.clear();
  }
  const std::lock_guard lock(shared_->wake_mutex);
  shared_->wake = nullptr;
}

void TileBuilder::set_packed(std::shared_ptr<const PackedStreams> packed) {
  const std::lock_guard lock(shared_->mutex);
  shared_->packed = std::move(packed);
}

void TileBuilder::set_counters(std::shared_ptr<const DerivedCounters> counters) {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.clear();  // requests may refer to tracks that no longer exist
  shared_->counters = std::move(counters);
}

void TileBuilder::request(std::span<const TileRequest> wanted) {
  unsigned posts = 0;
  bool wake = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->wanted.clear();
    for (std::size_t i = wanted.size(); i-- > 0;) {
      const auto begun = shared_->begun.find(wanted[i].key);
      if (begun == shared_->begun.end()) {
        shared_->wanted.push_back(wanted[i]);
      } else if (wanted[i].visible) {
        begun->second.visible = true;  // a tile that was started ahead of need may be visible now
        wake = shared_->must_wake(begun->second) || wake;
      }
    }
    for (; shared_->workers < pool_.thread_count() && shared_->workers < shared_->wanted.size(); ++posts)
      ++shared_->workers;
  }
  for (; posts > 0; --posts) pool_.post(WorkerPool::Priority::urgent, [shared = shared_] { work(shared); });
  if (wake) shared_->call_wake();
}

void TileBuilder::set_paint(std::uint32_t number, SlicePaint paint) {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.clear();
  shared_->paint_number = number;
  std::swap(shared_->paint, paint);
}

void TileBuilder::take(std::vector<BuiltTile>& built) {
  const std::lock_guard lock(shared_->mutex);
  for (BuiltTile& tile : shared_->ready) {
    shared_->begun.erase(tile.key);
    built.push_back(std::move(tile));
  }
  shared_->ready.clear();
  shared_->woken = false;
}

void TileBuilder::work(const std::shared_ptr<Shared>& shared) {
  while (true) {
    TileRequest next;
    std::shared_ptr<const PackedStreams> packed;
    std::shared_ptr<const DerivedCounters> counters;
    SlicePaint paint;
    {
      const std::lock_guard lock(shared->mutex);
      if (shared->wanted.empty()) {
        --shared->workers;
        return;
      }
      next = shared->wanted.back();
      packed = shared->packed;
      counters = shared->counters;
      shared->wanted.pop_back();
      const bool slices = next.key.kind == LaneDraw::Kind::slices;
      if (slices && next.key.paint != shared->paint_number) continue;
      if (slices) paint = shared->paint;
      if (!shared->begin(next)) continue;
    }
    BuiltTile built;
    bool failed = false;
    try {
      built = build_tile({*shared->trace, packed.get(), counters.get()}, next.key, paint);
    } catch (const std::bad_alloc&) {
      failed = true;  // the next frame requests it again
    }
    bool wake = false;
    {
      const std::lock_guard lock(shared->mutex);
      const auto begun = shared->begun.find(next.key);
      if (failed || !shared->keep(std::move(built))) {
        shared->begun.erase(begun);
      } else {
        begun->second.ready = true;
        wake = shared->must_wake(begun->second);
      }
    }
    if (wake) shared->call_wake();
  }
}

}  // namespace kino
