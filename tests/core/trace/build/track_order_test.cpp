// Covers: track_order
#include "core/trace/build/track_order.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using kino::MetadataRecord;
using kino::TrackClass;

namespace {

struct Source {
  TrackClass track_class;
  const char* pid;
  const char* tid;
};

Source track(TrackClass track_class, const char* pid, const char* tid) { return {track_class, pid, tid}; }

kino::TrackOrder ordered(const std::vector<Source>& sources, const std::vector<MetadataRecord>& metadata,
                         const kino::JobInfo& job) {
  kino::TrackTable table;
  std::vector<std::uint32_t> used;
  for (const Source& source : sources)
    used.push_back(table.intern(source.track_class, source.pid, source.tid));
  return kino::order_tracks(table, used, metadata, job);
}

MetadataRecord meta(MetadataRecord::What what, const char* pid, const char* tid, const char* text,
                    std::int64_t number = 0) {
  MetadataRecord record;
  record.what = what;
  record.pid = pid;
  record.tid = tid;
  record.text = text;
  record.number = number;
  return record;
}

}  // namespace

TEST_CASE("GPUs are on top, streams below their annotations, and the profiler's own rows last") {
  const std::vector<Source> facts{track(TrackClass::cpu, "Spans", "PyTorch Profiler"),
                                  track(TrackClass::cpu, "1102", "1300"),
                                  track(TrackClass::cpu, "1102", "1102"),
                                  track(TrackClass::gpu, "1", "7"),
                                  track(TrackClass::gpu, "0", "20"),
                                  track(TrackClass::gpu, "0", "7"),
                                  track(TrackClass::gpu_annotation, "0", "7"),
                                  track(TrackClass::gpu_sync, "0", "7"),
                                  track(TrackClass::gpu_counter, "0", "memory allocated")};
  kino::JobInfo job;
  job.device_names = {"NVIDIA H100"};
  const auto order =
      ordered(facts,
              {meta(MetadataRecord::What::process_name, "1102", "", "python"),
               meta(MetadataRecord::What::process_labels, "1102", "", "CPU"),
               meta(MetadataRecord::What::process_labels, "0", "", "GPU 0"),
               meta(MetadataRecord::What::thread_name, "0", "7", "stream 7 "),
               meta(MetadataRecord::What::thread_name, "1102", "1300", "thread 1300 (pt_autograd_0)")},
              job);
  REQUIRE(order.processes.size() == 4);
  CHECK(order.processes[0].title == "GPU 0 · NVIDIA H100");
  CHECK(order.processes[1].title == "GPU 1");
  CHECK(order.processes[2].title == "python 1102 · CPU");
  CHECK(order.processes[3].title == "Profiler");
  std::vector<std::string> names;
  for (const kino::Track& made : order.tracks) names.push_back(made.name.str());
  CHECK(names == std::vector<std::string>{"annotations of stream 7", "stream 7", "waits of stream 7",
                                          "stream 20", "memory allocated", "stream 7", "thread 1102",
                                          "thread 1300 (pt_autograd_0)", "PyTorch Profiler"});
}

TEST_CASE("a process without GPU work is not a GPU, whatever its label") {
  const auto order = ordered({track(TrackClass::gpu, "2", "0"), track(TrackClass::cpu, "0", "0")},
                             {meta(MetadataRecord::What::process_name, "0", "", "python3"),
                              meta(MetadataRecord::What::process_labels, "0", "", "GPU 0")},
                             {});
  REQUIRE(order.processes.size() == 2);
  CHECK(order.processes[0].title == "GPU 2");
  CHECK(order.processes[1].title == "python3 0");
}

TEST_CASE("threads follow Kineto's sort index, the main thread first") {
  const std::vector<Source> facts{track(TrackClass::cpu, "5", "9"), track(TrackClass::cpu, "5", "8"),
                                  track(TrackClass::cpu, "5", "5")};
  const auto order = ordered(facts,
                             {meta(MetadataRecord::What::thread_sort_index, "5", "8", "", 20),
                              meta(MetadataRecord::What::thread_sort_index, "5", "9", "", 30)},
                             {});
  CHECK(order.sources == std::vector<std::uint32_t>{2, 1, 0});
}

TEST_CASE("a thread without a known name has no empty brackets") {
  const auto order = ordered({track(TrackClass::cpu, "5", "660"), track(TrackClass::cpu, "5", "7")},
                             {meta(MetadataRecord::What::thread_name, "5", "660", "thread 660 ()"),
                              meta(MetadataRecord::What::thread_name, "5", "7", "main()")},
                             {});
  REQUIRE(order.tracks.size() == 2);
  CHECK(order.tracks[0].name.str() == "main()");
  CHECK(order.tracks[1].name.str() == "thread 660");
}

