#include "core/trace/recorder_notes.hpp"

#include <algorithm>
#include <cstddef>

namespace kino {

std::vector<std::string> recorder_notes(const Trace& trace) {
  std::vector<std::string> notes;
  const std::uint32_t category = trace.categories.find(kRecorderNote);
  if (category == StringTable::kAbsent) return notes;
  constexpr std::size_t kMost = 200;
  for (std::size_t i = 0; i < trace.instants.time_ns.size() && notes.size() < kMost; ++i) {
    if (index_of(trace.instants.category[i]) != category) continue;
    std::string note(trace.names[index_of(trace.instants.name[i])]);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kino
