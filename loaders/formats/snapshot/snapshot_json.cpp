#include "loaders/formats/snapshot/snapshot_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <simdjson.h>

#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

using simdjson::ondemand::json_type;

constexpr std::size_t kBatch = 1000;  // items to append to a list at once

/// Position at which a truncated text is cut, and the brackets that close it.
struct Closing {
  std::size_t end = 0;
  std::string brackets;  // to append there; empty for a complete text
};

/// Returns how to close the text after its last complete object or list. O(bytes).
Closing closing_of(std::string_view text) {
  std::string open;
  Closing closing;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) break;
      open.pop_back();
      closing = {i + 1, open};
      if (open.empty()) return closing;
    }
  }
  closing.brackets.assign(closing.brackets.rbegin(), closing.brackets.rend());
  return closing;
}

/// Records the documents and lines that follow the first document, which ends at `at`.
void note_rest(std::string_view text, std::size_t at, DamageLog& damage) {
  for (at = skip_space(text, at); at < text.size(); at = skip_space(text, at)) {
    damage.add(DamageReason::trailing_data, at, text.substr(at, Damage::kSampleBytes));
    const bool document = text[at] == '{' || text[at] == '[';
    const std::size_t end = document ? value_end(text, at) : text.find('\n', at);
    at = std::min(end, text.size());
  }
}

template <class Into>
class JsonReader {
 public:
  JsonReader(Into& into, const std::function<bool()>& progressed) : into_(into), progressed_(progressed) {}

  Result<JsonEnd> read(std::string& text) {
    JsonEnd end;
    begin_ = text.data();
    cut_ = text.size();
    Result<PlainValue> root = parse(text);
    const auto unreadable = [&] { return !root && root.error().kind == Error::Kind::corrupt && !started_; };
    if (unreadable()) {
      // Cuts the text after its first document, as newer versions of simdjson require.
      if (const std::size_t whole = value_end(text, skip_space(text, 0)); whole < text.size()) {
        note_rest(text, whole, into_.damage());
        text.resize(whole);
        cut_ = whole;
        root = parse(text);
      }
    }
    if (unreadable()) {
      // Truncates the text after the last complete value, closes it, and parses it again.
      Error why = root.error();
      const Closing closing = closing_of(text);
      if (closing.brackets.empty()) return why;
      why = {Error::Kind::corrupt, "The JSON ends before its last bracket", text.size()};
      cut_ = closing.end;
      text.resize(closing.end);
      text += closing.brackets;
      text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
      begin_ = text.data();
      root = parse(text);
      if (!root) return root.error();
      end.damage = std::move(why);
    }
    if (!root) return root.error();
    if (broken_) end.damage = broken_;
    if (!end.damage && text_follows_) note_rest(text, value_end(text, skip_space(text, 0)), into_.damage());
    end.root = *root;
    return end;
  }

 private:
  Result<PlainValue> parse(const std::string& text) {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    auto error = parser.iterate(text.data(), text.size(), text.capacity()).get(document);
    simdjson::ondemand::value value;
    if (!error) error = document.get_value().get(value);
    if (error) return broken(error);
    started_ = true;
    document_ = &document;
    const PlainValue root = convert(value);
    const char* next = nullptr;
    text_follows_ = document.current_location().get(next) == simdjson::SUCCESS;
    document_ = nullptr;
    if (stopped_) return Error{Error::Kind::cancelled, "Loading was cancelled"};
    return root;
  }

  Error broken(simdjson::error_code error) const {
    return {error == simdjson::MEMALLOC   ? Error::Kind::out_of_memory
            : error == simdjson::CAPACITY ? Error::Kind::too_large
                                          : Error::Kind::corrupt,
            std::string("The JSON cannot be read: ") + simdjson::error_message(error), into_.offset};
  }

  std::uint64_t position() const {
    const char* at = nullptr;
    if (document_ == nullptr || document_->current_location().get(at) != simdjson::SUCCESS) {
      return into_.offset;
    }
    return static_cast<std::uint64_t>(at - begin_);
  }

