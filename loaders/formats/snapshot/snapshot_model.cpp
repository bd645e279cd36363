// Converts the rows of a snapshot to its model: devices with columns, segments with blocks, and history.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"
#include "loaders/formats/snapshot/snapshot_words.hpp"

namespace kino {
namespace {

using Tag = PlainValue::Tag;

constexpr std::size_t kMostDevices = 1024;

}  // namespace

SnapshotDevice& SnapshotAssembler::device_for(std::int32_t ordinal, bool host) {
  for (SnapshotDevice& device : snapshot_.devices) {
    if (device.ordinal == ordinal && device.host == host) return device;
  }
  if (snapshot_.devices.size() >= kMostDevices) {
    damage().add(DamageReason::number_out_of_range, offset, {});
    return snapshot_.devices.back();
  }
  SnapshotDevice& device = snapshot_.devices.emplace_back();
  device.ordinal = ordinal;
  device.host = host;
  return device;
}

void SnapshotAssembler::add_older(std::uint64_t addr, std::uint64_t size, PlainValue category) {
  EntryNote note;
  note.category = text_of_value(category);
  device_for(0, false).older.push_back({addr, size, note_id(note)});
}

void SnapshotAssembler::take_blocks(const SegmentRow& row, SnapshotDevice& device, SnapshotSegment& segment) {
  segment.first_block = static_cast<std::uint32_t>(device.blocks.size());
  const List* const list = row.blocks == kNoObject ? nullptr : list_of(PlainValue(Tag::object, row.blocks));
  std::uint64_t next = segment.addr;
  std::uint64_t sum = 0;
  std::uint64_t allocated = 0;
  std::uint64_t active = 0;
  std::uint64_t requested = 0;
  if (list != nullptr && list->rows == Kind::block) {
    for (const Run run : list->runs) {
      for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
        // Bounds the blocks: each belongs to one segment, even if a hostile file shares lists.
        if (taken_blocks_ >= blocks_.size()) break;
        ++taken_blocks_;
        SnapshotBlock block = blocks_[i].block;
        if (!blocks_[i].has_addr) block.addr = next;
        next = block.addr + block.size;
        sum += block.size;
        if (block.state == BlockState::allocated) allocated += block.size;
        if (block.state != BlockState::inactive) active += block.size;
        requested += block.requested;
        device.blocks.push_back(block);
      }
    }
  }
  segment.block_count = static_cast<std::uint32_t>(device.blocks.size()) - segment.first_block;
  std::ranges::stable_sort(device.blocks.begin() + segment.first_block, device.blocks.end(), {},
                           &SnapshotBlock::addr);
  if (segment.size == 0) segment.size = sum;
  if (!row.has_allocated) segment.allocated = allocated;
  if (!row.has_active) segment.active = active;
  if (!row.has_requested) segment.requested = requested;
}

void SnapshotAssembler::take_segments(PlainValue value, bool host) {
  const List* const list = list_of(value);
  if (list == nullptr || list->rows != Kind::segment) return;
  for (const Run run : list->runs) {
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
      const SegmentRow& row = segments_[i];
      SnapshotDevice& device = device_for(static_cast<std::int32_t>(row.device), host);
      if (device.segments.size() >= segments_.size()) break;
      SnapshotSegment segment = row.segment;
      take_blocks(row, device, segment);
      device.segments.push_back(segment);
    }
  }
}

void SnapshotAssembler::take_trace(PlainValue value, std::int32_t ordinal, bool host, std::uint64_t at) {
  const List* const list = list_of(value);
  if (list == nullptr || list->rows != Kind::entry) return;
  std::size_t count = 0;
  bool in_order = true;
  bool retained = true;
  for (std::size_t i = 0; i < list->runs.size(); ++i) {
    retained = retained && list->runs[i].first >= entries_.first_retained();
    count += list->runs[i].count;
    in_order =
        in_order && (i == 0 || list->runs[i].first >= list->runs[i - 1].first + list->runs[i - 1].count);
  }
  SnapshotEntries& entries = device_for(ordinal, host).entries;
  // Bounds the entries: each belongs to one trace, even if a hostile file shares lists.
  if (!retained || entries.entry_count() > 0 || count > entries_.size() - taken_entries_) {
    damage().add(DamageReason::unreadable_event, at, {}, count);
    return;
  }
  taken_entries_ += count;
  entries.reset(count);
  std::size_t index = 0;
  for (const Run run : list->runs) {
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i, ++index) {
      const EntryRow& row = entries_[i];
      entries.addr[index] = row.addr;
      entries.size[index] = row.size;
      entries.time_us[index] = row.time_us;
      entries.stack[index] = row.stack;
      entries.note[index] = row.note;
      entries.stream[index] = row.stream;
      entries.pool[index] = row.pool;
      entries.action[index] = row.action;
      if (single_trace_ && in_order && i % EntryRows::kBlock == 0) entries_.drop_before(i);
    }
  }
}

