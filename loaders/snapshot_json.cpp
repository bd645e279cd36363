#include "loaders/snapshot_json.hpp"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <simdjson.h>

namespace kino {
namespace {

using simdjson::ondemand::json_type;

constexpr std::size_t kBatch = 1000;  // items given to a list at once

/// Where a text that breaks off can be closed, and with what.
struct Closing {
  std::size_t end = 0;
  std::string brackets;  // to be written there; empty for a complete text
};

/// Behind the last object or list that is complete. O(bytes).
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

class JsonReader {
 public:
  JsonReader(SnapshotAssembler& into, const std::function<bool()>& progressed)
      : into_(into), progressed_(progressed) {}

  Result<JsonEnd> read(std::string& text) {
    JsonEnd end;
    begin_ = text.data();
    cut_ = text.size();
    Result<PlainValue> root = parse(text);
    if (!root && root.error().kind == Error::Kind::corrupt && !started_) {
      // It does not even begin: cut it where something ends, close it, and try once more.
      Error why = root.error();
      const Closing closing = closing_of(text);
      if (closing.brackets.empty()) return why;
      why = {Error::Kind::corrupt, "The JSON ends before its last bracket", text.size()};
      cut_ = closing.end;
      text.resize(closing.end);
      text += closing.brackets;
      begin_ = text.data();
      text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
      begin_ = text.data();
      root = parse(text);
      if (!root) return root.error();
      end.damage = std::move(why);
    }
    if (!root) return root.error();
    if (broken_) end.damage = broken_;
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
    document_ = nullptr;
    if (stopped_) return Error{Error::Kind::cancelled, "Loading was cancelled", kNoOffset};
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

  void break_off(simdjson::error_code error) {
    if (!broken_) broken_ = broken(error);
  }
  bool going() {
    if (into_.failed() && !broken_) broken_ = into_.failed();
    return !broken_ && !stopped_;
  }

  /// Recursion is bounded by simdjson's depth of 1024.
  PlainValue convert(simdjson::ondemand::value value) {
    json_type type{};
    if (const auto error = value.type().get(type)) {
      break_off(error);
      return {};
    }
    switch (type) {
      case json_type::object:
        return convert_object(value);
      case json_type::array:
        return convert_array(value);
      case json_type::string: {
        std::string_view text;
        if (const auto error = value.get_string().get(text)) {
          break_off(error);
          return {};
        }
        return into_.text(text);
      }
      case json_type::number:
        return convert_number(value);
      case json_type::boolean: {
        bool flag = false;
        if (const auto error = value.get_bool().get(flag)) break_off(error);
        return SnapshotAssembler::boolean(flag);
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
    return SnapshotAssembler::too_large();
  }

  PlainValue convert_object(simdjson::ondemand::value value) {
    const PlainValue dict = into_.new_dict();
    simdjson::ondemand::object object;
    if (const auto error = value.get_object().get(object)) {
      break_off(error);
      return {};
    }
    std::vector<PlainValue> items;
    for (auto field : object) {
      std::string_view key;
      simdjson::ondemand::value member;
      auto error = field.unescaped_key().get(key);
      const PlainValue name = error ? PlainValue{} : into_.text(key);
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
    const std::uint64_t here = position();
    into_.offset = std::max(into_.offset, std::min<std::uint64_t>(here, cut_));
    if ((!going() || here > cut_) && into_.breaks_when_cut(items)) {
      into_.damage().add(DamageReason::truncated_event, into_.offset, {});
      return {};
    }
    into_.set_items(dict, items);
    return dict;
  }

  PlainValue convert_array(simdjson::ondemand::value value) {
    const PlainValue list = into_.new_list();
    simdjson::ondemand::array array;
    if (const auto error = value.get_array().get(array)) {
      break_off(error);
      return {};
    }
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
    // What was cut off within is no value.
    if (!items.empty() && items.back().tag() == PlainValue::Tag::none) items.pop_back();
    into_.append(list, items);
    return list;
  }

  SnapshotAssembler& into_;
  const std::function<bool()>& progressed_;
  simdjson::ondemand::document* document_ = nullptr;
  const char* begin_ = nullptr;
  std::uint64_t cut_ = 0;  // behind it stand brackets that are not the file's
  bool started_ = false;
  bool stopped_ = false;
  std::optional<Error> broken_;
};

constexpr std::array<const char*, 8> kCategories{"parameter",       "optimizer_state", "input",
                                                 "temporary",       "activation",      "gradient",
                                                 "autograd_detail", "unknown"};

/// Makes entries of the rows of a raw memory timeline.
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
    if (bytes > 0) {
      live.push_back(next_addr_);
      entry("alloc", next_addr_++, bytes, time_ns, which, out);
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

 private:
  void entry(const char* action, std::int64_t addr, std::int64_t bytes, std::int64_t time_ns,
             std::size_t category, std::vector<PlainValue>& out) {
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
  std::int64_t next_addr_ = 1;  // there are none in the file
};

}  // namespace

Result<JsonEnd> read_snapshot_json(std::string& text, SnapshotAssembler& into,
                                   const std::function<bool()>& progressed) {
  return JsonReader(into, progressed).read(text);
}

Result<JsonEnd> read_memory_timeline(std::string& text, SnapshotAssembler& into,
                                     const std::function<bool()>& progressed) {
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
  for (auto row : rows) {
    std::array<std::int64_t, 4> numbers{};
    std::size_t count = 0;
    simdjson::ondemand::array fields;
    error = row.get_array().get(fields);
    if (!error) {
      for (auto field : fields) {
        std::int64_t number = 0;
        error = field.get_int64().get(number);
        if (error) break;
        if (count < numbers.size()) numbers[count] = number;
        ++count;
      }
    }
    if (error || count != numbers.size()) {
      end.damage =
          error ? broken(error)
                : Error{Error::Kind::corrupt, "A row of the timeline has not four numbers", into.offset};
      break;
    }
    const char* at = nullptr;
    if (document.current_location().get(at) == simdjson::SUCCESS) {
      into.offset = static_cast<std::uint64_t>(at - text.data());
    }
    builder.add(numbers[0], numbers[2], numbers[3], entries);
    if (into.failed()) break;
    if (entries.size() < kBatch) continue;
    into.append(trace, entries);
    entries.clear();
    if (!progressed()) return Error{Error::Kind::cancelled, "Loading was cancelled", kNoOffset};
  }
  into.append(trace, entries);
  end.root = into.new_list();
  into.append(end.root, {&trace, 1});
  return end;
}

}  // namespace kino
