// A job: the recordings of one run that are looked at as one.
#pragma once

#include <algorithm>
#include <vector>

#include "core/job/recording.hpp"

namespace kino {

struct Job {
  std::vector<Recording> recordings;

  /// Whether the recording is one of these, as it is now. O(recordings).
  bool holds(RecordingId id) const {
    return std::ranges::any_of(recordings, [id](const Recording& it) { return it.id == id; });
  }
};

}  // namespace kino
