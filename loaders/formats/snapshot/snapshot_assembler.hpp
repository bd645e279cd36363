// Builds the model of a snapshot from the plain values of a file, adding each value once it is complete.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Maximum length of a string in bytes: a small compressed file could expand to many long strings. Names,
/// paths and source lines are shorter.
inline constexpr std::size_t kMostSnapshotStringBytes = std::size_t{64} << 20U;

/// A plain value in eight bytes. Larger values are stored in tables, and their ids are stored here.
class PlainValue {
 public:
  enum class Tag : std::uint8_t {
    none,
    boolean,
    integer,    ///< fits in 60 bits, signed
    wide,       ///< id of a 64-bit integer
    too_large,  ///< an integer that does not fit in 64 bits
    real,       ///< id of a double
    text,       ///< id of a string
    object,     ///< id of a list or dict
    pool,       ///< id of a pair of integers
    callable,   ///< a known Python type, never called
  };

  constexpr PlainValue() = default;
  constexpr PlainValue(Tag tag, std::uint64_t payload) : bits_(payload << 4U | static_cast<unsigned>(tag)) {}
  constexpr Tag tag() const { return static_cast<Tag>(bits_ & 15U); }
  constexpr std::uint64_t payload() const { return bits_ >> 4U; }
  constexpr std::int64_t integer() const { return static_cast<std::int64_t>(bits_) >> 4U; }
  constexpr std::uint32_t id() const { return static_cast<std::uint32_t>(payload()); }

 private:
  std::uint64_t bits_ = 0;
};

/// Receives the values of a file in order, and stores known rows (frames, stacks, entries, blocks, segments,
/// annotations) directly in tables. The keys of a dict determine its kind. Lists and dicts are shared by id,
/// as in a pickle.
///
/// Memory is bounded by `offset`, the number of bytes read, which the caller updates. If a file requires more
/// memory than its bytes justify, failed() contains the error and further values are dropped.
class SnapshotAssembler {
 public:
  /// Subject of the error message if a pickle is refused.
  static constexpr const char* kSubject = "a snapshot of the allocator";

  explicit SnapshotAssembler(LibraryList libraries = default_libraries());

  PlainValue integer(std::int64_t value);
  /// Adds an integer above 2^63 - 1.
  PlainValue integer_above(std::uint64_t value);
  PlainValue real(double value);
  PlainValue text(std::string_view value);
  static PlainValue boolean(bool value) { return {PlainValue::Tag::boolean, value ? 1U : 0U}; }
  static PlainValue too_large() { return {PlainValue::Tag::too_large, 0}; }

  PlainValue new_list() { return new_object(Kind::empty_list); }
  PlainValue new_dict() { return new_object(Kind::empty_dict); }
  /// Creates a list with the items. A pair of integers is stored without an object.
  PlainValue tuple(std::span<const PlainValue> items);

  bool is_list(PlainValue value) const;
  bool is_dict(PlainValue value) const;
  bool is_empty_list(PlainValue value) const;
  /// Returns the item of a list that has exactly one item, for arguments of constructors.
  std::optional<PlainValue> only_item(PlainValue list) const;
  /// Appends items. Returns false if `list` is not a list.
  bool append(PlainValue list, std::span<const PlainValue> items);
  /// Adds alternating keys and values. Returns false if `dict` is not a dict.
  bool set_items(PlainValue dict, std::span<const PlainValue> items);
  /// Returns whether these items belong to an entry, frame, block, history or annotation. Such a dict is
  /// useless if some of its keys are missing.
  bool is_useless_incomplete(std::span<const PlainValue> items) const;
  /// Returns whether the value is a dict that is_useless_incomplete() describes, was filled pair by pair, and
  /// is not in a container yet.
  bool is_cut_row(PlainValue value) const;

  /// Returns a value as readable text, which has only the first items of containers.
  std::string plain_text(PlainValue value) const { return plain_text(value, 0); }

  /// Adds an allocation of device 0 that precedes the first entry and is never freed.
  void add_older(std::uint64_t addr, std::uint64_t size, PlainValue category);

  std::uint64_t offset = 0;
  const std::optional<Error>& failed() const { return failed_; }
  std::uint64_t entry_count() const { return entries_.size(); }
  DamageLog& damage() { return snapshot_.damage; }

  /// Builds the model from `root`: the dict of a snapshot, or a list of segments or traces. Returns an Error
  /// if `root` has neither the keys nor the rows of a snapshot, or on a stop request. The assembler must not
  /// be used afterwards.
  Result<std::shared_ptr<const Snapshot>> finish(PlainValue root, SnapshotSource source,
                                                 const std::stop_token& stop);

 private:
  enum class Kind : std::uint8_t {
    empty_list,
    empty_dict,
    list,        // index into lists_
    dict,        // index into dicts_
    frame,       // FrameId
    open_stack,  // list whose frames are in open_frames_
    stack,       // StackId
    joined,      // list of strings, joined with line breaks
    pair,        // list of two integers, which is converted to a pool
    entry,       // this and the following: rows of the tables below
    segment,
    block,
    history,
    annotation,
  };
  struct Object {
    std::uint32_t payload = 0;
    Kind kind = Kind::empty_list;
  };
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// Rows of one kind, or values of any kind.
  struct List {
    Kind rows = Kind::empty_list;
    std::vector<Run> runs;
    std::vector<PlainValue> values;
  };
  using Dict = std::vector<PlainValue>;  // alternating keys and values

