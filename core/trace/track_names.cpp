#include "core/trace/track_names.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kino {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> others) {
  return std::ranges::find(others, text) != others.end();
}

}  // namespace

bool named_by_program(const Track& track) {
  const std::string name = track.name.str();
  const std::string tid = track.tid.str();
  switch (track.kind) {
    case TrackKind::gpu_stream:
      return one_of(name, {"stream " + tid, "kernels of thread " + tid});
    case TrackKind::gpu_annotation:
      return name == "annotations of stream " + tid;
    case TrackKind::gpu_sync:
      return one_of(name, {"synchronization", "waits of stream " + tid});
    case TrackKind::cpu_thread:
      return name == "thread " + tid || (tid.empty() && name == "events");
    case TrackKind::async:
      return tid.empty() && name == "async";
    case TrackKind::counter:
      return track.bytes && one_of(name, {"memory allocated", "memory reserved"});
  }
  return false;
}

bool titled_by_program(const Process& process) {
  return one_of(process.title, {"Profiler", "events without a process", "GPU copies",
                                "GPU · times of operators", "process " + process.pid});
}

}  // namespace kino
