#include "loaders/snapshot_assembler.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <limits>

#include "loaders/file_kind.hpp"

namespace kino {
namespace {

using Tag = PlainValue::Tag;

/// The strings that are looked for; each has its place here as its number in the string table.
enum Word : std::uint32_t {
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

constexpr std::array<std::string_view, word_first_action> kWords{
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

constexpr std::size_t kMostDevices = 1024;
constexpr int kMostTextDepth = 3;  // of metadata that is a dict
constexpr std::size_t kMostTextBytes = 4096;

std::uint32_t word_of(PlainValue key) { return key.tag() == Tag::text ? key.id() : StringTable::kAbsent; }

bool is_true(PlainValue value) {
  return (value.tag() == Tag::boolean || value.tag() == Tag::integer) && value.payload() != 0;
}

}  // namespace

void SnapshotAssembler::EntryRows::push(const EntryRow& row) {
  if (size_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<EntryRow[]>(kBlock));
  blocks_.back()[size_++ % kBlock] = row;
}

void SnapshotAssembler::EntryRows::drop_before(std::size_t row) {
  for (; dropped_ < row / kBlock; ++dropped_) blocks_[dropped_].reset();
}

std::size_t SnapshotAssembler::NoteHash::operator()(const EntryNote& note) const {
  std::size_t hash = note.compile_context;
  for (const std::uint32_t part : {note.user_metadata, note.category, note.forward_frames}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

SnapshotAssembler::SnapshotAssembler() {
  for (const std::string_view word : kWords) snapshot_.strings.intern(word);
  for (std::size_t i = 0; i < kSnapshotActionCount; ++i) {
    snapshot_.strings.intern(text_of(static_cast<SnapshotAction>(i)));
  }
  snapshot_.streams.push_back(0);
  stream_numbers_.emplace(0, 0);
  snapshot_.pools.push_back({});
  snapshot_.notes.push_back({});
  note_numbers_.emplace(EntryNote{}, 0);
}

bool SnapshotAssembler::within(std::uint64_t count, std::uint64_t slack, std::uint64_t divisor,
                               const char* what) {
  if (count <= slack + offset / divisor) return true;
  if (!failed_) {
    failed_ = Error{Error::Kind::corrupt,
                    std::string("The file asks for more ") + what + " than its bytes can hold", offset};
  }
  return false;
}

// ---- values
// ------------------------------------------------------------------------------------------------

std::uint32_t SnapshotAssembler::intern(std::string_view value) {
  if (!within(snapshot_.strings.size(), 1 << 16U, 16, "different texts")) return 0;
  return snapshot_.strings.intern(value);
}

PlainValue SnapshotAssembler::integer(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 59U;
  if (value >= -kLimit && value < kLimit) return {Tag::integer, static_cast<std::uint64_t>(value)};
  wides_.push_back(static_cast<std::uint64_t>(value));
  return {Tag::wide, wides_.size() - 1};
}

PlainValue SnapshotAssembler::integer_above(std::uint64_t value) {
  wides_.push_back(value);
  return {Tag::wide, wides_.size() - 1};
}

PlainValue SnapshotAssembler::real(double value) {
  reals_.push_back(value);
  return {Tag::real, reals_.size() - 1};
}

PlainValue SnapshotAssembler::new_object(Kind kind, std::uint32_t payload) {
  if (!within(objects_.size(), 1 << 16U, 4, "lists and dicts")) return {};
  objects_.push_back({payload, kind});
  return {Tag::object, objects_.size() - 1};
}

PlainValue SnapshotAssembler::tuple(std::span<const PlainValue> items) {
  if (items.size() == 2 && items[0].tag() == Tag::integer && items[1].tag() == Tag::integer) {
    return {Tag::pool, pool_number(items[0].integer(), items[1].integer())};
  }
  const PlainValue list = new_list();
  append(list, items);
  return list;
}

bool SnapshotAssembler::is_list(PlainValue value) const {
  if (value.tag() != Tag::object) return false;
  switch (object(value).kind) {
    case Kind::empty_list:
    case Kind::list:
    case Kind::open_stack:
    case Kind::stack:
    case Kind::joined:
    case Kind::pair:
      return true;
    default:
      return false;
  }
}

bool SnapshotAssembler::is_dict(PlainValue value) const {
  return value.tag() == Tag::object && !is_list(value);
}

bool SnapshotAssembler::is_empty_list(PlainValue value) const {
  return value.tag() == Tag::object && object(value).kind == Kind::empty_list;
}

std::optional<PlainValue> SnapshotAssembler::only_item(PlainValue list) const {
  const List* const found = list_of(list);
  if (found == nullptr || found->values.size() != 1) return std::nullopt;
  return found->values.front();
}

std::uint64_t SnapshotAssembler::unsigned_of(PlainValue value) {
  switch (value.tag()) {
    case Tag::integer:
      return static_cast<std::uint64_t>(value.integer());
    case Tag::wide:
      return wides_[value.payload()];
    case Tag::boolean:
      return value.payload();
    case Tag::none:
      return 0;
    case Tag::real: {
      const double number = reals_[value.payload()];
      if (number >= 0 && number < 0x1p63) return static_cast<std::uint64_t>(number);
      [[fallthrough]];
    }
    default:
      damage().add(DamageReason::number_out_of_range, offset, {});
      return 0;
  }
}

std::int64_t SnapshotAssembler::signed_of(PlainValue value) {
  return static_cast<std::int64_t>(unsigned_of(value));
}

std::uint32_t SnapshotAssembler::text_of_value(PlainValue value) {
  if (value.tag() == Tag::text) return value.id();
  if (value.tag() == Tag::none) return StringTable::kAbsent;
  return intern(plain_text(value, 0));
}

std::string SnapshotAssembler::plain_text(PlainValue value, int depth) const {
  switch (value.tag()) {
    case Tag::none:
    case Tag::callable:
      return "None";
    case Tag::boolean:
      return value.payload() != 0 ? "True" : "False";
    case Tag::integer:
      return std::to_string(value.integer());
    case Tag::wide:
      return std::to_string(wides_[value.payload()]);
    case Tag::too_large:
      return "(too large)";
    case Tag::real: {
      char text[40];
      std::snprintf(text, sizeof text, "%.6g", reals_[value.payload()]);
      return text;
    }
    case Tag::text:
      return std::string(snapshot_.strings[value.id()]);
    case Tag::pool: {
      const PoolId pool = snapshot_.pools[value.id()];
      return "(" + std::to_string(pool.graph) + ", " + std::to_string(pool.user) + ")";
    }
    case Tag::object:
      break;
  }
  const Object& target = object(value);
  std::string text;
  if (depth >= kMostTextDepth) return "...";
  if (target.kind == Kind::dict) {
    const Dict& dict = dicts_[target.payload];
    for (std::size_t i = 0; i + 1 < dict.size() && text.size() < kMostTextBytes; i += 2) {
      if (i > 0) text += ", ";
      text += plain_text(dict[i], depth + 1);
      text += ": ";
      text += plain_text(dict[i + 1], depth + 1);
    }
  } else if (target.kind == Kind::list) {
    for (const PlainValue item : lists_[target.payload].values) {
      if (text.size() >= kMostTextBytes) break;
      if (!text.empty()) text += ", ";
      text += plain_text(item, depth + 1);
    }
  } else if (target.kind == Kind::joined) {
    text = snapshot_.strings[target.payload];
  }
  return text;
}

std::uint16_t SnapshotAssembler::pool_number(std::int64_t graph, std::int64_t user) {
  const PoolId pool{graph, user};
  std::vector<PoolId>& pools = snapshot_.pools;
  // A few, nearly always the first.
  constexpr std::size_t kMostPools = 4096;
  const auto found = std::ranges::find(pools, pool);
  if (found != pools.end()) return static_cast<std::uint16_t>(found - pools.begin());
  if (pools.size() >= kMostPools) {
    damage().add(DamageReason::number_out_of_range, offset, {});
    return 0;
  }
  pools.push_back(pool);
  return static_cast<std::uint16_t>(pools.size() - 1);
}

std::uint16_t SnapshotAssembler::pool_of(PlainValue value) {
  if (value.tag() == Tag::pool) return static_cast<std::uint16_t>(value.id());
  if (value.tag() != Tag::object) return 0;
  Object& target = object(value);
  if (target.kind == Kind::list) {
    const std::vector<PlainValue>& values = lists_[target.payload].values;
    const std::uint16_t pool =
        values.size() == 2 ? pool_number(signed_of(values[0]), signed_of(values[1])) : std::uint16_t{0};
    drop_list(target);
    target = {pool, Kind::pair};
  }
  return target.kind == Kind::pair ? static_cast<std::uint16_t>(target.payload) : std::uint16_t{0};
}

std::uint16_t SnapshotAssembler::stream_of(PlainValue value) {
  const std::uint64_t stream = unsigned_of(value);
  if (stream == last_stream_) return last_stream_number_;
  const auto [it, added] =
      stream_numbers_.emplace(stream, static_cast<std::uint16_t>(snapshot_.streams.size()));
  if (added) {
    if (snapshot_.streams.size() >= std::numeric_limits<std::uint16_t>::max()) {
      stream_numbers_.erase(it);
      damage().add(DamageReason::number_out_of_range, offset, {});
      return 0;
    }
    snapshot_.streams.push_back(stream);
  }
  last_stream_ = stream;
  return last_stream_number_ = it->second;
}

std::uint32_t SnapshotAssembler::lines_of(PlainValue value) {
  if (value.tag() != Tag::object) return text_of_value(value);
  Object& target = object(value);
  if (target.kind == Kind::joined) return target.payload;
  if (target.kind != Kind::list) return StringTable::kAbsent;
  std::string lines;
  for (const PlainValue item : lists_[target.payload].values) {
    if (!lines.empty()) lines += '\n';
    lines += plain_text(item, kMostTextDepth);
  }
  drop_list(target);
  target = {intern(lines), Kind::joined};
  return target.payload;
}

std::uint32_t SnapshotAssembler::note_number(const EntryNote& note) {
  if (note == last_note_) return last_note_number_;
  const auto [it, added] = note_numbers_.emplace(note, static_cast<std::uint32_t>(snapshot_.notes.size()));
  if (added) snapshot_.notes.push_back(note);
  last_note_ = note;
  return last_note_number_ = it->second;
}

// ---- lists
// -------------------------------------------------------------------------------------------------

SnapshotAssembler::List& SnapshotAssembler::make_list(Object& target) {
  if (target.kind != Kind::list) {
    if (free_lists_.empty()) {
      free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
      lists_.emplace_back();
    }
    target = {free_lists_.back(), Kind::list};
    free_lists_.pop_back();
  }
  return lists_[target.payload];
}

void SnapshotAssembler::drop_list(Object& target) {
  List& list = lists_[target.payload];
  kept_values_ -= list.values.size() + list.runs.size();
  list.values.clear();
  list.runs.clear();
  list.rows = Kind::empty_list;
  free_lists_.push_back(target.payload);
}

bool SnapshotAssembler::append(PlainValue list, std::span<const PlainValue> items) {
  if (!is_list(list)) return false;
  if (items.empty()) return true;
  bool frames = true;
  for (const PlainValue item : items) {
    if (item.tag() != Tag::object) {
      frames = false;
      continue;
    }
    if (object(item).kind == Kind::dict) seal(item);
    frames = frames && object(item).kind == Kind::frame;
  }
  switch (object(list).kind) {
    case Kind::empty_list:
      if (frames) return append_frames(list.id(), items);
      append_values(list.id(), items);
      return true;
    case Kind::open_stack:
    case Kind::stack:
      if (frames) return append_frames(list.id(), items);
      [[fallthrough]];
    case Kind::joined:
    case Kind::pair:
      damage().add(DamageReason::unreadable_event, offset, {}, items.size());
      return true;
    default:
      append_values(list.id(), items);
      return true;
  }
}

bool SnapshotAssembler::append_frames(std::uint32_t list, std::span<const PlainValue> items) {
  if (open_stack_ != list) {
    close_stack();
    if (objects_[list].kind == Kind::stack) {
      const auto stored = snapshot_.stacks.frames(StackId{objects_[list].payload});
      open_frames_.assign(stored.begin(), stored.end());
    }
    open_stack_ = list;
    objects_[list].kind = Kind::open_stack;
  }
  for (const PlainValue item : items) open_frames_.push_back(FrameId{object(item).payload});
  return true;
}

void SnapshotAssembler::close_stack() {
  if (open_stack_ == kNoObject) return;
  StackId stack = kEmptyStack;
  if (within(snapshot_.stacks.stored_frames() + open_frames_.size(), 1 << 16U, 2, "frames")) {
    stack = snapshot_.stacks.intern(open_frames_);
  }
  objects_[open_stack_] = {static_cast<std::uint32_t>(stack), Kind::stack};
  open_stack_ = kNoObject;
  open_frames_.clear();
}

StackId SnapshotAssembler::stack_of(PlainValue value) {
  if (value.tag() != Tag::object) return kNoStack;
  if (object(value).kind == Kind::open_stack) close_stack();
  switch (object(value).kind) {
    case Kind::stack:
      return StackId{object(value).payload};
    case Kind::empty_list:
      return kEmptyStack;
    default:
      damage().add(DamageReason::unreadable_event, offset, {});
      return kNoStack;
  }
}

void SnapshotAssembler::append_values(std::uint32_t list, std::span<const PlainValue> items) {
  const auto row_kind = [&](PlainValue item) {
    if (item.tag() != Tag::object) return Kind::empty_list;
    const Kind kind = object(item).kind;
    return kind >= Kind::entry ? kind : Kind::empty_list;
  };
  kept_values_ += items.size();
  if (!within(kept_values_, 1 << 20U, 8, "values") || !within(lists_.size(), 1 << 16U, 32, "lists")) return;
  const bool fresh = objects_[list].kind != Kind::list;
  List& target = make_list(objects_[list]);
  if (fresh) target.rows = row_kind(items.front());
  if (target.rows == Kind::empty_list) {
    target.values.insert(target.values.end(), items.begin(), items.end());
    return;
  }
  for (const PlainValue item : items) {
    if (row_kind(item) != target.rows) {
      damage().add(DamageReason::unreadable_event, offset, {});
      continue;
    }
    const std::uint32_t row = object(item).payload;
    if (!target.runs.empty() && target.runs.back().first + target.runs.back().count == row) {
      ++target.runs.back().count;
      --kept_values_;
    } else {
      target.runs.push_back({row, 1});
    }
  }
}

const SnapshotAssembler::List* SnapshotAssembler::list_of(PlainValue value) const {
  if (value.tag() != Tag::object || object(value).kind != Kind::list) return nullptr;
  return &lists_[object(value).payload];
}

// ---- dicts
// -------------------------------------------------------------------------------------------------

bool SnapshotAssembler::set_items(PlainValue dict, std::span<const PlainValue> items) {
  if (!is_dict(dict)) return false;
  if (items.size() < 2) return true;
  for (std::size_t i = 1; i < items.size(); i += 2) {
    if (items[i].tag() == Tag::object && object(items[i]).kind == Kind::dict) seal(items[i]);
  }
  Object& target = object(dict);
  if (target.kind == Kind::empty_dict) {
    // One pair alone is the first of several that come one by one.
    if (items.size() > 2 && file_row(target, kind_by_keys(items), items)) return true;
    if (free_dicts_.empty()) {
      if (!within(dicts_.size(), 1 << 16U, 32, "dicts")) return true;
      free_dicts_.push_back(static_cast<std::uint32_t>(dicts_.size()));
      dicts_.emplace_back();
    }
    target = {free_dicts_.back(), Kind::dict};
    free_dicts_.pop_back();
  } else if (target.kind != Kind::dict) {
    damage().add(DamageReason::unreadable_event, offset, {});
    return true;
  }
  kept_values_ += items.size();
  if (!within(kept_values_, 1 << 20U, 8, "values")) return true;
  Dict& kept = dicts_[target.payload];
  kept.insert(kept.end(), items.begin(), items.end());
  return true;
}

void SnapshotAssembler::seal(PlainValue value) {
  Object& target = object(value);
  const std::uint32_t number = target.payload;
  Dict dict = std::move(dicts_[number]);
  if (!file_row(target, kind_by_keys(dict), dict)) {
    dicts_[number] = std::move(dict);
    return;
  }
  kept_values_ -= dict.size();
  dict.clear();
  dicts_[number] = std::move(dict);
  free_dicts_.push_back(number);
}

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
  return address && size ? Kind::segment : Kind::empty_dict;  // a segment of host memory
}

bool SnapshotAssembler::breaks_when_cut(std::span<const PlainValue> items) const {
  switch (kind_by_keys(items)) {
    case Kind::entry:
    case Kind::frame:
    case Kind::block:
    case Kind::history:
    case Kind::annotation:
      return true;
    default:
      return false;
  }
}

bool SnapshotAssembler::is_cut(PlainValue value) const {
  return value.tag() == Tag::object && object(value).kind == Kind::dict &&
         breaks_when_cut(dicts_[object(value).payload]);
}

bool SnapshotAssembler::file_row(Object& target, Kind kind, std::span<const PlainValue> items) {
  const std::uint64_t rows = entries_.size() + segments_.size() + blocks_.size() + history_.size() +
                             snapshot_.annotations.size() + snapshot_.stacks.frame_count();
  if (kind == Kind::empty_dict) return false;
  if (!within(rows, 1 << 12U, 8, "entries")) return true;
  // Nothing below makes objects, so `target` stays where it is.
  switch (kind) {
    case Kind::frame:
      target.payload = add_frame(items);
      break;
    case Kind::entry:
      target.payload = add_entry(items);
      break;
    case Kind::segment:
      target.payload = add_segment(items);
      break;
    case Kind::block:
      target.payload = add_block(items);
      break;
    case Kind::history:
      target.payload = add_history(items);
      break;
    default:
      target.payload = add_annotation(items);
      break;
  }
  target.kind = kind;
  return true;
}

std::uint32_t SnapshotAssembler::add_frame(std::span<const PlainValue> items) {
  SnapshotFrame frame;
  FxNode fx;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PlainValue value = items[i + 1];
    switch (word_of(items[i])) {
      case word_name:
        frame.name = text_of_value(value);
        break;
      case word_filename:
        frame.file = text_of_value(value);
        break;
      case word_line:
        frame.line = signed_of(value);
        break;
      case word_fx_node_op:
        fx.op = text_of_value(value);
        break;
      case word_fx_node_name:
        fx.name = text_of_value(value);
        break;
      case word_fx_node_target:
        fx.target = text_of_value(value);
        break;
      case word_fx_original_trace:
        fx.original_trace = text_of_value(value);
        break;
      default:
        break;
    }
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
  row.note = note_number(note);
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
    const PlainValue value = items[i + 1];
    switch (word_of(items[i])) {
      case word_device:
        row.device = signed_of(value);
        break;
      case word_address:
        segment.addr = unsigned_of(value);
        break;
      case word_total_size:
      case word_size:
        segment.size = unsigned_of(value);
        break;
      case word_allocated_size:
      case word_allocated:
        segment.allocated = unsigned_of(value);
        row.has_allocated = true;
        break;
      case word_active_size:
      case word_active:
        segment.active = unsigned_of(value);
        row.has_active = true;
        break;
      case word_requested_size:
        segment.requested = unsigned_of(value);
        row.has_requested = true;
        break;
      case word_stream:
        segment.stream = stream_of(value);
        break;
      case word_segment_type:
        segment.small = word_of(value) == word_small;
        break;
      case word_segment_pool_id:
      case word_pool_id:
        segment.pool = pool_of(value);
        break;
      case word_is_expandable:
        segment.expandable = is_true(value);
        break;
      case word_frames:
        segment.stack = stack_of(value);
        break;
      case word_blocks:
        if (value.tag() == Tag::object) row.blocks = value.id();
        break;
      default:
        break;
    }
  }
  segments_.push_back(row);
  return static_cast<std::uint32_t>(segments_.size() - 1);
}

std::uint32_t SnapshotAssembler::add_block(std::span<const PlainValue> items) {
  BlockRow row;
  SnapshotBlock& block = row.block;
  std::optional<std::uint64_t> requested;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const PlainValue value = items[i + 1];
    switch (word_of(items[i])) {
      case word_address:
        block.addr = unsigned_of(value);
        row.has_addr = true;
        break;
      case word_size:
        block.size = unsigned_of(value);
        break;
      case word_requested_size:
        requested = unsigned_of(value);
        break;
      case word_state: {
        const std::uint32_t state = word_of(value);
        block.state = state == word_active_allocated ? BlockState::allocated
                      : state == word_active_pending_free || state == word_active_awaiting_free
                          ? BlockState::pending_free
                          : BlockState::inactive;
        break;
      }
      case word_frames:
        block.stack = stack_of(value);
        break;
      case word_history: {
        // Torch 1.13 and 2.0: who was here, the newest first.
        const List* const list = list_of(value);
        if (list == nullptr || list->rows != Kind::history) break;
        const HistoryRow& newest = history_[list->runs.front().first];
        if (!requested) requested = newest.size;
        if (block.stack == kNoStack) block.stack = newest.stack;
        break;
      }
      default:
        break;
    }
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
    const PlainValue value = items[i + 1];
    switch (word_of(items[i])) {
      case word_name:
        annotation.name = text_of_value(value);
        break;
      case word_stage:
        annotation.start = word_of(value) == word_start;
        break;
      case word_device:
        annotation.device = static_cast<std::int32_t>(signed_of(value));
        break;
      case word_time_us:
        annotation.time_us = signed_of(value);
        break;
      default:
        break;
    }
  }
  snapshot_.annotations.push_back(annotation);
  return static_cast<std::uint32_t>(snapshot_.annotations.size() - 1);
}

// ---- the model
// ---------------------------------------------------------------------------------------------

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
        // Each block is in one segment, whatever a file says that shares a list.
        if (device.blocks.size() >= blocks_.size()) break;
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

void SnapshotAssembler::take_trace(PlainValue value, std::int32_t ordinal, bool host) {
  const List* const list = list_of(value);
  if (list == nullptr || list->rows != Kind::entry) return;
  std::size_t count = 0;
  bool in_order = true;
  for (std::size_t i = 0; i < list->runs.size(); ++i) {
    count += list->runs[i].count;
    in_order =
        in_order && (i == 0 || list->runs[i].first >= list->runs[i - 1].first + list->runs[i - 1].count);
  }
  SnapshotEntries& entries = device_for(ordinal, host).entries;
  if (entries.size_entries() > 0 || count > entries_.size()) {
    damage().add(DamageReason::unreadable_event, kNoOffset, {}, count);
    return;
  }
  entries.addr = Column<std::uint64_t>(count);
  entries.size = Column<std::uint64_t>(count);
  entries.time_us = Column<std::int64_t>(count);
  entries.stack = Column<StackId>(count);
  entries.note = Column<std::uint32_t>(count);
  entries.stream = Column<std::uint16_t>(count);
  entries.pool = Column<std::uint16_t>(count);
  entries.action = Column<SnapshotAction>(count);
  std::size_t at = 0;
  for (const Run run : list->runs) {
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i, ++at) {
      const EntryRow& row = entries_[i];
      entries.addr[at] = row.addr;
      entries.size[at] = row.size;
      entries.time_us[at] = row.time_us;
      entries.stack[at] = row.stack;
      entries.note[at] = row.note;
      entries.stream[at] = row.stream;
      entries.pool[at] = row.pool;
      entries.action[at] = row.action;
      if (single_trace_ && in_order && i % EntryRows::kBlock == 0) entries_.drop_before(i);
    }
  }
}

void SnapshotAssembler::take_traces(PlainValue value, bool host) {
  const List* const list = list_of(value);
  if (list == nullptr) return;
  if (list->rows == Kind::entry) {
    take_trace(value, 0, host);
    return;
  }
  const std::vector<PlainValue> traces = list->values;
  std::size_t filled = 0;
  for (const PlainValue trace : traces) filled += list_of(trace) != nullptr ? 1 : 0;
  single_trace_ = filled == 1 && !host;
  for (std::size_t i = 0; i < std::min(traces.size(), kMostDevices); ++i) {
    take_trace(traces[i], static_cast<std::int32_t>(i), host);
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
      take_traces(root, false);
    }
    snapshot_.annotations.clear();
    return;
  }
  const Dict& dict = dicts_[object(root).payload];
  PlainValue annotations;
  // Segments first: the entries give their memory back as they go.
  for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
    const std::uint32_t key = word_of(dict[i]);
    if (key == word_segments) take_segments(dict[i + 1], false);
    if (key == word_host_segments) take_segments(dict[i + 1], true);
    if (key == word_allocator_settings) take_settings(dict[i + 1]);
    if (key == word_external_annotations) annotations = dict[i + 1];
  }
  take_annotations(annotations);
  for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
    if (word_of(dict[i]) == word_host_traces) take_traces(dict[i + 1], true);
  }
  for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
    if (word_of(dict[i]) == word_device_traces) take_traces(dict[i + 1], false);
  }
}

