#include "core/job/recording.hpp"

#include <atomic>
#include <utility>

namespace kino {
namespace {

RecordingId next_recording_id() {
  static std::atomic<std::uint64_t> last = 0;
  return RecordingId{++last};
}

}  // namespace

Recording new_recording(std::shared_ptr<const Trace> trace) {
  return {next_recording_id(), std::move(trace)};
}

Recording new_recording(std::shared_ptr<const Snapshot> snapshot) {
  return {next_recording_id(), std::move(snapshot)};
}

Recording new_recording(std::shared_ptr<const RankDigest> digest) {
  return {next_recording_id(), std::move(digest)};
}

}  // namespace kino
