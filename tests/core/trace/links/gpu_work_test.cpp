// Covers: gpu_work
// Names of streams: equal to those of other tables of the device, and unique within it.
#include "core/trace/links/gpu_work.hpp"

#include <cstdint>

#include <doctest/doctest.h>

namespace {

void add_stream(kino::Trace& trace, std::uint32_t process, const char* name, const char* tid) {
  kino::Track& track = trace.tracks.emplace_back();
  track.kind = kino::TrackKind::gpu_stream;
  track.name = name;
  track.tid = tid;
  track.process = process;
}

}  // namespace

TEST_CASE("with several devices a stream is named after its device, not after its process number") {
  kino::Trace trace;
  trace.processes.resize(2);
  trace.processes[0] = {"3", "TPU 0", true, false, 0, 1};
  trace.processes[1] = {"0", "GPU 0 \xC2\xB7 NVIDIA H100", true, false, 1, 1};
  add_stream(trace, 0, "XLA Ops", "3");
  add_stream(trace, 1, "stream 7", "stream 7");
  CHECK(kino::stream_name(trace, kino::TrackId{0}) == "TPU 0 stream 3");
  CHECK(kino::stream_name(trace, kino::TrackId{1}) == "GPU 0 stream 7");
}

TEST_CASE("two tracks of a device with equal numbers are named by their track names") {
  kino::Trace trace;
  trace.processes.resize(1);
  trace.processes[0] = {"8", "GPU 2", true, false, 0, 3};
  add_stream(trace, 0, "stream 1", "1");
  add_stream(trace, 0, "kernels of thread 1", "1");
  add_stream(trace, 0, "stream 2", "2");
  CHECK(kino::stream_name(trace, kino::TrackId{0}) == "stream 1");
  CHECK(kino::stream_name(trace, kino::TrackId{1}) == "kernels of thread 1");
  CHECK(kino::stream_name(trace, kino::TrackId{2}) == "2");
}
