#include <algorithm>
#include <map>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

/// Bytes of one or more segments.
struct Use {
  std::uint64_t reserved = 0;
  std::uint64_t allocated = 0;
  std::uint64_t pending = 0;
  std::uint64_t free = 0;
  std::uint64_t largest_free = 0;
  std::uint64_t rounding = 0;
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;

  void add(const Use& other) {
    reserved += other.reserved;
    allocated += other.allocated;
    pending += other.pending;
    free += other.free;
    rounding += other.rounding;
    blocks += other.blocks;
    ++segments;
    largest_free = std::max(largest_free, other.largest_free);
  }
};

Use use_of(const AllocatorLayout& layout, const LayoutSegment& segment) {
  Use use;
  use.reserved = segment.size;
  use.segments = 1;
  use.blocks = segment.block_count;
  for (const LayoutBlock& block : layout.blocks_of(segment)) {
    if (block.kind == LayoutKind::free) {
      use.free += block.size;
      use.largest_free = std::max(use.largest_free, block.size);
      continue;
    }
    (block.kind == LayoutKind::pending ? use.pending : use.allocated) += block.size;
    use.rounding += block.size - std::min(block.size, block.requested);
  }
  return use;
}

msg::Id kind_of(const LayoutSegment& segment) {
  if (segment.expandable) return segment.small ? msg::small_expandable : msg::large_expandable;
  return segment.small ? msg::small : msg::large;
}

template <class Rows>
void add_use(Table& table, const Rows& rows) {
  const auto add = [&](const char* key, msg::Id title, msg::Id about, std::uint64_t Use::*member) {
    table.integers_of(rows, key, title, Unit::bytes, about, [&](const auto& row) { return row.use.*member; });
  };
  add("reserved_bytes", msg::reserved, msg::obtained_from_the_device, &Use::reserved);
  add("allocated_bytes", msg::allocated, msg::blocks_in_use_rounded, &Use::allocated);
  add("pending_bytes", msg::pending, msg::pending_free_meaning, &Use::pending);
  add("free_bytes", msg::free, msg::free_blocks_meaning, &Use::free);
  add("largest_free_bytes", msg::largest_free, msg::largest_one, &Use::largest_free);
  add("rounding_bytes", msg::rounding, msg::rounding_meaning, &Use::rounding);
  table.integers_of(rows, "blocks", msg::blocks, Unit::count, msg::number_of_blocks,
                    [&](const auto& row) { return row.use.blocks; });
}

void segment_rows(const SnapshotScope& scope, const AllocatorLayout& layout, Table& table) {
  struct Row {
    const LayoutSegment* segment = nullptr;
    Use use;
  };
  const Snapshot& snapshot = *scope.snapshot;
  std::vector<Row> rows;
  for (const LayoutSegment& segment : layout.segments) rows.push_back({&segment, use_of(layout, segment)});
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return row.segment->size; });
  table.texts_of(rows, "address", msg::address, msg::segment_address,
                 [](const Row& row) { return address_text(row.segment->addr); });
  add_use(table, rows);
  table.text_column(rows, "kind", msg::kind, msg::small_for_requests_up_to_1,
                    [](const Row& row) { return kind_of(*row.segment); });
  table.texts_of(rows, "stream", msg::stream, msg::stream_of_its_blocks,
                 [&](const Row& row) { return stream_text(snapshot, row.segment->stream); });
  table.texts_of(rows, "pool", msg::pool, msg::a_private_pool_or_the_default,
                 [&](const Row& row) { return pool_id_text(snapshot, row.segment->pool); });
  const std::vector<SegmentSpan>& spans = scope.of().history.segments;
  table.integers_of(
      rows, "reserved_at", msg::reserved_at, Unit::id, msg::number_of_its_event, [&](const Row& row) {
        const EventIndex begin =
            row.segment->span < spans.size() ? spans[row.segment->span].begin : kBeforeRecording;
        return begin == kBeforeRecording ? kNoInteger : std::int64_t{begin};
      });
  table.texts_of(rows, "place", msg::reserved_in, msg::innermost_user_frame, [&](const Row& row) {
    const StackId stack = row.segment->span < spans.size() ? spans[row.segment->span].stack : kNoStack;
    const FrameId frame = place_frame(snapshot, stack);
    return frame == kNoFrame ? std::string() : frame_text(snapshot, frame);
  });
}

