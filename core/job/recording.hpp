// Recordings of one process or GPU: a trace, an allocator snapshot, or a digest of a trace. A job consists of
// the recordings of one run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/rank_memory.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Identity of a recording; never reused while the program runs. A file that is read again is another
/// recording, whose slices can have other ids.
enum class RecordingId : std::uint64_t {};
inline constexpr RecordingId kNoRecording{0};

struct Recording {
  RecordingId id = kNoRecording;
  std::variant<std::shared_ptr<const Trace>, std::shared_ptr<const Snapshot>,
               std::shared_ptr<const RankDigest>>
      content;

  // Return null if the content has another type.
  std::shared_ptr<const Trace> trace() const { return content_as<Trace>(); }
  std::shared_ptr<const Snapshot> snapshot() const { return content_as<Snapshot>(); }
  std::shared_ptr<const RankDigest> digest() const { return content_as<RankDigest>(); }

 private:
  template <class T>
  std::shared_ptr<const T> content_as() const {
    const auto* const pointer = std::get_if<std::shared_ptr<const T>>(&content);
    return pointer != nullptr ? *pointer : nullptr;
  }
};

/// Returns a recording with a new id. Thread-safe.
Recording new_recording(std::shared_ptr<const Trace> trace);
Recording new_recording(std::shared_ptr<const Snapshot> snapshot);
Recording new_recording(std::shared_ptr<const RankDigest> digest);

/// A slice of one of several traces.
struct SliceRef {
  RecordingId recording = kNoRecording;
  SliceId slice = kNoSlice;
  bool operator==(const SliceRef&) const = default;
};

struct Job {
  std::vector<Recording> recordings;
  /// Memory by rank of the job, from allocator snapshots.
  std::map<std::int64_t, std::shared_ptr<const RankSnapshot>> snapshots = {};
  /// Ranks for which another recording of the same time fits this job as well, ascending.
  std::vector<std::int64_t> doubled = {};
  /// Disambiguated names of the recordings' files, by index of `recordings`; empty if unknown.
  std::vector<std::string> names = {};

  /// Returns whether the job contains the recording with this id. O(recordings).
  bool holds(RecordingId id) const {
    return std::ranges::any_of(recordings, [id](const Recording& recording) { return recording.id == id; });
  }
};

}  // namespace kino
