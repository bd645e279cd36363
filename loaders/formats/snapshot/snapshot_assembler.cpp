#include "loaders/formats/snapshot/snapshot_assembler.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "loaders/formats/snapshot/snapshot_words.hpp"

namespace kino {
namespace {

using Tag = PlainValue::Tag;

constexpr int kMostTextDepth = 3;  // levels of containers that plain_text() shows
constexpr std::size_t kMostTextBytes = 4096;

}  // namespace

void SnapshotAssembler::EntryRows::push(const EntryRow& row) {
  if (size_ % kBlock == 0) blocks_.emplace_back().reserve(size_ == 0 ? 0 : kBlock);  // most files are small
  ++size_;
  blocks_.back().push_back(row);
}

void SnapshotAssembler::EntryRows::drop_before(std::size_t row) {
  for (; dropped_ < row / kBlock; ++dropped_) blocks_[dropped_] = {};
}

std::size_t SnapshotAssembler::NoteHash::operator()(const EntryNote& note) const {
  std::size_t hash = note.compile_context;
  for (const std::uint32_t part : {note.user_metadata, note.category, note.forward_frames}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

SnapshotAssembler::SnapshotAssembler(LibraryList libraries) {
  snapshot_.libraries = std::move(libraries);
  for (const std::string_view word : kSnapshotWords) snapshot_.strings.intern(word);
  for (std::size_t i = 0; i < kSnapshotActionCount; ++i) {
    snapshot_.strings.intern(text_of(static_cast<SnapshotAction>(i)));
  }
  snapshot_.streams.push_back(0);
  stream_ids_.emplace(0, 0);
  snapshot_.pools.push_back({});
  snapshot_.notes.push_back({});
  note_ids_.emplace(EntryNote{}, 0);
}

bool SnapshotAssembler::within(std::uint64_t count, std::uint64_t slack, std::uint64_t divisor,
                               const char* what) {
  if (count <= slack + offset / divisor) return true;
  if (!failed_) {
    failed_ = Error{Error::Kind::corrupt,
                    std::string("The file declares more ") + what + " than its size allows", offset};
  }
  return false;
}

std::uint32_t SnapshotAssembler::intern(std::string_view value) {
  if (!within(snapshot_.strings.size(), 1 << 16U, 16, "different texts")) return 0;
  return snapshot_.strings.intern(value);
}

PlainValue SnapshotAssembler::text(std::string_view value) {
  const std::uint32_t id = intern(value);
  if (id == word_device_traces || id == word_host_traces) trace_offsets_.push_back(offset);
  return {Tag::text, id};
}

PlainValue SnapshotAssembler::integer(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 59U;
  if (value >= -kLimit && value < kLimit) return {Tag::integer, static_cast<std::uint64_t>(value)};
  return integer_above(static_cast<std::uint64_t>(value));
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
    return {Tag::pool, pool_id(items[0].integer(), items[1].integer())};
  }
  const PlainValue list = new_list();
  append(list, items);
  return list;
}

bool SnapshotAssembler::is_list(PlainValue value) const {
  constexpr std::array kLists = {Kind::empty_list, Kind::list,   Kind::open_stack,
                                 Kind::stack,      Kind::joined, Kind::pair};
  return value.tag() == Tag::object && std::ranges::find(kLists, object(value).kind) != kLists.end();
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

std::uint16_t SnapshotAssembler::pool_id(std::int64_t graph, std::int64_t user) {
  const PoolId pool{graph, user};
  std::vector<PoolId>& pools = snapshot_.pools;
  // A linear search is enough: there are few pools, and mostly the first one is used.
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
        values.size() == 2 ? pool_id(signed_of(values[0]), signed_of(values[1])) : std::uint16_t{0};
    drop_list(target);
    target = {pool, Kind::pair};
  }
  return target.kind == Kind::pair ? static_cast<std::uint16_t>(target.payload) : std::uint16_t{0};
}

std::uint16_t SnapshotAssembler::stream_of(PlainValue value) {
  const std::uint64_t stream = unsigned_of(value);
  if (stream == last_stream_) return last_stream_id_;
  const auto [known, added] =
      stream_ids_.emplace(stream, static_cast<std::uint16_t>(snapshot_.streams.size()));
  if (added) {
    if (snapshot_.streams.size() >= std::numeric_limits<std::uint16_t>::max()) {
      stream_ids_.erase(known);
      damage().add(DamageReason::number_out_of_range, offset, {});
      return 0;
    }
    snapshot_.streams.push_back(stream);
  }
  last_stream_ = stream;
  return last_stream_id_ = known->second;
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

std::uint32_t SnapshotAssembler::note_id(const EntryNote& note) {
  if (note == last_note_) return last_note_id_;
  const auto [known, added] = note_ids_.emplace(note, static_cast<std::uint32_t>(snapshot_.notes.size()));
  if (added) snapshot_.notes.push_back(note);
  last_note_ = note;
  return last_note_id_ = known->second;
}

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
  value_count_ -= list.values.size() + list.runs.size();
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
  value_count_ += items.size();
  if (!within(value_count_, 1 << 20U, 8, "values") || !within(lists_.size(), 1 << 16U, 32, "lists")) return;
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
      --value_count_;
    } else {
      target.runs.push_back({row, 1});
    }
  }
}

const SnapshotAssembler::List* SnapshotAssembler::list_of(PlainValue value) const {
  if (value.tag() != Tag::object || object(value).kind != Kind::list) return nullptr;
  return &lists_[object(value).payload];
}

bool SnapshotAssembler::set_items(PlainValue dict, std::span<const PlainValue> items) {
  if (!is_dict(dict)) return false;
  if (items.size() < 2) return true;
  for (std::size_t i = 1; i < items.size(); i += 2) {
    if (items[i].tag() == Tag::object && object(items[i]).kind == Kind::dict) seal(items[i]);
  }
  Object& target = object(dict);
  if (target.kind == Kind::empty_dict) {
    // A single pair is not a row: it starts a dict that is filled pair by pair.
    if (items.size() > 2 && store_row(target, kind_by_keys(items), items)) return true;
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
  value_count_ += items.size();
  if (!within(value_count_, 1 << 20U, 8, "values")) return true;
  Dict& stored = dicts_[target.payload];
  stored.insert(stored.end(), items.begin(), items.end());
  return true;
}

void SnapshotAssembler::seal(PlainValue value) {
  Object& target = object(value);
  const std::uint32_t index = target.payload;
  Dict items = std::move(dicts_[index]);
  const bool stored = store_row(target, kind_by_keys(items), items);
  if (stored) {
    value_count_ -= items.size();
    items.clear();
    free_dicts_.push_back(index);
  }
  dicts_[index] = std::move(items);
}

}  // namespace kino
