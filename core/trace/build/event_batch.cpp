#include "core/trace/build/event_batch.hpp"

namespace kino {

std::uint32_t TrackTable::intern(TrackClass track_class, std::string_view pid, std::string_view tid) {
  std::uint32_t slot = static_cast<std::uint32_t>(track_class) + static_cast<std::uint32_t>(tid.size()) * 7;
  if (!tid.empty()) slot += static_cast<unsigned char>(tid.back()) * 3U;
  if (!pid.empty()) slot += static_cast<unsigned char>(pid.back());
  Recent& recent = recent_[slot % recent_.size()];
  if (recent.id != StringTable::kAbsent && recent.track_class == track_class && recent.tid == tid &&
      recent.pid == pid) {
    return recent.id;
  }
  scratch_.clear();
  scratch_ += static_cast<char>(track_class);
  scratch_ += pid;
  scratch_ += '\0';
  scratch_ += tid;
  const std::uint32_t id = keys_.intern(scratch_);
  recent.track_class = track_class;
  recent.id = id;
  recent.pid = pid;
  recent.tid = tid;
  return id;
}

void TrackTable::drop_index() {
  keys_.drop_index();
  recent_ = {};
}

TrackTable::Key TrackTable::operator[](std::uint32_t id) const {
  const std::string_view key = keys_[id];
  const std::size_t nul = key.find('\0', 1);
  return {static_cast<TrackClass>(key[0]), key.substr(1, nul - 1), key.substr(nul + 1)};
}

}  // namespace kino
