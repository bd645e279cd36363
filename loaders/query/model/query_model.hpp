// View of a trace or snapshot for queries: its columns and, in addition, events as rows, threads, and nesting
// as in Perfetto.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Row of the table `slice`: the index of a slice, or slice_count() + the index of an instant.
using EventNumber = std::uint32_t;
inline constexpr EventNumber kNoEvent = 0xffffffffU;

/// A thread, identified by (pid, tid) in the file. A stream is one thread with its annotations and waits, as
/// in Perfetto.
struct QueryThread {
  std::string_view tid;  ///< as written
  std::string name;
  std::uint32_t process = 0;     ///< index into QueryModel::processes()
  std::vector<TrackId> sources;  ///< the thread's tracks in the trace
};

struct QueryProcess {
  std::string_view pid;  ///< as written
  std::string title;
};

/// A track in SQL: a thread, a further lane of a thread for crossing slices, or an async track.
struct QueryTrack {
  std::uint32_t thread = 0;  ///< kNoThread for async tracks
  std::uint32_t process = 0;
  TrackId source{};           ///< first of the trace's tracks that are joined here
  std::uint32_t further = 0;  ///< index of the further lane; 0: the first lane
  static constexpr std::uint32_t kNoThread = 0xffffffffU;
};

/// Keys to sort events by.
enum class EventKey : std::uint8_t { none, name, category, name_id, track, depth, kind };
struct EventOrder {
  EventKey key = EventKey::none;
  bool descending = false;
  bool operator==(const EventOrder&) const = default;
};

/// Nesting of events. An event that crosses an open one is in a further lane, where nesting starts again.
struct Nesting {
  Column<std::uint32_t> track;  ///< index of the QueryTrack, by event
  Column<std::uint32_t> depth;
  Column<EventNumber> parent;
  std::vector<QueryTrack> tracks;
};

