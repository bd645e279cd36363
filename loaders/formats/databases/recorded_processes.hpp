// Processes, threads and streams of a database, with the pids, tids and correlation ids that they get in the
// trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/formats/databases/indices_by_id.hpp"
#include "loaders/formats/json_import/import_writer.hpp"

namespace kino {

/// Returns the process of a global id of Nsight. From the highest bit on, the id contains: hardware (8 bits),
/// virtual machine (8), pid (24), tid (24). All but the tid identify the process.
constexpr std::uint64_t process_key(std::uint64_t global_id) { return global_id >> 24U; }
constexpr std::uint64_t pid_of(std::uint64_t global_id) { return process_key(global_id) & 0xffffffU; }

/// Assigns indices, pids and tids. Returned references remain valid; the views of stream_place() are valid
/// until the next call of stream().
class RecordedProcesses {
 public:
  struct Thread {
    std::uint32_t process = 0;
    std::string pid;  ///< as JSON
    std::string tid;  ///< as JSON
    std::uint64_t global_id = 0;
  };

  const Thread& thread(std::uint64_t global_id);
  bool knows_thread(std::uint64_t global_id) const { return threads_.contains(global_id); }
  /// Returns the index of a process, in order of first appearance.
  std::uint32_t process(std::uint64_t global_id);
  /// Returns the index of the first process, which usually is the only one. Adds a process if there is none.
  std::uint32_t only_process();
  const std::string& pid(std::uint32_t process) const { return processes_[process].pid; }
  /// Returns the tid, as JSON, of an additional track of a thread, for slices that may not nest with the
  /// thread's slices. There is one such track per thread and `title`.
  const std::string& side_track(const Thread& thread, std::string_view title);

  /// Returns the index of a stream of a device in a process.
  std::uint32_t stream(std::uint32_t process, std::int64_t device, std::int64_t stream);
  /// Returns the place of a stream. The pid is the device. The tid is the stream, followed by the process if
  /// another process used the device before.
  EventPlace stream_place(std::uint32_t stream) const { return {streams_[stream].pid, streams_[stream].tid}; }

  /// Returns the trace's correlation id for the id `correlation` of a process: unchanged for ids of the first
  /// process below 2^31. Returns 0 if `correlation` is not a positive 32-bit number, or if there are too many
  /// ids.
  std::uint32_t correlation(std::uint32_t process, std::int64_t correlation);

  /// Writes the names, which must be escaped: threads by global id, processes by process_key(). Threads and
  /// processes with no events are left out.
  void write_names(ImportWriter& out, const std::map<std::uint64_t, std::string>& threads,
                   const std::map<std::uint64_t, std::string>& processes) const;

 private:
  struct Process {
    std::uint64_t key = 0;
    std::string pid;
  };
  struct Stream {
    std::string pid;
    std::string tid;
  };
  struct SideTrack {
    std::string tid;
    std::string title;
    const Thread* thread = nullptr;
  };

  std::deque<Process> processes_;
  std::unordered_map<std::uint64_t, std::uint32_t> process_numbers_;
  const std::pair<const std::uint64_t, std::uint32_t>* last_process_ = nullptr;  // used last
  std::unordered_map<std::uint64_t, Thread> threads_;
  const Thread* last_thread_ = nullptr;
  std::map<std::pair<std::uint64_t, std::string>, SideTrack, std::less<>> side_tracks_;
  using StreamKey = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;  // process, device, stream

  std::vector<Stream> streams_;
  std::map<StreamKey, std::uint32_t> stream_numbers_;
  const std::pair<const StreamKey, std::uint32_t>* last_stream_ = nullptr;  // used last
  std::map<std::int64_t, std::uint32_t> first_on_device_;
  IndicesById correlations_;  // ids that are replaced
  std::uint32_t correlation_count_ = 0;
};

}  // namespace kino