TEST_CASE("a stream shows its contents, most time first, with collectives by name") {
  kino::StreamContents work;
  work.kind_ns = {
      {kino::SliceKind::compute, 1}, {kino::SliceKind::communication, 900}, {kino::SliceKind::copy, 99}};
  work.collectives = {{"AllReduce", 800}, {"AllGather", 90}, {"Broadcast", 10}};
  CHECK(kino::contents_of(work) == "NCCL AllReduce + AllGather, copy");
  work.collectives = {{"deep_ep::internode_ll::combine", 800}, {"deep_ep::internode_ll::dispatch", 90}};
  CHECK(kino::contents_of(work) == "communication combine + dispatch, copy");
  // A lane with both kinds is not named after the kernel with the most time.
  work.collectives = {{"_mxfp8_all_to_all_kernel", 500}, {"AllGather", 390}, {"_combine_kernel", 10}};
  CHECK(kino::contents_of(work) == "NCCL AllGather + other communication, copy");
}

TEST_CASE("contents include the kind of most slices, however long another slice lasts; waits are waits") {
  kino::StreamContents work;
  work.kind_ns = {{kino::SliceKind::compute, 900}, {kino::SliceKind::copy, 612'000'000'000}};
  CHECK(kino::contents_of(work) == "copy");
  work.most = kino::SliceKind::compute;
  CHECK(kino::contents_of(work) == "copy, compute");
  work.kind_ns = {{kino::SliceKind::compute, 900}, {kino::SliceKind::gpu_sync, 100}};
  CHECK(kino::contents_of(work) == "compute, waits");
}

TEST_CASE("contents are correct for times near the end of 64 bits") {
  kino::StreamContents work;
  for (const kino::SliceKind kind : {kino::SliceKind::compute, kino::SliceKind::copy}) {
    work.kind_ns.emplace_back(kind, std::numeric_limits<std::int64_t>::max());
  }
  CHECK(kino::contents_of(work) == "compute, copy");
}

TEST_CASE("collectives are named after their operation") {
  CHECK(kino::collective_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "AllReduce");
  CHECK(kino::collective_of("ncclKernel_SendRecv(ncclWork*)") == "SendRecv");
  CHECK(kino::collective_of("void vllm::cross_device_reduce_1stage<float, 8>()") ==
        "vllm::cross_device_reduce_1stage");
  CHECK(kino::collective_of("") == "");
}

TEST_CASE("no tracks have no processes") { CHECK(ordered({}, {}, {}).processes.empty()); }

TEST_CASE("an AMD GPU is one, though its memory and its kernels have different device numbers") {
  const std::vector<Source> facts{track(TrackClass::gpu, "2", "0"),
                                  track(TrackClass::gpu_counter, "0", "memory allocated")};
  kino::JobInfo job;
  job.device_names = {"AMD Instinct MI300X VF"};
  const auto order = ordered(facts, {meta(MetadataRecord::What::process_labels, "2", "", "GPU 2")}, job);
  REQUIRE(order.processes.size() == 1);
  CHECK(order.processes[0].title == "GPU 2 · AMD Instinct MI300X VF");
  CHECK(order.processes[0].track_count == 2);
  job.device_names = {"NVIDIA H100"};
  CHECK(ordered(facts, {}, job).processes.size() == 2);
  // Without a list of devices, the calls identify AMD's GPU.
  kino::TrackTable table;
  const std::vector<std::uint32_t> used{table.intern(TrackClass::gpu, "2", "0"),
                                        table.intern(TrackClass::gpu_counter, "0", "memory allocated")};
  CHECK(kino::order_tracks(table, used, {}, {}, true).processes.size() == 1);
  CHECK(kino::order_tracks(table, used, {}, {}).processes.size() == 2);
}

TEST_CASE("a device has the name and number of the recorder's label") {
  const std::vector<Source> facts{track(TrackClass::gpu, "17", "1")};
  const auto title = [&](const char* label) {
    return ordered(facts, {meta(MetadataRecord::What::process_labels, "17", "", label)}, {})
        .processes[0]
        .title;
  };
  CHECK(title("MTIA 17") == "MTIA 17");
  CHECK(title("GPU 17") == "GPU 17");
  CHECK(title("CPU 17") == "GPU 17");
  CHECK(title("Host") == "GPU 17");
  CHECK(title("") == "GPU 17");
}

TEST_CASE("numbers beyond 63 bits are valid thread and process ids") {
  const auto order = ordered({track(TrackClass::cpu, "18446744073709551615", "9223372036854775808"),
                              track(TrackClass::cpu, "a", "b")},
                             {}, {});
  std::vector<std::string> titles;
  for (const auto& process : order.processes) titles.push_back(process.title);
  std::vector<std::string> names;
  for (const auto& track : order.tracks) names.push_back(track.name.str());
  CHECK(std::ranges::find(names, "thread 9223372036854775808") != names.end());
  CHECK(std::ranges::find(names, "b") != names.end());
  CHECK(std::ranges::find(titles, "process 18446744073709551615") != titles.end());
}
