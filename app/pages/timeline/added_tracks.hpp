// Tracks that a timeline has beside its trace's own: packed streams and counters; and how all of them are
// arranged and remembered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/pages/timeline/counter_sources.hpp"
#include "app/pages/timeline/track_memory.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// UI thread only; streams are packed and counters computed on the pool, once anyone wants to see them.
class AddedTracks {
 public:
  /// What a person asked to see and there was no memory for. It is off, until asked for again.
  enum class Refused : std::uint8_t { nothing, counters, packed_streams };

  AddedTracks(TimelineState& state, std::shared_ptr<const EventDetails> details, TimelineRenderer& renderer,
              WorkerPool& pool, std::function<void()> wake);

  /// Takes over what is there, and asks for what is wanted. Once a frame, before the state is placed.
  void update();
  void set_others(std::vector<CountersOfRun> others) { counters_.set_others(std::move(others)); }
  void add_result(std::shared_ptr<const CounterTracks> result) { counters_.add_result(std::move(result)); }
  void forget_results() { counters_.forget_results(); }
  bool complete() const { return !packing_.running() && !counters_.running(); }

  Refused refused() const { return refused_; }
  void forget_refused() { refused_ = Refused::nothing; }

  /// Arranges the tracks as `file` remembers it, and with `keeps` keeps it up to date from now on.
  void remember(const std::filesystem::path& file, bool keeps);
  /// The arrangement is another one.
  void note_change() { changed_ = true; }
  /// Writes what has changed; many tracks only when the document is `closing`.
  void keep(bool closing);
  /// Writes what has changed, if memory suffices for it.
  void close() noexcept;

 private:
  void recall();
  void take(const std::shared_ptr<const PackedStreams>* packed);
  void place_counters();
  void pack();
  /// There is no memory for what is wanted: it is not wanted any more.
  void refuse(Refused what);

  TimelineState& state_;
  std::shared_ptr<const EventDetails> details_;
  TimelineRenderer& renderer_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  CounterSources counters_;
  BackgroundResult<std::shared_ptr<const PackedStreams>> packing_;
  Refused refused_ = Refused::nothing;
  TrackMemory memory_{{}};
  bool changed_ = false;  // since it was kept
};

}  // namespace kino