/// A trace or snapshot prepared for queries. Thread-safe: derived data is computed once, on first use.
class QueryModel {
 public:
  /// `file` is the recording's name. If `details` is null, events have no arguments. `rank` is used if the
  /// trace contains none; -1: unknown.
  QueryModel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
             std::string file, std::int64_t rank = -1);

  /// Creates the model of an allocator snapshot, which has no events.
  QueryModel(std::shared_ptr<const Snapshot> snapshot, std::string file, std::int64_t rank = -1);

  const Trace& trace() const { return *trace_; }
  /// Null for a trace.
  const Snapshot* snapshot() const { return snapshot_.get(); }
  const EventDetails* details() const { return details_.get(); }
  const DamageLog& damage() const;
  const std::string& file() const { return file_; }
  /// Returns the rank in the job; -1: unknown.
  std::int64_t rank() const { return trace_->job.rank >= 0 ? trace_->job.rank : rank_; }

  std::int64_t unix_ns(std::int64_t ns) const { return saturating_add(ns, trace_->origin_unix_ns); }
  EventNumber event_count() const { return slice_count_ + instant_count_; }
  EventNumber slice_count() const { return slice_count_; }
  bool is_slice(EventNumber event) const { return event < slice_count_; }
  std::int64_t start_ns(EventNumber event) const {
    return is_slice(event) ? trace_->slices.start_ns[event] : trace_->instants.time_ns[event - slice_count_];
  }
  std::int64_t duration_ns(EventNumber event) const {
    return is_slice(event) ? trace_->slices.duration_ns[event] : 0;
  }
  std::int64_t end_ns(EventNumber event) const { return start_ns(event) + duration_ns(event); }
  NameId name(EventNumber event) const {
    return is_slice(event) ? trace_->slices.name[event] : trace_->instants.name[event - slice_count_];
  }
  CategoryId category(EventNumber event) const {
    return is_slice(event) ? trace_->slices.category[event] : trace_->instants.category[event - slice_count_];
  }
  std::uint64_t source_offset(EventNumber event) const {
    return is_slice(event) ? trace_->slices.source_offset[event]
                           : trace_->instants.source_offset[event - slice_count_];
  }
  EventRef event_ref(EventNumber event) const {
    EventRef ref;
    if (is_slice(event)) {
      ref.slice = SliceId{event};
    } else {
      ref.instant = event - slice_count_;
    }
    return ref;
  }
  std::string_view name_text(EventNumber event) const { return trace_->name_text(name(event)); }
  /// Returns the event's category; empty if it has none.
  std::string_view category_text(EventNumber event) const { return trace_->category_text(category(event)); }
  /// Returns whether the event is GPU work (or a wait) whose link is its launch.
  bool is_launched(EventNumber event) const {
    return is_slice(event) && trace_->slices.link[event] != kNoSlice &&
           gpu_category_[index_of(trace_->slices.category[event])];
  }

  /// Returns the range of slices, instants and counters, relative to the trace's origin; [0, 0) if there are
  /// none.
  TimeRange bounds() const { return bounds_; }
  const std::vector<QueryProcess>& processes() const { return processes_; }
  const std::vector<QueryThread>& threads() const { return threads_; }
  /// Returns the thread of a track; QueryTrack::kNoThread for async tracks and counters.
  std::uint32_t thread_of(TrackId track) const { return thread_of_[index_of(track)]; }
  std::uint32_t process_of(TrackId track) const { return process_of_[index_of(track)]; }
  /// Returns the counters in the file, excluding those that the loader derives from [memory] events.
  const std::vector<TrackId>& counters() const { return counters_; }

  /// Returns whether a flow is in the file. Other flows are derived from sequence numbers.
  bool is_file_flow(std::uint32_t arrow) const {
    return trace_->flows.category[arrow] != derived_category_ || !has_derived_;
  }

  /// Returns the nesting; null if stopped. O(n), or O(n log n) for tracks that need sorting.
  const Nesting* nesting(const std::stop_token& stop) const;
  /// Returns durations minus those of the children; null if stopped. O(n).
  const Column<std::int64_t>* self_ns(const std::stop_token& stop) const;
  /// Returns all events sorted by the keys, of which the first is the most significant. Texts are sorted
  /// alphabetically, an absent text first. Null if stopped, or if there is no key. O(n) for each key. An
  /// order takes 4 bytes per event; the last kCachedOrders orders are cached.
  std::shared_ptr<const Column<EventNumber>> ordered(std::span<const EventOrder> keys,
                                                     const std::stop_token& stop) const;
  static constexpr std::size_t kCachedOrders = 6;
  /// Returns all events sorted by position in the file; null if stopped. O(n log n).
  const Column<EventNumber>* by_place(const std::stop_token& stop) const;

  /// Returns data that tables derive from the model: one T per model, which make() creates on first use and
  /// the model stores. Null if stopped.
  template <class T, class Make>
  const T* kept(const std::stop_token& stop, Make&& make) const {
    const std::lock_guard lock(kept_mutex_);
    std::shared_ptr<const void>& place = kept_[std::type_index(typeid(T))];
    if (place == nullptr) {
      auto made = std::make_shared<const T>(make());
      if (stop.stop_requested()) return nullptr;
      place = std::move(made);
    }
    return static_cast<const T*>(place.get());
  }

 private:
  template <class T>
  struct Part {
    std::mutex mutex;
    std::unique_ptr<const T> value;  // guarded by mutex; constant once set
    template <class Compute>
    const T* get(const std::stop_token& stop, Compute&& compute) {
      const std::lock_guard lock(mutex);
      if (value == nullptr) {
        auto made = std::make_unique<const T>(compute());
        if (stop.stop_requested()) return nullptr;
        value = std::move(made);
      }
      return value.get();
    }
  };

  void find_threads();
  void find_bounds();

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const EventDetails> details_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::string file_;
  std::int64_t rank_;
  EventNumber slice_count_;
  EventNumber instant_count_;
  std::vector<bool> gpu_category_;
  CategoryId derived_category_{};
  bool has_derived_ = false;
  TimeRange bounds_;
  std::vector<QueryProcess> processes_;
  std::vector<QueryThread> threads_;
  std::vector<std::uint32_t> thread_of_;
  std::vector<std::uint32_t> process_of_;
  std::vector<TrackId> counters_;
  mutable std::recursive_mutex kept_mutex_;  // recursive: make() of kept() may call kept()
  mutable std::map<std::type_index, std::shared_ptr<const void>> kept_;  // guarded by kept_mutex_
  mutable Part<Nesting> nesting_;
  mutable Part<Column<std::int64_t>> self_;
  struct Order {
    std::vector<EventOrder> keys;
    std::shared_ptr<const Column<EventNumber>> events;
  };
  mutable std::mutex orders_mutex_;
  mutable std::vector<Order> orders_;  // guarded by orders_mutex_; most recently used last
  mutable Part<Column<EventNumber>> by_place_;
};

}  // namespace kino
