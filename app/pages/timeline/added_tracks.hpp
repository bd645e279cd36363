// Packed streams and counters that a timeline adds to the trace's tracks, and the saved arrangement of all
// tracks.
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

/// The added tracks of a timeline. Streams are packed and counters are computed on the pool, when they are
/// first shown.
class AddedTracks {
 public:
  /// Requested tracks that did not fit into memory. They are off until the user requests them again.
  enum class TracksOutOfMemory : std::uint8_t { nothing, counters, packed_streams };

  AddedTracks(TimelineState& state, std::shared_ptr<const EventDetails> details, TimelineRenderer& renderer,
              WorkerPool& pool, std::function<void()> wake);

  /// Takes finished results and starts requested work, unless a popup is open or the left button is held.
  /// Call once per frame, before the state is placed.
  void update();
  void set_others(std::vector<CountersOfRun> others) { counters_.set_others(std::move(others)); }
  void add_result(std::shared_ptr<const CounterTracks> result) { counters_.add_result(std::move(result)); }
  void forget_results() { counters_.forget_results(); }
  bool complete() const { return !packing_.running() && !counters_.running(); }

  TracksOutOfMemory refused() const { return refused_; }
  void reset_refused() { refused_ = TracksOutOfMemory::nothing; }

  /// Arranges the tracks as stored in `file`. If `keeps`, saves later changes to this file.
  void remember(const std::filesystem::path& file, bool keeps);
  void note_change() { changed_ = true; }
  /// Saves the arrangement if it has changed and no work is running. An arrangement of more than 2000 tracks
  /// is saved only if the document is `closing`.
  void keep(bool closing);
  /// Saves the arrangement if it has changed or could not be saved before, and no work is running. Reports a
  /// failure in the log.
  void close() noexcept;

 private:
  void recall();
  void take(const std::shared_ptr<const PackedStreams>* packed);
  void place_counters();
  void pack();
  /// Switches the tracks off because they do not fit into memory.
  void refuse(TracksOutOfMemory what);

  TimelineState& state_;
  std::shared_ptr<const EventDetails> details_;
  TimelineRenderer& renderer_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  CounterSources counters_;
  BackgroundResult<std::shared_ptr<const PackedStreams>> packing_;
  TracksOutOfMemory refused_ = TracksOutOfMemory::nothing;
  ArrangementFile memory_{{}};
  bool changed_ = false;  // whether the arrangement changed since the last attempt to save it
  bool failed_ = false;   // whether the last attempt failed
};

}  // namespace kino
