// A second, slow reader of event arrays on nlohmann_json, to compare the loader with. Valid JSON only.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

namespace kino_test {

/// Scalars of one event by key, numbers exactly as written.
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
    }
    return open();
  }
  bool start_array(std::size_t) override {
    if (depth_ == array_depth_) ++elements;
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
    if (depth_ == array_depth_ + 1 && !events.empty()) events.back()[key_] = text;
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
  std::string key_;
};

/// Decimal us as ns by plain text work: whole part, then three digits, rounded on the fourth.
inline std::optional<long long> reference_ns(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.-") != std::string::npos) return std::nullopt;
  const bool negative = text[0] == '-';
  const std::string digits = negative ? text.substr(1) : text;
  const std::size_t point = digits.find('.');
  const std::string whole = digits.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : digits.substr(point + 1);
  fraction.resize(4, '0');
  if (whole.empty() || whole.size() > 15 + 1) return std::nullopt;
  const long long ns =
      std::stoll(whole) * 1000 + std::stoll(fraction.substr(0, 3)) + (fraction[3] >= '5' ? 1 : 0);
  return negative ? -ns : ns;
}

}  // namespace kino_test
