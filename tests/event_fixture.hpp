// Builds a Trace from events written down by hand, for tests: slices nest into lanes, launches and flows are
// resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace_builder.hpp"

namespace kino {

/// Every event stands 100 bytes behind the one before. Times become relative to the earliest one.
class EventFixture {
 public:
  EventFixture& slice(TrackClass track_class, const char* category, const std::string& name,
                      std::int64_t start_ns, std::int64_t duration_ns, const std::string& tid,
                      std::uint32_t correlation = 0) {
    SliceRecord record;
    record.start_ns = start_ns;
    record.duration_ns = duration_ns;
    record.source_offset = next_offset();
    record.name = batch_.names.intern(name);
    record.category = static_cast<std::uint16_t>(batch_.categories.intern(category));
    record.track = batch_.tracks.intern(track_class, pid_of(track_class), tid);
    record.correlation = correlation;
    batch_.slices.push_back(record);
    return *this;
  }
  EventFixture& op(const std::string& name, std::int64_t start_ns, std::int64_t duration_ns,
                   const std::string& tid = "1") {
    return slice(TrackClass::cpu, "cpu_op", name, start_ns, duration_ns, tid);
  }
  EventFixture& launch(std::int64_t start_ns, std::int64_t duration_ns, std::uint32_t correlation,
                       const std::string& tid = "1") {
    return slice(TrackClass::cpu, "cuda_runtime", "cudaLaunchKernel", start_ns, duration_ns, tid,
                 correlation);
  }
  EventFixture& kernel(const std::string& name, std::int64_t start_ns, std::int64_t duration_ns,
                       std::uint32_t correlation = 0, const std::string& stream = "7") {
    return slice(TrackClass::gpu, "kernel", name, start_ns, duration_ns, stream, correlation);
  }
  /// The Sequence number of the operator added last, and its Fwd thread id if the backward pass calls it.
  EventFixture& numbered(std::uint32_t sequence, std::uint16_t forward_thread = 0) {
    last_slice().correlation = sequence + 1;
    last_slice().forward_thread = forward_thread;
    return *this;
  }
  /// What the arguments of the slice added last tell: see ArgumentColumns::texts.
  EventFixture& told(const std::vector<std::pair<char, std::string>>& facts) {
    std::string text;
    for (const auto& [fact, value] : facts) text += fact + value + '\0';
    if (batch_.facts.size() == 0) batch_.facts.intern("");
    last_slice().facts = batch_.facts.intern(text);
    return *this;
  }
  EventFixture& external(std::uint32_t id) {
    last_slice().external_id = id;
    return *this;
  }
  EventFixture& memory(std::int64_t time_ns, std::int64_t bytes, std::uint64_t address,
                       const std::string& tid = "1") {
    MemoryRecord record;
    record.time_ns = time_ns;
    record.source_offset = next_offset();
    record.bytes = bytes;
    record.address = address;
    record.device = ArgumentColumns::kMemoryHost;
    record.track = batch_.tracks.intern(TrackClass::cpu, "100", tid);
    batch_.memory.push_back(record);
    return *this;
  }
  EventFixture& flow(char phase, std::uint64_t id, std::int64_t time_ns, const std::string& tid = "1",
                     const char* category = "fwdbwd", bool binds_enclosing = true) {
    return flow_at("100", phase, id, time_ns, tid, category, binds_enclosing);
  }
  EventFixture& gpu_flow(char phase, std::uint64_t id, std::int64_t time_ns, const std::string& stream,
                         const char* category) {
    return flow_at("0", phase, id, time_ns, stream, category, true);
  }

  /// Leaves the fixture empty.
  std::shared_ptr<const Trace> build() {
    BuildInput input;
    input.batches.push_back(std::exchange(batch_, {}));
    input.threads = 2;
    auto built = build_trace(std::move(input), {});
    REQUIRE(built.ok());
    return *built;
  }

 private:
  SliceRecord& last_slice() { return batch_.slices.blocks().back().span().back(); }

  EventFixture& flow_at(const char* pid, char phase, std::uint64_t id, std::int64_t time_ns,
                        const std::string& tid, const char* category, bool binds_enclosing) {
    FlowPoint point;
    point.time_ns = time_ns;
    point.id = id;
    point.source_offset = next_offset();
    point.track = TrackId{batch_.tracks.intern(TrackClass::cpu, pid, tid)};
    point.category = CategoryId{static_cast<std::uint16_t>(batch_.categories.intern(category))};
    point.phase = phase;
    point.binds_enclosing = binds_enclosing;
    batch_.flows.push_back(point);
    return *this;
  }

  std::uint64_t next_offset() { return offset_ += 100; }
  static const char* pid_of(TrackClass track_class) { return track_class == TrackClass::cpu ? "100" : "0"; }

  EventBatch batch_;
  std::uint64_t offset_ = 0;
};

/// The `nth` slice of that name in order of id; kNoSlice when there are fewer.
inline SliceId slice_named(const Trace& trace, std::string_view name, int nth = 0) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name && nth-- == 0) return SliceId{i};
  }
  return kNoSlice;
}

}  // namespace kino
