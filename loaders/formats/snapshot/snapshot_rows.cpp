// Determines the kind of a snapshot's dict by its keys, and stores its row.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "loaders/formats/snapshot/snapshot_assembler.hpp"
#include "loaders/formats/snapshot/snapshot_words.hpp"

namespace kino {
namespace {

using Tag = PlainValue::Tag;

bool is_true(PlainValue value) {
  return (value.tag() == Tag::boolean || value.tag() == Tag::integer) && value.payload() != 0;
}

BlockState block_state_of(std::uint32_t state) {
  const bool pending = state == word_active_pending_free || state == word_active_awaiting_free;
  return state == word_active_allocated ? BlockState::allocated
         : pending                      ? BlockState::pending_free
                                        : BlockState::inactive;
}

}  // namespace

SnapshotAssembler::Kind SnapshotAssembler::kind_by_keys(std::span<const PlainValue> items) const {
  bool address = false;
  bool size = false;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    switch (word_of(items[i])) {
      case word_action:
        return Kind::entry;
      case word_filename:
        return Kind::frame;
      case word_total_size:
      case word_segment_type:
      case word_blocks:
        return Kind::segment;
      case word_state:
        return Kind::block;
      case word_real_size:
        return Kind::history;
      case word_stage:
        return Kind::annotation;
      case word_address:
        address = true;
        break;
      case word_size:
        size = true;
        break;
      case word_segments:
      case word_device_traces:
        return Kind::empty_dict;
      default:
        break;
    }
  }
  return address && size ? Kind::segment : Kind::empty_dict;  // a segment of host memory has no other keys
}

bool SnapshotAssembler::is_useless_incomplete(std::span<const PlainValue> items) const {
  constexpr std::array kBreakable = {Kind::entry, Kind::frame, Kind::block, Kind::history, Kind::annotation};
  return std::ranges::find(kBreakable, kind_by_keys(items)) != kBreakable.end();
}

bool SnapshotAssembler::is_cut_row(PlainValue value) const {
  return value.tag() == Tag::object && object(value).kind == Kind::dict &&
         is_useless_incomplete(dicts_[object(value).payload]);
}

bool SnapshotAssembler::store_row(Object& target, Kind kind, std::span<const PlainValue> items) {
  const std::uint64_t rows = entries_.size() + segments_.size() + blocks_.size() + history_.size() +
                             snapshot_.annotations.size() + snapshot_.stacks.frame_count();
  if (kind == Kind::empty_dict) return false;
  if (!within(rows, 1 << 12U, 8, "entries")) return true;
  // None of these functions creates objects, so `target` remains valid.
  target.payload = kind == Kind::frame     ? add_frame(items)
                   : kind == Kind::entry   ? add_entry(items)
                   : kind == Kind::segment ? add_segment(items)
                   : kind == Kind::block   ? add_block(items)
                   : kind == Kind::history ? add_history(items)
                                           : add_annotation(items);
  target.kind = kind;
  return true;
}

std::uint32_t SnapshotAssembler::add_frame(std::span<const PlainValue> items) {
  SnapshotFrame frame;
  FxNode fx;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::uint32_t key = word_of(items[i]);
    const PlainValue value = items[i + 1];
    if (key == word_name) frame.name = text_of_value(value);
    if (key == word_filename) frame.file = text_of_value(value);
    if (key == word_line) frame.line = signed_of(value);
    if (key == word_fx_node_op) fx.op = text_of_value(value);
    if (key == word_fx_node_name) fx.name = text_of_value(value);
    if (key == word_fx_node_target) fx.target = text_of_value(value);
    if (key == word_fx_original_trace) fx.original_trace = text_of_value(value);
  }
  if (!(fx == FxNode{})) frame.fx = snapshot_.stacks.intern(fx);
  return static_cast<std::uint32_t>(snapshot_.stacks.intern(frame));
}