  /// Records the first error, and returns the value none.
  PlainValue break_off(simdjson::error_code error) {
    if (!broken_) broken_ = broken(error);
    return {};
  }
  bool going() {
    if (into_.failed() && !broken_) broken_ = into_.failed();
    return !broken_ && !stopped_;
  }

  PlainValue text_within_bound(std::string_view text) {
    if (text.size() <= kMostSnapshotStringBytes) return into_.text(text);
    if (!broken_) {
      broken_ = Error{Error::Kind::corrupt,
                      "The JSON has a string of " + std::to_string(text.size()) +
                          " bytes, which no snapshot of the allocator has",
                      position()};
    }
    return {};
  }

  /// Converts a value. The recursion is bounded by simdjson's depth of 1024.
  PlainValue convert(simdjson::ondemand::value value) {
    json_type type{};
    if (const auto error = value.type().get(type)) return break_off(error);
    switch (type) {
      case json_type::object:
        return convert_object(value);
      case json_type::array:
        return convert_array(value);
      case json_type::string: {
        std::string_view text;
        if (const auto error = value.get_string().get(text)) return break_off(error);
        return text_within_bound(text);
      }
      case json_type::number:
        return convert_number(value);
      case json_type::boolean: {
        bool flag = false;
        if (const auto error = value.get_bool().get(flag)) break_off(error);
        return Into::boolean(flag);
      }
      default:
        if (!value.is_null()) break_off(simdjson::N_ATOM_ERROR);
        return {};
    }
  }

  PlainValue convert_number(simdjson::ondemand::value value) {
    std::int64_t integer = 0;
    if (value.get_int64().get(integer) == simdjson::SUCCESS) return into_.integer(integer);
    std::uint64_t above = 0;
    if (value.get_uint64().get(above) == simdjson::SUCCESS) return into_.integer_above(above);
    double real = 0;
    if (value.get_double().get(real) == simdjson::SUCCESS) return into_.real(real);
    return Into::too_large();
  }

  PlainValue convert_object(simdjson::ondemand::value value) {
    const PlainValue dict = into_.new_dict();
    simdjson::ondemand::object object;
    if (const auto error = value.get_object().get(object)) return break_off(error);
    std::vector<PlainValue> items;
    for (auto field : object) {
      std::string_view key;
      simdjson::ondemand::value member;
      auto error = field.unescaped_key().get(key);
      if (key == "device_traces" || key == "host_traces") into_.offset = std::max(into_.offset, position());
      const PlainValue name = error ? PlainValue{} : text_within_bound(key);
      if (!error) error = field.value().get(member);
      if (error) {
        break_off(error);
        break;
      }
      const PlainValue content = convert(member);
      if (!going() && content.tag() != PlainValue::Tag::object) break;
      items.push_back(name);
      items.push_back(content);
      if (!going()) break;
    }
    const std::uint64_t at = position();
    into_.offset = std::max(into_.offset, std::min<std::uint64_t>(at, cut_));
    if ((!going() || at > cut_) && into_.is_useless_incomplete(items)) {
      into_.damage().add(DamageReason::truncated_event, into_.offset, {});
      return {};
    }
    into_.set_items(dict, items);
    return dict;
  }

  PlainValue convert_array(simdjson::ondemand::value value) {
    const PlainValue list = into_.new_list();
    simdjson::ondemand::array array;
    if (const auto error = value.get_array().get(array)) return break_off(error);
    std::vector<PlainValue> items;
    for (auto element : array) {
      simdjson::ondemand::value member;
      if (const auto error = element.get(member)) {
        break_off(error);
        break;
      }
      const PlainValue item = convert(member);
      const bool whole = going();
      if (whole || item.tag() == PlainValue::Tag::object) items.push_back(item);
      if (!whole) break;
      if (items.size() == kBatch) {
        into_.append(list, items);
        items.clear();
        if (!progressed_()) stopped_ = true;
      }
    }
    // A value that was cut off has become none. It is dropped, as is a null at the end of a complete list.
    if (!items.empty() && items.back().tag() == PlainValue::Tag::none) items.pop_back();
    into_.append(list, items);
    return list;
  }