Result<std::shared_ptr<const Snapshot>> SnapshotAssembler::finish(PlainValue root, SnapshotSource source,
                                                                  const std::stop_token& stop) {
  close_stack();
  bool known = is_list(root) && list_of(root) != nullptr && (entries_.size() > 0 || !segments_.empty());
  if (root.tag() == Tag::object && object(root).kind == Kind::dict) {
    const Dict& dict = dicts_[object(root).payload];
    for (std::size_t i = 0; i + 1 < dict.size(); i += 2) {
      known = known || word_of(dict[i]) == word_segments || word_of(dict[i]) == word_device_traces;
    }
  }
  if (!known) {
    return unknown_format("There is no allocator snapshot in it: neither segments nor device_traces");
  }
  take_root(root);
  // The values are not needed any more; the replay wants the room.
  std::vector<double>().swap(reals_);
  entries_ = {};
  std::vector<Object>().swap(objects_);
  std::vector<List>().swap(lists_);
  std::vector<Dict>().swap(dicts_);
  std::vector<std::uint64_t>().swap(wides_);
  std::vector<SegmentRow>().swap(segments_);
  std::vector<BlockRow>().swap(blocks_);
  std::vector<HistoryRow>().swap(history_);
  std::ranges::sort(snapshot_.devices, {},
                    [](const SnapshotDevice& device) { return std::pair(device.host, device.ordinal); });
  for (SnapshotDevice& device : snapshot_.devices) {
    std::ranges::stable_sort(device.segments, {}, &SnapshotSegment::addr);
    build_history(device, stop);
  }
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled", kNoOffset};
  snapshot_.source = source;
  return std::shared_ptr<const Snapshot>(std::make_shared<Snapshot>(std::move(snapshot_)));
}

}  // namespace kino
