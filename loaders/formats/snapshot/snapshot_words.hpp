// The words that snapshots are written in, each with a fixed number in the string table of a model being
// built.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

/// A word is its number; the actions follow, in the order of SnapshotAction.
enum SnapshotWord : std::uint32_t {
  word_action,
  word_addr,
  word_size,
  word_stream,
  word_time_us,
  word_frames,
  word_pool_id,
  word_compile_context,
  word_user_metadata,
  word_forward_frames,
  word_category,
  word_device_free,
  word_name,
  word_filename,
  word_line,
  word_fx_node_op,
  word_fx_node_name,
  word_fx_node_target,
  word_fx_original_trace,
  word_device,
  word_address,
  word_total_size,
  word_allocated_size,
  word_active_size,
  word_requested_size,
  word_segment_type,
  word_segment_pool_id,
  word_is_expandable,
  word_blocks,
  word_state,
  word_history,
  word_real_size,
  word_stage,
  word_segments,
  word_device_traces,
  word_allocator_settings,
  word_external_annotations,
  word_host_segments,
  word_host_traces,
  word_allocated,
  word_active,
  word_small,
  word_active_allocated,
  word_active_pending_free,
  word_active_awaiting_free,
  word_start,
  word_first_action,
};

inline constexpr std::array<std::string_view, word_first_action> kSnapshotWords{
    "action",
    "addr",
    "size",
    "stream",
    "time_us",
    "frames",
    "pool_id",
    "compile_context",
    "user_metadata",
    "forward_frames",
    "category",
    "device_free",
    "name",
    "filename",
    "line",
    "fx_node_op",
    "fx_node_name",
    "fx_node_target",
    "fx_original_trace",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "host_segments",
    "host_traces",
    "allocated",
    "active",
    "small",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "START",
};

/// The number of a text, StringTable::kAbsent for anything else.
inline std::uint32_t word_of(PlainValue key) {
  return key.tag() == PlainValue::Tag::text ? key.id() : StringTable::kAbsent;
}

}  // namespace kino