std::uint32_t SnapshotAssembler::add_entry(std::span<const PlainValue> items) {
  EntryRow row;
  EntryNote note;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PlainValue value = items[i + 1];
    switch (word_of(items[i])) {
      case word_action: {
        const std::uint32_t action = word_of(value) - word_first_action;
        if (action < kSnapshotActionCount) row.action = static_cast<SnapshotAction>(action);
        break;
      }
      case word_addr:
      case word_device_free:
        row.addr = unsigned_of(value);
        break;
      case word_size:
        row.size = unsigned_of(value);
        break;
      case word_stream:
        row.stream = stream_of(value);
        break;
      case word_time_us:
        row.time_us = signed_of(value);
        break;
      case word_frames:
        row.stack = stack_of(value);
        break;
      case word_pool_id:
        row.pool = pool_of(value);
        break;
      case word_compile_context:
        note.compile_context = text_of_value(value);
        break;
      case word_user_metadata:
        note.user_metadata = text_of_value(value);
        break;
      case word_category:
        note.category = text_of_value(value);
        break;
      case word_forward_frames:
        note.forward_frames = lines_of(value);
        break;
      default:
        break;
    }
  }
  if (row.action == SnapshotAction::unknown) damage().add(DamageReason::unknown_action, offset, {});
  row.note = note_id(note);
  constexpr std::size_t kMostEntries = std::numeric_limits<std::int32_t>::max() - 2;
  if (entries_.size() < kMostEntries) {
    entries_.push(row);
  } else if (!failed_) {
    failed_ = Error{Error::Kind::too_large, "There are more than two billion entries", offset};
  }
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

std::uint32_t SnapshotAssembler::add_segment(std::span<const PlainValue> items) {
  SegmentRow row;
  SnapshotSegment& segment = row.segment;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::uint32_t key = word_of(items[i]);
    const PlainValue value = items[i + 1];
    if (key == word_device) row.device = signed_of(value);
    if (key == word_address) segment.addr = unsigned_of(value);
    if (key == word_total_size || key == word_size) segment.size = unsigned_of(value);
    if (key == word_allocated_size || key == word_allocated) {
      segment.allocated = unsigned_of(value);
      row.has_allocated = true;
    }
    if (key == word_active_size || key == word_active) {
      segment.active = unsigned_of(value);
      row.has_active = true;
    }
    if (key == word_requested_size) {
      segment.requested = unsigned_of(value);
      row.has_requested = true;
    }
    if (key == word_stream) segment.stream = stream_of(value);
    if (key == word_segment_type) segment.small = word_of(value) == word_small;
    if (key == word_segment_pool_id || key == word_pool_id) segment.pool = pool_of(value);
    if (key == word_is_expandable) segment.expandable = is_true(value);
    if (key == word_frames) segment.stack = stack_of(value);
    if (key == word_blocks && value.tag() == Tag::object) row.blocks = value.id();
  }
  segments_.push_back(row);
  return static_cast<std::uint32_t>(segments_.size() - 1);
}

std::uint32_t SnapshotAssembler::add_block(std::span<const PlainValue> items) {
  BlockRow row;
  SnapshotBlock& block = row.block;
  std::optional<std::uint64_t> requested;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::uint32_t key = word_of(items[i]);
    const PlainValue value = items[i + 1];
    if (key == word_address) {
      block.addr = unsigned_of(value);
      row.has_addr = true;
    }
    if (key == word_size) block.size = unsigned_of(value);
    if (key == word_requested_size) requested = unsigned_of(value);
    if (key == word_state) block.state = block_state_of(word_of(value));
    if (key == word_frames) block.stack = stack_of(value);
    if (key != word_history) continue;
    // In Torch 1.13 and 2.0, the value contains previous allocations, newest first.
    const List* const list = list_of(value);
    if (list == nullptr || list->rows != Kind::history) continue;
    const HistoryRow& newest = history_[list->runs.front().first];
    if (!requested) requested = newest.size;
    if (block.stack == kNoStack) block.stack = newest.stack;
  }
  if (block.state == BlockState::inactive) {
    block.stack = kNoStack;
  } else {
    block.requested = requested.value_or(block.size);
  }
  blocks_.push_back(row);
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

std::uint32_t SnapshotAssembler::add_history(std::span<const PlainValue> items) {
  HistoryRow row;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (word_of(items[i]) == word_real_size) row.size = unsigned_of(items[i + 1]);
    if (word_of(items[i]) == word_frames) row.stack = stack_of(items[i + 1]);
  }
  history_.push_back(row);
  return static_cast<std::uint32_t>(history_.size() - 1);
}

std::uint32_t SnapshotAssembler::add_annotation(std::span<const PlainValue> items) {
  SnapshotAnnotation annotation;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::uint32_t key = word_of(items[i]);
    const PlainValue value = items[i + 1];
    if (key == word_name) annotation.name = text_of_value(value);
    if (key == word_stage) annotation.start = word_of(value) == word_start;
    if (key == word_device) annotation.device = static_cast<std::int32_t>(signed_of(value));
    if (key == word_time_us) annotation.time_us = signed_of(value);
  }
  snapshot_.annotations.push_back(annotation);
  return static_cast<std::uint32_t>(snapshot_.annotations.size() - 1);
}

}  // namespace kino
