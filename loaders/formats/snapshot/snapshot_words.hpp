// Keywords in snapshots. Each has a fixed id in the string table of a model under construction.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

// clang-format off
#define KINO_SNAPSHOT_WORDS(WORD) \
  WORD(action) WORD(addr) WORD(size) WORD(stream) WORD(time_us) WORD(frames) WORD(pool_id) \
  WORD(compile_context) WORD(user_metadata) WORD(forward_frames) WORD(category) WORD(device_free) \
  WORD(name) WORD(filename) WORD(line) WORD(fx_node_op) WORD(fx_node_name) WORD(fx_node_target) \
  WORD(fx_original_trace) WORD(device) WORD(address) WORD(total_size) WORD(allocated_size) \
  WORD(active_size) WORD(requested_size) WORD(segment_type) WORD(segment_pool_id) WORD(is_expandable) \
  WORD(blocks) WORD(state) WORD(history) WORD(real_size) WORD(stage) WORD(segments) WORD(device_traces) \
  WORD(allocator_settings) WORD(external_annotations) WORD(host_segments) WORD(host_traces) \
  WORD(allocated) WORD(active) WORD(small) WORD(active_allocated) WORD(active_pending_free) \
  WORD(active_awaiting_free)

/// Ids of the keywords. Actions follow in the order of SnapshotAction.
enum SnapshotWord : std::uint32_t {
#define KINO_WORD(name) word_##name,
  KINO_SNAPSHOT_WORDS(KINO_WORD)
#undef KINO_WORD
  word_start,
  word_first_action,
};

inline constexpr std::array<std::string_view, word_first_action> kSnapshotWords{
#define KINO_WORD(name) #name,
    KINO_SNAPSHOT_WORDS(KINO_WORD)
#undef KINO_WORD
    "START",
};
#undef KINO_SNAPSHOT_WORDS
// clang-format on

/// Returns the id of a text; StringTable::kAbsent for values that are not texts.
inline std::uint32_t word_of(PlainValue key) {
  return key.tag() == PlainValue::Tag::text ? key.id() : StringTable::kAbsent;
}

}  // namespace kino
