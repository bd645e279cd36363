// Which tracks of XLA's profilers are devices, and what runs there.
#include "core/build/xla_devices.hpp"

#include <doctest/doctest.h>

#include "core/build/trace_builder.hpp"
#include "core/build/track_order.hpp"

namespace {

using kino::MetadataRecord;
using kino::SliceKind;
using kino::TrackClass;

MetadataRecord named(MetadataRecord::What what, const char* pid, const char* tid, const char* text) {
  MetadataRecord record;
  record.what = what;
  record.pid = pid;
  record.tid = tid;
  record.text = text;
  return record;
}

std::vector<MetadataRecord> tpu_and_gpu() {
  using What = MetadataRecord::What;
  return {named(What::process_name, "3", "", "/device:TPU:0"),
          named(What::thread_name, "3", "2", "XLA Modules"),
          named(What::thread_name, "3", "3", "XLA Ops"),
          named(What::process_name, "5", "", "/device:GPU:1"),
          named(What::thread_name, "5", "3", "XLA Ops"),
          named(What::thread_name, "5", "9", "Stream #9(Compute)"),
          named(What::process_name, "701", "", "/host:CPU"),
          named(What::thread_name, "701", "3", "XLA Ops")};
}

}  // namespace

TEST_CASE("lines of an XLA device are its work or stand around it; of a GPU only streams are work") {
  const kino::XlaDevices devices(tpu_and_gpu());
  CHECK(devices.class_of(TrackClass::cpu, "3", "3") == TrackClass::gpu);
  CHECK(devices.class_of(TrackClass::cpu, "3", "2") == TrackClass::gpu_annotation);
  CHECK(devices.class_of(TrackClass::cpu, "5", "9") == TrackClass::gpu);
  CHECK(devices.class_of(TrackClass::cpu, "5", "3") == TrackClass::gpu_annotation);
  CHECK(devices.class_of(TrackClass::cpu, "701", "3") == TrackClass::cpu);
  CHECK(devices.class_of(TrackClass::counter, "3", "3") == TrackClass::counter);
  CHECK(kino::xla_device_title("/device:TPU:0") == "TPU 0");
  CHECK(kino::xla_device_title("/device:CPU:0").empty());
  CHECK(kino::xla_device_title("/host:CPU").empty());
}

TEST_CASE("HLO names tell what an operation does") {
  CHECK(kino::xla_kind("fusion.12") == SliceKind::compute);
  CHECK(kino::xla_kind("%all-reduce-start.1") == SliceKind::communication);
  CHECK(kino::xla_kind("collective-permute.3") == SliceKind::communication);
  CHECK(kino::xla_kind("copy-start.8") == SliceKind::copy);
  CHECK(kino::xla_kind("while.2") == SliceKind::gpu_annotation);
  CHECK(kino::xla_kind("ncclDevKernel_AllReduce_Sum") == SliceKind::communication);
}

TEST_CASE("XLA's collectives are called without their numbers") {
  CHECK(kino::collective_of("all-reduce.67") == "all-reduce");
  CHECK(kino::collective_of("all-gather") == "all-gather");
  CHECK(kino::collective_of("allreduce_v2") == "allreduce_v2");
}

TEST_CASE("the work of an XLA device is GPU work of the trace") {
  kino::BuildInput input;
  kino::EventBatch batch;
  batch.categories.intern("");
  const auto add = [&](const char* pid, const char* tid, const char* name, std::int64_t start) {
    kino::SliceRecord record;
    record.start_ns = start;
    record.duration_ns = 10;
    record.source_offset = static_cast<std::uint64_t>(start) * 100;
    record.name = batch.names.intern(name);
    record.track = batch.tracks.intern(TrackClass::cpu, pid, tid);
    batch.slices.push_back(record);
  };
  add("3", "3", "fusion.1", 0);
  add("3", "2", "jit_step(1)", 0);
  add("701", "3", "python", 0);
  batch.metadata = tpu_and_gpu();
  input.batches.push_back(std::move(batch));
  input.threads = 1;
  const auto built = kino::build_trace(std::move(input), {});
  REQUIRE(built.ok());
  const kino::Trace& trace = *built.value();
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.processes[0].gpu);
  CHECK(trace.processes[0].title == "TPU 0");
  REQUIRE(trace.tracks.size() == 3);
  for (const kino::Track& track : trace.tracks) {
    const auto kind = trace.slices.kind[trace.rows[track.first_row].first_slice];
    CAPTURE(track.name);
    if (track.name == "XLA Ops" && track.kind == kino::TrackKind::gpu_stream)
      CHECK(kind == SliceKind::compute);
    if (track.name == "XLA Modules") CHECK(track.kind == kino::TrackKind::gpu_annotation);
    if (track.process == 1) CHECK(kind == SliceKind::other);
  }
}