  Into& into_;
  const std::function<bool()>& progressed_;
  simdjson::ondemand::document* document_ = nullptr;
  const char* begin_ = nullptr;
  std::uint64_t cut_ = 0;  // end of the file's own text, before added brackets
  bool started_ = false;
  bool text_follows_ = false;  // after the document
  bool stopped_ = false;
  std::optional<Error> broken_;
};

constexpr std::array<const char*, 8> kCategories{"parameter",       "optimizer_state", "input",
                                                 "temporary",       "activation",      "gradient",
                                                 "autograd_detail", "unknown"};

/// Creates entries from the rows of a raw memory timeline.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(SnapshotAssembler& into) : into_(into) {
    for (const char* const key : {"action", "addr", "size", "time_us", "category"}) {
      keys_.push_back(into.text(key));
    }
    for (const char* const category : kCategories) categories_.push_back(into.text(category));
  }

  void add(std::int64_t time_ns, std::int64_t bytes, std::int64_t category, std::vector<PlainValue>& out) {
    if (bytes == 0 || bytes == INT64_MIN) return;
    const std::size_t which =
        category >= 0 && category < static_cast<std::int64_t>(kCategories.size()) ? category : 7;
    std::deque<std::int64_t>& live = live_[{std::abs(bytes), which}];
    const bool before = time_ns < 0 && !begun_;
    if (bytes > 0) {
      live.push_back(next_addr_);
      if (before) {
        older_.insert(next_addr_++);
      } else {
        entry("alloc", next_addr_++, bytes, time_ns, which, out);
      }
      return;
    }
    if (before && !live.empty()) {  // a new version of the tensor replaces the old one
      older_.erase(live.front());
      live.pop_front();
      return;
    }
    std::int64_t addr = next_addr_;
    if (live.empty()) {
      ++next_addr_;
    } else {
      addr = live.front();
      live.pop_front();
    }
    entry("free", addr, -bytes, time_ns, which, out);
  }

  /// Adds the allocations that were made before the recording and are never freed. Call at the end.
  void finish() {
    for (const auto& [key, live] : live_) {
      for (const std::int64_t addr : live) add_older(addr, key.first, key.second);
    }
    for (std::size_t category = 0; category < piles_.size(); ++category) {
      for (const Piece& piece : piles_[category]) add_older(piece.addr, piece.bytes, category);
    }
  }

  /// Changes the total size of a category: allocates the increase, or frees the newest pieces. If a piece is
  /// freed only in part, its rest is allocated again.
  void set_level(std::int64_t time_ns, std::int64_t bytes, std::size_t category,
                 std::vector<PlainValue>& out) {
    std::vector<Piece>& pile = piles_[category];
    std::int64_t& level = levels_[category];
    while (level > bytes) {
      const Piece top = pile.back();
      pile.pop_back();
      level -= top.bytes;
      entry("free", top.addr, top.bytes, time_ns, category, out);
    }
    if (level == bytes) return;
    pile.push_back({next_addr_++, bytes - level});
    if (time_ns < 0 && !begun_) {
      older_.insert(pile.back().addr);
    } else {
      entry("alloc", pile.back().addr, pile.back().bytes, time_ns, category, out);
    }
    level = bytes;
  }

  bool failed() const { return into_.failed().has_value(); }

 private:
  struct Piece {
    std::int64_t addr = 0;
    std::int64_t bytes = 0;
  };

  void add_older(std::int64_t addr, std::int64_t bytes, std::size_t category) {
    if (!older_.contains(addr)) return;
    into_.add_older(static_cast<std::uint64_t>(addr), static_cast<std::uint64_t>(bytes),
                    categories_[category]);
  }

  void entry(const char* action, std::int64_t addr, std::int64_t bytes, std::int64_t time_ns,
             std::size_t category, std::vector<PlainValue>& out) {
    begun_ = true;
    std::vector<PlainValue> items{keys_[0], into_.text(action),   keys_[1], into_.integer(addr),
                                  keys_[2], into_.integer(bytes), keys_[4], categories_[category]};
    if (time_ns >= 0) {
      items.push_back(keys_[3]);
      items.push_back(into_.integer(time_ns / 1000));
    }
    const PlainValue dict = into_.new_dict();
    into_.set_items(dict, items);
    out.push_back(dict);
  }

  SnapshotAssembler& into_;
  std::vector<PlainValue> keys_;
  std::vector<PlainValue> categories_;
  std::map<std::pair<std::int64_t, std::size_t>, std::deque<std::int64_t>> live_;
  std::array<std::vector<Piece>, kCategories.size()> piles_;
  std::array<std::int64_t, kCategories.size()> levels_{};
  std::set<std::int64_t> older_;  // addresses of allocations before the recording
  bool begun_ = false;
  std::int64_t next_addr_ = 1;  // the file contains no addresses
};