  struct EntryRow {
    std::uint64_t addr = 0;
    std::uint64_t size = 0;
    std::int64_t time_us = SnapshotEntries::kNoTime;
    StackId stack = kNoStack;
    std::uint32_t note = 0;
    std::uint16_t stream = 0;
    std::uint16_t pool = 0;
    SnapshotAction action = SnapshotAction::unknown;
  };
  /// Rows in blocks. The table grows without copying rows, and blocks are freed while the columns are filled.
  class EntryRows {
   public:
    static constexpr std::size_t kBlock = std::size_t{1} << 15U;
    std::size_t size() const { return size_; }
    void push(const EntryRow& row);
    const EntryRow& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
    void drop_before(std::size_t row);
    std::size_t first_retained() const { return dropped_ * kBlock; }

   private:
    std::vector<std::vector<EntryRow>> blocks_;
    std::size_t size_ = 0;
    std::size_t dropped_ = 0;
  };
  struct BlockRow {
    SnapshotBlock block;
    bool has_addr = false;
  };
  struct HistoryRow {
    std::uint64_t size = 0;
    StackId stack = kNoStack;
  };
  struct SegmentRow {
    SnapshotSegment segment;
    std::int64_t device = 0;
    bool has_allocated = false;
    bool has_active = false;
    bool has_requested = false;
    std::uint32_t blocks = kNoObject;  // id of an object
  };
  struct NoteHash {
    std::size_t operator()(const EntryNote& note) const;
  };

  static constexpr std::uint32_t kNoObject = 0xffffffffU;

  std::uint32_t intern(std::string_view value);
  PlainValue new_object(Kind kind, std::uint32_t payload = 0);
  bool within(std::uint64_t count, std::uint64_t slack, std::uint64_t divisor, const char* what);
  Object& object(PlainValue value) { return objects_[value.id()]; }
  const Object& object(PlainValue value) const { return objects_[value.id()]; }

  std::uint64_t unsigned_of(PlainValue value);
  std::int64_t signed_of(PlainValue value);
  std::uint32_t text_of_value(PlainValue value);
  StackId stack_of(PlainValue value);
  std::uint16_t pool_of(PlainValue value);
  std::uint16_t stream_of(PlainValue value);
  std::uint32_t lines_of(PlainValue value);
  std::string plain_text(PlainValue value, int depth) const;
  std::uint16_t pool_id(std::int64_t graph, std::int64_t user);
  std::uint32_t note_id(const EntryNote& note);

  /// Converts a dict that was filled pair by pair to a row of the kind that its keys indicate.
  void seal(PlainValue value);
  Kind kind_by_keys(std::span<const PlainValue> items) const;
  bool store_row(Object& target, Kind kind, std::span<const PlainValue> items);
  std::uint32_t add_frame(std::span<const PlainValue> items);
  std::uint32_t add_entry(std::span<const PlainValue> items);
  std::uint32_t add_segment(std::span<const PlainValue> items);
  std::uint32_t add_block(std::span<const PlainValue> items);
  std::uint32_t add_history(std::span<const PlainValue> items);
  std::uint32_t add_annotation(std::span<const PlainValue> items);

  bool append_frames(std::uint32_t list, std::span<const PlainValue> items);
  void close_stack();
  void append_values(std::uint32_t list, std::span<const PlainValue> items);
  List& make_list(Object& target);
  void drop_list(Object& target);

  const List* list_of(PlainValue value) const;
  SnapshotDevice& device_for(std::int32_t ordinal, bool host);
  void take_segments(PlainValue value, bool host);
  /// `at` is the offset to report for damage.
  void take_traces(PlainValue value, bool host, std::uint64_t at);
  void take_trace(PlainValue value, std::int32_t ordinal, bool host, std::uint64_t at);
  void take_blocks(const SegmentRow& row, SnapshotDevice& device, SnapshotSegment& segment);
  void take_annotations(PlainValue value);
  void take_settings(PlainValue value);
  void take_root(PlainValue root);

  Snapshot snapshot_;
  std::optional<Error> failed_;
  std::vector<Object> objects_;
  std::vector<List> lists_;
  std::vector<std::uint32_t> free_lists_;
  std::vector<Dict> dicts_;
  std::vector<std::uint32_t> free_dicts_;
  std::uint64_t value_count_ = 0;
  std::vector<std::uint64_t> wides_;
  std::vector<double> reals_;
  std::uint32_t open_stack_ = kNoObject;
  std::vector<FrameId> open_frames_;

  EntryRows entries_;
  std::vector<SegmentRow> segments_;
  std::vector<BlockRow> blocks_;
  std::vector<HistoryRow> history_;

  std::unordered_map<EntryNote, std::uint32_t, NoteHash> note_ids_;
  EntryNote last_note_;
  std::uint32_t last_note_id_ = 0;
  std::unordered_map<std::uint64_t, std::uint16_t> stream_ids_;
  std::uint64_t last_stream_ = 0;
  std::uint16_t last_stream_id_ = 0;
  std::size_t taken_entries_ = 0;
  std::size_t taken_blocks_ = 0;
  std::vector<std::uint64_t> trace_offsets_;  // offsets of the keys of trace lists
  bool single_trace_ = false;                 // rows can be freed while columns are filled
};

}  // namespace kino
