// A second, slow reader of event arrays on nlohmann_json, to compare the loader with. Valid JSON only.
#pragma once

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace kino_test {

/// Scalars of one event by key, those of its args by "args." and their key; numbers exactly as written.
using ReferenceEvent = std::map<std::string, std::string>;

/// Collects the elements of the event array as the parser passes by.
class ReferenceReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<ReferenceEvent> events;
  std::size_t elements = 0;

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (depth_ == array_depth_) {
      ++elements;
      events.emplace_back();
      in_event_ = true;
    }
    if (depth_ == array_depth_ + 1) in_args_ = in_event_ && key_ == "args";
    return open();
  }
  bool start_array(std::size_t) override {
    if (depth_ == array_depth_) {
      ++elements;
      in_event_ = false;
    }
    if (depth_ == array_depth_ + 1) in_args_ = false;
    if (array_depth_ < 0 && (depth_ == 0 || (depth_ == 1 && key_ == "traceEvents")))
      array_depth_ = depth_ + 1;
    return open();
  }
  bool end_object() override { return close(); }
  bool end_array() override {
    if (depth_ == array_depth_) array_depth_ = kDone;
    return close();
  }
  bool key(string_t& text) override {
    key_ = text;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr int kDone = 1 << 20;

  bool scalar(const std::string& text) {
    if (depth_ == array_depth_) ++elements;
    if (depth_ == array_depth_ + 1 && in_event_) events.back()[key_] = text;
    if (depth_ == array_depth_ + 2 && in_args_) events.back()["args." + key_] = text;
    return true;
  }
  bool open() {
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  int array_depth_ = -1;
  bool in_event_ = false;
  bool in_args_ = false;
  std::string key_;
};

/// Decimal us as ns by plain text work: the point moves by the exponent and by three, and one digit rounds.
inline std::optional<long long> reference_ns(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.-+eE") != std::string::npos) return std::nullopt;
  const bool negative = text[0] == '-';
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string mantissa = text.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  const long exponent = e < text.size() ? std::stol(text.substr(e + 1)) : 0;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits =
      mantissa.substr(0, point) + (point < mantissa.size() ? mantissa.substr(point + 1) : "");
  const long whole = static_cast<long>(point) + exponent + 3;  // digits of the ns
  if (digits.empty() || whole > 19) return std::nullopt;
  if (whole < 0) return 0;
  digits.resize(std::max<std::size_t>(digits.size(), static_cast<std::size_t>(whole) + 1), '0');
  const std::string kept = digits.substr(0, static_cast<std::size_t>(whole));
  const long long ns =
      (kept.empty() ? 0 : std::stoll(kept)) + (digits[static_cast<std::size_t>(whole)] >= '5' ? 1 : 0);
  return negative ? -ns : ns;
}

/// What a trace should become: a line a slice, an instant and a sample, each sorted, and the number of events
/// of a phase ("" for elements that are none).
struct ReferenceModel {
  std::vector<std::string> slices;    ///< start, duration, name, category, pid, tid (empty for async ones)
  std::vector<std::string> instants;  ///< time, name, category, pid
  std::vector<std::string> samples;   ///< time, value, pid, series
  std::map<std::string, std::size_t> phases;
};

/// For text whose spans nest and whose times can be read.
inline ReferenceModel reference_model(const std::string& text) {
  ReferenceReader reader;
  ReferenceModel model;
  if (!nlohmann::json::sax_parse(text, &reader)) return model;
  const auto line = [](const auto&... parts) {
    std::ostringstream out;
    ((out << parts << '\x1f'), ...);
    return out.str();
  };
  std::vector<std::tuple<long long, std::size_t, ReferenceEvent>>
      spans;  // in order of time, then of the file
  for (std::size_t i = 0; i < reader.events.size(); ++i) {
    ReferenceEvent& event = reader.events[i];
    const std::string phase = event["ph"];
    ++model.phases[phase];
    const long long time = reference_ns(event["ts"]).value_or(0);
    if (phase == "X") {
      const long long duration = std::max(0LL, reference_ns(event["dur"]).value_or(0));
      model.slices.push_back(line(time, duration, event["name"], event["cat"], event["pid"], event["tid"]));
    } else if (phase == "C") {
      for (const auto& [key, content] : event) {
        double value = 0;
        const char* const end = content.data() + content.size();
        if (!key.starts_with("args.") || std::from_chars(content.data(), end, value).ptr != end) continue;
        model.samples.push_back(line(time, value, event["pid"], event["name"] + " " + key.substr(5)));
      }
    } else if (!phase.empty() && std::string_view("BEbeSF").find(phase) != std::string_view::npos) {
      spans.emplace_back(time, i, event);
    } else if (!phase.empty() && std::string_view("stfM").find(phase) == std::string_view::npos) {
      model.instants.push_back(line(time, event["name"], event["cat"], event["pid"]));
    }
  }
  std::sort(spans.begin(), spans.end());
  std::map<std::string, std::vector<std::pair<long long, ReferenceEvent>>> open;
  for (auto& [time, index, event] : spans) {
    const bool thread = event["ph"] == "B" || event["ph"] == "E";
    auto& stack = open[event["pid"] + '\x1f' + (thread ? event["tid"] : event["id"])];
    if (event["ph"] == "B" || event["ph"] == "b" || event["ph"] == "S") {
      stack.emplace_back(time, event);
      continue;
    }
    auto& [begin, first] = stack.back();
    model.slices.push_back(
        line(begin, time - begin, first["name"], first["cat"], first["pid"], thread ? first["tid"] : ""));
    stack.pop_back();
  }
  model.phases[""] += reader.elements - reader.events.size();
  for (auto* lines : {&model.slices, &model.instants, &model.samples})
    std::sort(lines->begin(), lines->end());
  return model;
}

}  // namespace kino_test