/// Returns whether a list of lists follows the first list, as in [times, sizes].
bool has_levels(std::string_view text) {
  const auto skip = [&](std::size_t at) { return skip_space(text, at); };
  std::size_t at = text.find(']');
  if (at == text.npos) return false;
  at = skip(at + 1);
  if (at == text.size() || text[at] != ',') return false;
  at = skip(at + 1);
  if (at == text.size() || text[at] != '[') return false;
  at = skip(at + 1);
  return at < text.size() && text[at] == '[';
}

simdjson::error_code read_integers(simdjson::ondemand::value value, std::vector<std::int64_t>& into) {
  into.clear();
  simdjson::ondemand::array list;
  if (const auto error = value.get_array().get(list)) return error;
  for (auto field : list) {
    std::int64_t number = 0;
    if (const auto error = field.get_int64().get(number)) return error;
    into.push_back(number);
  }
  return simdjson::SUCCESS;
}

using Element = simdjson::simdjson_result<simdjson::ondemand::value>;

/// Gets the value of an array element. Copies the element, since simdjson requires an rvalue.
simdjson::error_code taken(const Element& element, simdjson::ondemand::value& out) {
  return Element(element).get(out);
}

using Broken = std::function<Error(simdjson::error_code)>;

/// Reads [[time in ns, action, bytes, category], ...]. Returns false if `flush` cancels.
bool read_changes(simdjson::ondemand::array& rows, TimelineBuilder& builder, std::vector<PlainValue>& entries,
                  JsonEnd& end, const Broken& broken, const std::function<void()>& note_offset,
                  const std::function<bool()>& flush) {
  std::vector<std::int64_t> numbers;
  for (auto row : rows) {
    simdjson::ondemand::value value;
    auto error = taken(row, value);
    if (!error) error = read_integers(value, numbers);
    if (error || numbers.size() != 4) {
      end.damage = error ? broken(error)
                         : Error{Error::Kind::corrupt, "A row of the timeline does not have four numbers",
                                 broken(simdjson::SUCCESS).offset};
      return true;
    }
    note_offset();
    builder.add(numbers[0], numbers[2], numbers[3], entries);
    if (builder.failed()) return true;
    if (!flush()) return false;
  }
  return true;
}

/// Reads the rows [0, bytes per category, ...], each with its time in us.
class LevelRows {
 public:
  LevelRows(TimelineBuilder& builder, std::vector<PlainValue>& entries,
            const std::function<void()>& note_offset, const std::function<bool()>& flush)
      : builder_(builder), entries_(entries), note_offset_(note_offset), flush_(flush) {}

  simdjson::error_code read_times(simdjson::ondemand::value list) { return read_integers(list, times_); }
  simdjson::error_code read_rows(simdjson::ondemand::value list) {
    simdjson::ondemand::array rows;
    if (const auto error = list.get_array().get(rows)) return error;
    std::size_t step = 0;
    for (auto row : rows) {
      simdjson::ondemand::value fields;
      if (const auto error = taken(row, fields)) return error;
      if (const auto error = read_integers(fields, levels_)) return error;
      note_offset_();
      add(step++);
      if (builder_.failed()) break;
      if (!flush_()) {
        stopped_ = true;
        break;
      }
    }
    return simdjson::SUCCESS;
  }
  bool stopped() const { return stopped_; }

