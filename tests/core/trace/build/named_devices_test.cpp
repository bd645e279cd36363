// Covers: named_devices, track_order
// Device tracks of recorders without categories, and the kinds of their slices.
#include "core/trace/build/named_devices.hpp"

#include <doctest/doctest.h>

#include "core/trace/build/trace_builder.hpp"
#include "core/trace/build/track_order.hpp"

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

TEST_CASE("lines of an XLA device are its work or enclose it; for GPUs only streams are work") {
  const kino::NamedDevices devices(tpu_and_gpu());
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

TEST_CASE("HLO names determine the kinds of operations") {
  CHECK(kino::xla_kind("fusion.12") == SliceKind::compute);
  CHECK(kino::xla_kind("%all-reduce-start.1") == SliceKind::communication);
  CHECK(kino::xla_kind("collective-permute.3") == SliceKind::communication);
  CHECK(kino::xla_kind("copy-start.8") == SliceKind::copy);
  CHECK(kino::xla_kind("while.2") == SliceKind::gpu_annotation);
  CHECK(kino::xla_kind("ncclDevKernel_AllReduce_Sum") == SliceKind::communication);
}

TEST_CASE("the processes of an Ascend device are joined by the bits of their pids") {
  using What = MetadataRecord::What;
  using Content = kino::NamedDevices::Content;
  // Two devices of process 1000: pid << 10 | layer << 5 | device.
  const kino::NamedDevices devices({named(What::process_name, "1024416", "", "Ascend Hardware"),
                                    named(What::process_name, "1024417", "", "Ascend Hardware"),
                                    named(What::process_name, "1024480", "", "HCCL"),
                                    named(What::process_name, "1024481", "", "Communication"),
                                    named(What::thread_name, "1024481", "0", "Group 0 Communication"),
                                    named(What::thread_name, "1024481", "1", "Plane 0"),
                                    named(What::process_name, "1024672", "", "Overlap Analysis")});
  CHECK(devices.title("1024417") == "NPU 1");
  CHECK(devices.device_pid("1024481") == "1024417");
  CHECK(devices.device_pid("1024480") == "1024416");
  CHECK(devices.content("1024416", "7") == Content::ascend_tasks);
  CHECK(devices.content("1024417", "7") == Content::ascend_apart);  // its collectives have a thread
  CHECK(devices.class_of(TrackClass::cpu, "1024417", "7") == TrackClass::gpu);
  CHECK(devices.content("1024481", "0") == Content::ascend_collectives);
  CHECK(devices.class_of(TrackClass::cpu, "1024481", "1") == TrackClass::gpu_annotation);
  CHECK(devices.content("1024672", "0") == Content::none);
  CHECK(devices.device_pid("1024672") == "1024672");
}

TEST_CASE("a process named Communication is not a device without Ascend hardware") {
  const kino::NamedDevices devices(
      {named(MetadataRecord::What::process_name, "7", "", "Communication"),
       named(MetadataRecord::What::thread_name, "7", "0", "Group 0 Communication")});
  CHECK(devices.empty());
}

TEST_CASE("names of tasks determine the kinds of slices on an Ascend stream") {
  CHECK(kino::ascend_kind("aclnnAdd_AddAiCore_Add") == SliceKind::compute);
  CHECK(kino::ascend_kind("Conv2D12") == SliceKind::compute);
  CHECK(kino::ascend_kind("KERNEL_AIVEC") == SliceKind::compute);
  CHECK(kino::ascend_kind("AI_CORE") == SliceKind::compute);
  CHECK(kino::ascend_kind("MemcopyAsync") == SliceKind::copy);
  CHECK(kino::ascend_kind("REDUCE_ASYNC_V2") == SliceKind::copy);
  CHECK(kino::ascend_kind("REDUCE_ASYNC_V2", true) == SliceKind::other);
  CHECK(kino::ascend_kind("MEMCPY_ASYNC", true) == SliceKind::copy);
  CHECK(kino::ascend_kind("aiv_all_reduce_910b_bigdata") == SliceKind::communication);
  CHECK(kino::ascend_kind("allreduceAicpuKernel") == SliceKind::communication);
  CHECK(kino::ascend_kind("hcom_allReduce_") == SliceKind::communication);
  CHECK(kino::ascend_kind("NOTIFY_WAIT") == SliceKind::gpu_sync);
  CHECK(kino::ascend_kind("Notify Wait") == SliceKind::gpu_sync);
  CHECK(kino::ascend_kind("EVENT_WAIT_SQE") == SliceKind::gpu_sync);
  for (const char* const mark : {"EVENT_RECORD", "NOTIFY_RECORD", "Write Value", "PROFILING_ENABLE",
                                 "MODEL_EXECUTE", "STREAM_SWITCH", "PLACE_HOLDER_SQE"}) {
    CAPTURE(mark);
    CHECK(kino::ascend_kind(mark) == SliceKind::other);
  }
}

TEST_CASE("unitrace's processes are named by their device, and its calls are not operators") {
  CHECK(kino::unitrace_device_title("RANK 3 DEVICE<n>[Intel(R) Arc(TM) A770] 0000:03:00.0 #1.0") ==
        "GPU 1.0 · Intel(R) Arc(TM) A770");
  CHECK(kino::unitrace_device_title("RANK 0 HOST<n>").empty());
  CHECK(kino::unitrace_kind(SliceKind::cpu_op, "zeEventHostSynchronize") == SliceKind::runtime);
  CHECK(kino::unitrace_kind(SliceKind::cpu_op, "zero_grad") == SliceKind::cpu_op);
  CHECK(kino::unitrace_kind(SliceKind::compute, "gemm_kernel[SIMD16]") == SliceKind::compute);
  CHECK(kino::unitrace_kind(SliceKind::compute, "zeCommandListAppendMemoryCopy(M2D)") == SliceKind::copy);
  CHECK(kino::unitrace_kind(SliceKind::compute, "zeCommandListAppendBarrier") == SliceKind::gpu_sync);
}

TEST_CASE("collectives of XLA and HCCL are named without their numbers") {
  CHECK(kino::collective_of("hcom_allReduce__538_0_1") == "hcom_allReduce");
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

TEST_CASE("the processes of rocprof's JSON are GPUs, copies and calls; a lone process GPU0 is not a GPU") {
  using What = MetadataRecord::What;
  using Content = kino::NamedDevices::Content;
  const kino::NamedDevices devices(
      {named(What::process_name, "2", "", "CPU HIP API"), named(What::process_name, "1", "", "COPY"),
       named(What::process_name, "6", "", "GPU0"), named(What::process_name, "518", "", "GPU Barriers0")});
  CHECK(devices.class_of(TrackClass::cpu, "6", "1") == TrackClass::gpu);
  CHECK(devices.title("6") == "GPU 0");
  CHECK(devices.device_pid("518") == "6");
  CHECK(devices.class_of(TrackClass::cpu, "1", "1") == TrackClass::gpu);
  CHECK(devices.has_all_copies("1"));
  CHECK(devices.class_of(TrackClass::cpu, "2", "517") == TrackClass::cpu);
  CHECK(devices.content("2", "517") == Content::calls);
  using kino::kind_of_content;
  CHECK(kind_of_content(Content::kernels, SliceKind::other, "elementwise_kernel") == SliceKind::compute);
  CHECK(kind_of_content(Content::copies, SliceKind::other, "CopyHostToDevice") == SliceKind::copy);
  CHECK(kind_of_content(Content::calls, SliceKind::other, "hipLaunchKernel") == SliceKind::runtime);
  const kino::NamedDevices lone({named(What::process_name, "6", "", "GPU0")});
  CHECK(lone.class_of(TrackClass::cpu, "6", "1") == TrackClass::cpu);
}

TEST_CASE("PyTorch's first profiler has operators, and their times on the GPU, which are not work") {
  using Content = kino::NamedDevices::Content;
  const kino::NamedDevices devices({});
  CHECK(devices.class_of(TrackClass::cpu, "CPU functions", "1") == TrackClass::cpu);
  CHECK(devices.class_of(TrackClass::cpu, "CUDA functions", "0") == TrackClass::gpu_annotation);
  CHECK(kino::kind_of_content(Content::operators, SliceKind::other, "aten::add") == SliceKind::cpu_op);
  CHECK(kino::kind_of_content(Content::operators_on_gpu, SliceKind::other, "aten::add") ==
        SliceKind::gpu_annotation);
}
