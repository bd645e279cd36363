#include "core/critical/path_cause.hpp"

#include <algorithm>

namespace kino {
namespace {

struct CauseName {
  std::string_view name;
  msg::Id title;
};
/// In the order of PathCause.
constexpr std::array<CauseName, kPathCauseCount> kNames{{{"compute", msg::path_compute},
                                                         {"copy", msg::path_copy},
                                                         {"moving", msg::path_moving},
                                                         {"waiting", msg::path_waiting},
                                                         {"launch latency", msg::path_launch_latency},
                                                         {"kernel gap", msg::path_kernel_gap},
                                                         {"stream wait", msg::path_stream_wait},
                                                         {"sync return", msg::path_sync_return},
                                                         {"unexplained", msg::path_unexplained},
                                                         {"loader", msg::path_loader},
                                                         {"gc", msg::path_gc},
                                                         {"operator", msg::path_operator},
                                                         {"python", msg::path_python},
                                                         {"annotation", msg::path_annotation},
                                                         {"silent", msg::path_silent},
                                                         {"launch call", msg::path_launch_call},
                                                         {"sync call", msg::path_sync_call},
                                                         {"memory call", msg::path_memory_call},
                                                         {"runtime call", msg::path_runtime_call}}};

}  // namespace

std::string_view text_of(PathCause cause) { return kNames[index_of_cause(cause)].name; }

msg::Id title_of(PathCause cause) { return kNames[index_of_cause(cause)].title; }

std::optional<PathCause> path_cause_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &CauseName::name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PathCause>(found - kNames.begin());
}

}  // namespace kino
