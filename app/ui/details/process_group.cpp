#include "app/ui/details/process_group.hpp"

#include <string_view>

namespace kino {
namespace {

constexpr int kMostParents = 8;

std::string group_in(const EventDetails& details, SliceId slice) {
  auto event = details.read({slice, kNoInstant});
  if (!event.ok()) return {};
  const ArgNode* args = event->find("args");
  if (args == nullptr) return {};
  for (const std::string_view key : {"Process Group Description", "Process Group Name"}) {
    const ArgNode* group = args->find(key);
    if (group != nullptr && !group->text.empty() && group->text != "undefined") return group->text;
  }
  return {};
}

}  // namespace

std::string process_group_of(const Trace& trace, const EventDetails& details, SliceId slice) {
  std::string group = group_in(details, slice);
  if (!group.empty()) return group;
  SliceId above = trace.link(slice);
  if (above == kNoSlice) return {};
  for (int level = 0; level < kMostParents && above != kNoSlice && group.empty(); ++level) {
    above = trace.parent(above);
    const bool names_it =
        above != kNoSlice && trace.name_of(above).find("record_param_comms") != std::string_view::npos;
    if (names_it) group = group_in(details, above);
  }
  return group;
}

}  // namespace kino