void pool_rows(const SnapshotScope& scope, const AllocatorLayout& layout, Table& table) {
  struct Row {
    std::uint16_t pool = 0;
    std::uint16_t stream = 0;
    msg::Id kind = msg::nothing;
    Use use;
  };
  const Snapshot& snapshot = *scope.snapshot;
  std::map<std::tuple<std::uint16_t, std::uint16_t, std::string_view>, Row> sums;
  for (const LayoutSegment& segment : layout.segments) {
    const msg::Id kind = kind_of(segment);
    const auto [at, fresh] = sums.try_emplace({segment.pool, segment.stream, english(kind)});
    if (fresh) at->second = {segment.pool, segment.stream, kind, {}};
    at->second.use.add(use_of(layout, segment));
  }
  std::vector<Row> rows;
  rows.reserve(sums.size());
  for (const auto& [key, row] : sums) rows.push_back(row);
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return row.use.reserved; });
  table.texts_of(rows, "pool", msg::pool, msg::a_private_pool_or_the_default,
                 [&](const Row& row) { return pool_id_text(snapshot, row.pool); });
  table.texts_of(rows, "stream", msg::stream, msg::stream_of_blocks,
                 [&](const Row& row) { return stream_text(snapshot, row.stream); });
  table.text_column(rows, "kind", msg::kind, msg::small_for_requests_up_to_1, &Row::kind);
  table.integers_of(rows, "segments", msg::segments, Unit::count, msg::number_of_them,
                    [](const Row& row) { return row.use.segments; });
  add_use(table, rows);
}

void block_rows(const SnapshotScope& scope, const AllocatorLayout& layout, Table& table) {
  struct Row {
    const LayoutSegment* segment = nullptr;
    const LayoutBlock* block = nullptr;
  };
  const Snapshot& snapshot = *scope.snapshot;
  const Allocations& all = scope.of().history.allocations;
  std::vector<Row> rows;
  for (const LayoutSegment& segment : layout.segments) {
    for (std::uint32_t b = segment.first_block; b < segment.first_block + segment.block_count; ++b) {
      if (rows.size() < scope.most_rows) rows.push_back({&segment, &layout.blocks[b]});
    }
  }
  if (layout.blocks.size() > rows.size())
    table.notes.emplace_back(msg::only_the_first_blocks_are_listed, std::to_string(rows.size()));
  table.texts_of(rows, "address", msg::address, msg::segment_address,
                 [](const Row& row) { return address_text(row.block->addr); });
  table.texts_of(rows, "state", msg::state, msg::block_states, [](const Row& row) {
    return row.block->kind == LayoutKind::free      ? "free"
           : row.block->kind == LayoutKind::pending ? "pending"
                                                    : "allocated";
  });
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::size_of_block,
                    [](const Row& row) { return row.block->size; });
  table.integers_of(rows, "requested_bytes", msg::requested, Unit::bytes, msg::requested_or_empty_if_free,
                    [](const Row& row) {
                      return row.block->kind == LayoutKind::free
                                 ? kNoInteger
                                 : static_cast<std::int64_t>(row.block->requested);
                    });
  table.text_column(rows, "place", msg::allocated_in, msg::innermost_user_frame, [&](const Row& row) {
    if (row.block->allocation == kNoAllocation) return Message();
    return place_message(snapshot, all, row.block->allocation);
  });
  table.texts_of(rows, "segment", msg::segment, msg::address_of_containing_segment,
                 [](const Row& row) { return address_text(row.segment->addr); });
  table.texts_of(rows, "stream", msg::stream, msg::stream_of_block,
                 [&](const Row& row) { return stream_text(snapshot, row.segment->stream); });
  table.texts_of(rows, "pool", msg::pool, msg::a_private_pool_or_the_default,
                 [&](const Row& row) { return pool_id_text(snapshot, row.segment->pool); });
  for (const Row& row : rows) table.links.emplace_back(row.block->allocation);
}

/// In the order of SegmentGrouping.
constexpr TableGroup kSegmentGroups[] = {
    {"segment", msg::by_segment}, {"pool", msg::by_pool}, {"block", msg::by_block}};

}  // namespace

Table segment_table(const SnapshotScope& scope, SegmentGrouping grouping, const std::stop_token& stop) {
  Table table = titled_table(kSegmentTable, msg::segments_definition);
  const bool recorded = has_history(scope.of());
  table.notes.push_back(!recorded ? Message(msg::when_the_snapshot_was_taken_sentence)
                        : scope.at == kBeforeRecording
                            ? Message(msg::before_the_recording_sentence)
                            : Message(msg::after_event_named, std::to_string(scope.at)));
  const AllocatorLayout layout = stop.stop_requested() ? AllocatorLayout{} : layout_at(scope.of(), scope.at);
  if (grouping == SegmentGrouping::block) {
    block_rows(scope, layout, table);
  } else if (grouping == SegmentGrouping::pool) {
    pool_rows(scope, layout, table);
  } else {
    segment_rows(scope, layout, table);
  }
  return table;
}

constexpr TableKind<SnapshotScope> kSegmentTable{
    {.name = "segments",
     .title = msg::segments,
     .heading = {},
     .about = msg::about_segments,
     .groups = kSegmentGroups,
     .supports = {.moment = true}},
    [](const SnapshotScope& scope, const TableQuery& query, const std::stop_token& stop) {
      return segment_table(scope, static_cast<SegmentGrouping>(query.group), stop);
    }};

}  // namespace kino
