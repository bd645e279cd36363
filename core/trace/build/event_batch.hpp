// Output of one parse worker: plain records in the order they were read, with ids local to the batch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/string_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The type of a (pid, tid) pair. GPU work, its annotations and its waits share pid and tid in the file, but
/// need separate tracks on screen. On a common track they would be placed in extra lanes.
enum class TrackClass : std::uint8_t { cpu, gpu, gpu_annotation, gpu_sync, async, counter, gpu_counter };

/// Interns (class, pid, tid) as written in the file, without quotes. For async and counter tracks, `tid` is
/// the series. Amortized O(length); recently used pairs are not hashed.
class TrackTable {
 public:
  std::uint32_t intern(TrackClass track_class, std::string_view pid, std::string_view tid);
  std::uint32_t size() const { return keys_.size(); }

  struct Key {
    TrackClass track_class;
    std::string_view pid;
    std::string_view tid;
  };
  Key operator[](std::uint32_t id) const;

  /// See StringTable::reserve() and StringTable::drop_index().
  void reserve(std::uint32_t count) { keys_.reserve(count); }
  void drop_index();

 private:
  struct Recent {
    TrackClass track_class{};
    std::uint32_t id = StringTable::kAbsent;
    std::string pid;
    std::string tid;
  };

  StringTable keys_;  // class byte, pid, NUL, tid
  std::string scratch_;
  std::array<Recent, 32> recent_;
};

/// An X event, or a start event with the end that was found for it. 48 bytes.
struct SliceRecord {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t source_offset = 0;
  std::uint32_t name = 0;
  std::uint32_t track = 0;        ///< the builder stores the lane here once records are sorted by track
  std::uint32_t correlation = 0;  ///< 0: none; for operators, one more than the sequence number
  std::uint32_t external_id = 0;  ///< 0: none
  std::uint32_t facts = 0;        ///< 0: none, otherwise an id in EventBatch::facts
  std::uint16_t category = 0;
  std::uint16_t forward_thread = 0;  ///< for operators of the backward pass: Fwd thread id; otherwise 0
};

/// A B or E event, an async event, or an instant.
struct PointRecord {
  std::int64_t time_ns = 0;
  std::uint64_t source_offset = 0;
  std::uint64_t async_id = 0;  ///< async events: hash of scope, category and id; for S/T/p/F also of the name
  std::uint32_t name = 0;
  std::uint32_t track = 0;
  std::uint16_t category = 0;
  char phase = 'i';
};

/// One value of a counter series.
struct SampleRecord {
  std::int64_t time_ns = 0;
  double value = 0;
  std::uint64_t source_offset = 0;
  std::uint32_t track = 0;
};

/// Data of a `[memory]` instant.
struct MemoryRecord {
  std::int64_t time_ns = 0;
  std::uint64_t source_offset = 0;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total_bytes = -1;
  std::uint32_t device = 0;  ///< as in ArgumentColumns::memory_device
  std::uint32_t track = 0;
};

/// One M event that names, labels or sorts a process or thread.
struct MetadataRecord {
  enum class What : std::uint8_t {
    process_name,
    process_labels,
    process_sort_index,
    thread_name,
    thread_sort_index
  };
  What what{};
  std::string pid;
  std::string tid;
  std::string text;         ///< still escaped as in the file
  std::int64_t number = 0;  ///< sort indices
  std::uint64_t source_offset = 0;
};

/// The text range [begin, end).
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The records of one parse worker, and the texts of their ids. Owned by one thread at a time.
struct EventBatch {
  StringTable names;       ///< text still escaped as in the file
  StringTable categories;  ///< at most 65,535
  StringTable facts;       ///< see ArgumentColumns::texts; id 0 is empty
  TrackTable tracks;
  RecordList<SliceRecord> slices;
  RecordList<PointRecord> spans;  ///< B, E and async events, to be paired into slices
  RecordList<PointRecord> instants;
  RecordList<SampleRecord> samples;
  RecordList<MemoryRecord> memory;
  RecordList<FlowPoint> flows;  ///< track and category are ids of the batch
  std::vector<MetadataRecord> metadata;
  bool repaired = false;  ///< parsed again leniently; its records count even in discarded ranges
};

}  // namespace kino
