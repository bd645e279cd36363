// What queries see of one trace, or snapshot, beyond its columns: events as rows, threads, and how slices
// nest as Perfetto nests them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

/// A row of `slice`: the number of a slice, or slice_count() and the number of an instant.
using EventNumber = std::uint32_t;
inline constexpr EventNumber kNoEvent = 0xffffffffU;

/// One (pid, tid) of the file; streams, their annotations and waits are one, as in Perfetto.
struct QueryThread {
  std::string_view tid;  ///< as written
  std::string name;
  std::uint32_t process = 0;     ///< among QueryModel::processes()
  std::vector<TrackId> sources;  ///< tracks of the trace
};

struct QueryProcess {
  std::string_view pid;  ///< as written
  std::string title;
};

/// A track of SQL: a thread, a further lane of one for what crosses its slices, or an async track.
struct QueryTrack {
  std::uint32_t thread = 0;  ///< of async tracks: none, kNoThread
  std::uint32_t process = 0;
  TrackId source{};           ///< the first of its tracks in the trace
  std::uint32_t further = 0;  ///< lane behind the first
  static constexpr std::uint32_t kNoThread = 0xffffffffU;
};

/// What all events may be ordered by.
enum class EventKey : std::uint8_t { none, name, category, name_id, track, depth, kind };
struct EventOrder {
  EventKey key = EventKey::none;
  bool descending = false;
  bool operator==(const EventOrder&) const = default;
};

/// How events nest. An event crosses an open one: it goes to a further lane, where nesting starts anew.
struct Nesting {
  Column<std::uint32_t> track;  ///< by event: number of the QueryTrack
  Column<std::uint32_t> depth;
  Column<EventNumber> parent;
  std::vector<QueryTrack> tracks;
};

/// Thread-safe: what is derived is made once, by whoever asks first.
class QueryModel {
 public:
  /// `file` is what the recording is called. `details` may be null: then there are no arguments. `rank` is of
  /// the file where the trace tells none; -1: neither does.
  QueryModel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
             std::string file, std::int64_t rank = -1);

  /// Of an allocator snapshot: without events.
  QueryModel(std::shared_ptr<const Snapshot> snapshot, std::string file, std::int64_t rank = -1);

  const Trace& trace() const { return *trace_; }
  /// Null when it is a trace.
  const Snapshot* snapshot() const { return snapshot_.get(); }
  const EventDetails* details() const { return details_.get(); }
  const DamageLog& damage() const;
  const std::string& file() const { return file_; }
  /// Of its job; -1: unknown.
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
  /// Empty when the event has none.
  std::string_view category_text(EventNumber event) const { return trace_->category_text(category(event)); }
  /// A launched piece of GPU work (or a wait), whose link is its launch.
  bool is_launched(EventNumber event) const {
    return is_slice(event) && trace_->slices.link[event] != kNoSlice &&
           gpu_category_[index_of(trace_->slices.category[event])];
  }

  /// Of slices, instants and counters, since the trace's origin; [0, 0) when there is none.
  TimeRange bounds() const { return bounds_; }
  const std::vector<QueryProcess>& processes() const { return processes_; }
  const std::vector<QueryThread>& threads() const { return threads_; }
  /// By TrackId: the thread, or QueryTrack::kNoThread of async tracks and counters.
  std::uint32_t thread_of(TrackId track) const { return thread_of_[index_of(track)]; }
  /// By TrackId.
  std::uint32_t process_of(TrackId track) const { return process_of_[index_of(track)]; }
  /// Counters of the file, without those that the loader derives from [memory] events.
  const std::vector<TrackId>& counters() const { return counters_; }

  /// Arrows of FlowLinks that the file has, [0, n): those that are derived from sequence numbers stand apart.
  bool arrow_of_file(std::uint32_t arrow) const {
    return trace_->flows.category[arrow] != derived_category_ || !has_derived_;
  }

  /// Null when stopped. O(n log n) on tracks that need it, else O(n).
  const Nesting* nesting(const std::stop_token& stop) const;
  /// Duration less that of the children. Null when stopped. O(n).
  const Column<std::int64_t>* self_ns(const std::stop_token& stop) const;
  /// All events ordered by the first of the keys, then by the next; those of texts in the order of the texts,
  /// none before the others. Null when stopped. O(n) a key; 4 bytes an event, of the kOrdersKept that were
  /// asked for last.
  std::shared_ptr<const Column<EventNumber>> ordered(std::span<const EventOrder> keys,
                                                     const std::stop_token& stop) const;
  static constexpr std::size_t kOrdersKept = 6;
  /// All events in order of their place in the file. Null when stopped. O(n log n).
  const Column<EventNumber>* by_place(const std::stop_token& stop) const;

  /// What tables derive from the model, kept with it: one T a model, made by make() of whoever asks first.
  /// Null when stopped.
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
    std::unique_ptr<const T> value;  // guarded by mutex; constant once it is there
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
  mutable std::recursive_mutex kept_mutex_;  // what is kept may be made of what is kept
  mutable std::map<std::type_index, std::shared_ptr<const void>> kept_;  // guarded by kept_mutex_
  mutable Part<Nesting> nesting_;
  mutable Part<Column<std::int64_t>> self_;
  struct Order {
    std::vector<EventOrder> keys;
    std::shared_ptr<const Column<EventNumber>> events;
  };
  mutable std::mutex orders_mutex_;
  mutable std::vector<Order> orders_;  // guarded by orders_mutex_; the last asked for in the end
  mutable Part<Column<EventNumber>> by_place_;
};

}  // namespace kino