void SnapshotAssembler::take_traces(PlainValue value, bool host, std::uint64_t at) {
  const List* const list = list_of(value);
  if (list == nullptr) return;
  if (list->rows == Kind::entry) return take_trace(value, 0, host, at);
  const std::vector<PlainValue> traces = list->values;
  const auto filled =
      std::ranges::count_if(traces, [&](PlainValue trace) { return list_of(trace) != nullptr; });
  single_trace_ = filled == 1 && !host;
  for (std::size_t i = 0; i < std::min(traces.size(), kMostDevices); ++i) {
    take_trace(traces[i], static_cast<std::int32_t>(i), host, at);
  }
}

void SnapshotAssembler::take_annotations(PlainValue value) {
  const List* const list = list_of(value);
  std::vector<SnapshotAnnotation> taken;
  if (list != nullptr && list->rows == Kind::annotation) {
    for (const Run run : list->runs) {
      for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
        if (taken.size() < snapshot_.annotations.size()) taken.push_back(snapshot_.annotations[i]);
      }
    }
  }
  snapshot_.annotations = std::move(taken);
}

void SnapshotAssembler::take_settings(PlainValue value) {
  if (value.tag() != Tag::object || object(value).kind != Kind::dict) return;
  const Dict& dict = dicts_[object(value).payload];
  for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
    snapshot_.settings.emplace_back(plain_text(dict[i], 0), plain_text(dict[i + 1], 0));
  }
}

void SnapshotAssembler::take_root(PlainValue root) {
  if (is_list(root)) {
    const List* const list = list_of(root);
    if (list != nullptr && list->rows == Kind::segment) {
      take_segments(root, false);
    } else {
      take_traces(root, false, 0);
    }
    snapshot_.annotations.clear();
    return;
  }
  const Dict& dict = dicts_[object(root).payload];
  PlainValue annotations;
  // Traces are taken last, because this frees the rows of entries.
  for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
    const std::uint32_t key = word_of(dict[i]);
    if (key == word_segments) take_segments(dict[i + 1], false);
    if (key == word_host_segments) take_segments(dict[i + 1], true);
    if (key == word_allocator_settings) take_settings(dict[i + 1]);
    if (key == word_external_annotations) annotations = dict[i + 1];
  }
  take_annotations(annotations);
  // If a file has several traces of a device, only the first one is used.
  for (const bool host : {true, false}) {
    std::size_t index = 0;
    for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
      const std::uint32_t key = word_of(dict[i]);
      if (key != word_host_traces && key != word_device_traces) continue;
      const std::uint64_t at = index < trace_offsets_.size() ? trace_offsets_[index] : kNoOffset;
      ++index;
      if (host == (key == word_host_traces)) take_traces(dict[i + 1], host, at);
    }
  }
}

Result<std::shared_ptr<const Snapshot>> SnapshotAssembler::finish(PlainValue root, SnapshotSource source,
                                                                  const std::stop_token& stop) {
  close_stack();
  bool known = is_list(root) && list_of(root) != nullptr &&
               (entries_.size() > 0 || !segments_.empty() || !snapshot_.devices.empty());
  if (root.tag() == Tag::object && object(root).kind == Kind::dict) {
    const Dict& dict = dicts_[object(root).payload];
    for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
      known = known || word_of(dict[i]) == word_segments || word_of(dict[i]) == word_device_traces;
    }
  }
  if (!known) {
    return unknown_format("The file contains no allocator snapshot: neither segments nor device_traces");
  }
  take_root(root);
  // Frees the values, since the replay needs memory.
  const auto release = [](auto&... vectors) {
    (std::remove_reference_t<decltype(vectors)>().swap(vectors), ...);
  };
  release(reals_, objects_, lists_, dicts_, wides_, segments_, blocks_, history_);
  entries_ = {};
  std::ranges::sort(snapshot_.devices, {},
                    [](const SnapshotDevice& device) { return std::pair(device.host, device.ordinal); });
  for (SnapshotDevice& device : snapshot_.devices) {
    std::ranges::stable_sort(device.segments, {}, &SnapshotSegment::addr);
    build_history(device, stop);
  }
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
  snapshot_.source = source;
  return std::shared_ptr<const Snapshot>(std::make_shared<Snapshot>(std::move(snapshot_)));
}

}  // namespace kino
