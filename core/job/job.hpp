// A job: the recordings of one run that are looked at as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/job/rank_memory.hpp"
#include "core/job/recording.hpp"

namespace kino {

struct Job {
  std::vector<Recording> recordings;
  /// Memory by rank of the job, from allocator snapshots.
  std::map<std::int64_t, std::shared_ptr<const RankSnapshot>> snapshots = {};
  /// Ranks, ascending, with another recording of the same time that fits this job as well.
  std::vector<std::int64_t> doubled = {};
  /// Different names of the recordings' files, by index of `recordings`; empty if unknown.
  std::vector<std::string> names = {};

  /// Whether the recording is one of these, as it is now. O(recordings).
  bool holds(RecordingId id) const {
    return std::ranges::any_of(recordings, [id](const Recording& it) { return it.id == id; });
  }
};

}  // namespace kino