 private:
  void add(std::size_t step) {
    constexpr std::int64_t kLatest = INT64_MAX / 1000;
    std::int64_t time_us = step < times_.size() ? times_[step] : -1;
    // If the first time occurs twice, PyTorch wrote the allocations that precede the recording there. They
    // get the time -1.
    if (step == 0 && times_.size() > 1 && times_[0] == times_[1]) time_us = -1;
    const std::int64_t time_ns = time_us >= 0 && time_us <= kLatest ? time_us * 1000 : -1;
    for (std::size_t i = 1; i < levels_.size() && i <= kCategories.size(); ++i)
      builder_.set_level(time_ns, std::max<std::int64_t>(0, levels_[i]), i - 1, entries_);
  }

  TimelineBuilder& builder_;
  std::vector<PlainValue>& entries_;
  const std::function<void()>& note_offset_;
  const std::function<bool()>& flush_;
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> levels_;
  bool stopped_ = false;
};

/// Reads [[time in us, ...], [[0, bytes per category, ...], ...]]. Returns false if `flush` cancels.
bool read_levels(simdjson::ondemand::array& lists, TimelineBuilder& builder, std::vector<PlainValue>& entries,
                 JsonEnd& end, const Broken& broken, const std::function<void()>& note_offset,
                 const std::function<bool()>& flush) {
  LevelRows levels(builder, entries, note_offset, flush);
  std::size_t index = 0;
  for (auto list : lists) {
    simdjson::ondemand::value value;
    auto error = taken(list, value);
    if (!error && index == 0) error = levels.read_times(value);
    if (!error && index == 1) error = levels.read_rows(value);
    if (error) {
      end.damage = broken(error);
      return true;
    }
    if (levels.stopped()) return false;
    if (++index == 2 || builder.failed()) break;
  }
  return true;
}

}  // namespace

Result<JsonEnd> read_snapshot_json(std::string& text, SnapshotAssembler& into,
                                   const std::function<bool()>& progressed) {
  return JsonReader(into, progressed).read(text);
}

Result<JsonEnd> read_snapshot_json(std::string& text, PlainTree& into,
                                   const std::function<bool()>& progressed) {
  return JsonReader(into, progressed).read(text);
}

Result<JsonEnd> read_memory_timeline(std::string& text, SnapshotAssembler& into,
                                     const std::function<bool()>& progressed) {
  if (const std::size_t whole = value_end(text, skip_space(text, 0)); whole < text.size()) {
    note_rest(text, whole, into.damage());
    text.resize(whole);  // simdjson reads one document
  }
  const bool levels = has_levels(text);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::array rows;
  auto error = parser.iterate(text.data(), text.size(), text.capacity()).get(document);
  if (!error) error = document.get_array().get(rows);
  const auto broken = [&](simdjson::error_code code) {
    return Error{Error::Kind::corrupt,
                 std::string("The JSON cannot be read: ") + simdjson::error_message(code), into.offset};
  };
  if (error) return broken(error);
  JsonEnd end;
  const PlainValue trace = into.new_list();
  TimelineBuilder builder(into);
  std::vector<PlainValue> entries;
  const std::function<void()> note_offset = [&] {
    const char* at = nullptr;
    if (document.current_location().get(at) == simdjson::SUCCESS)
      into.offset = static_cast<std::uint64_t>(at - text.data());
  };
  const std::function<bool()> flush = [&] {
    if (entries.size() < kBatch) return true;
    into.append(trace, entries);
    entries.clear();
    return progressed();
  };
  const bool complete = levels ? read_levels(rows, builder, entries, end, broken, note_offset, flush)
                               : read_changes(rows, builder, entries, end, broken, note_offset, flush);
  if (!complete) return Error{Error::Kind::cancelled, "Loading was cancelled"};
  builder.finish();
  into.append(trace, entries);
  end.root = into.new_list();
  into.append(end.root, {&trace, 1});
  return end;
}

}  // namespace kino
