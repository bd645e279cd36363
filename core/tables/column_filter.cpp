#include "core/tables/column_filter.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

std::optional<double> factor_of(std::string_view suffix, Unit unit) {
  if (unit == Unit::share) return suffix.empty() || suffix == "%" ? std::optional(0.01) : std::nullopt;
  if (suffix.empty()) return 1;
  using Factor = std::pair<std::string_view, double>;
  constexpr std::array<Factor, 5> kTimes{
      {{"ns", 1}, {"us", 1e3}, {"\xC2\xB5s", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  constexpr std::array<Factor, 7> kBytes{{{"B", 1},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"KiB", 1024.0},
                                          {"MiB", 1024.0 * 1024},
                                          {"GiB", 1024.0 * 1024 * 1024}}};
  constexpr std::array<Factor, 3> kCounts{{{"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};
  const auto find = [suffix](const auto& list) -> std::optional<double> {
    for (const auto& [name, factor] : list) {
      if (name == suffix) return factor;
    }
    return std::nullopt;
  };
  if (unit == Unit::ns) return find(kTimes);
  if (unit == Unit::bytes) return find(kBytes);
  if (unit == Unit::percent) return suffix == "%" ? std::optional(1.0) : std::nullopt;
  return find(kCounts);
}

std::optional<double> value_from_text(std::string_view text, Unit unit) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::optional<double> factor = factor_of(trimmed(rest), unit);
  return factor ? std::optional(value * *factor) : std::nullopt;
}

/// Returns the values that count as equal to `value`: those within 0.05 %, since displayed values are
/// rounded.
ValueInterval around(double value) {
  const double off = std::abs(value) * 0.0005;
  return {.low = value - off, .high = value + off};
}

}  // namespace

std::optional<ValueInterval> interval_from_text(std::string_view text, Unit unit) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  ValueInterval interval;
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const std::string_view low = trimmed(text.substr(0, dots));
    const std::string_view high = trimmed(text.substr(dots + 2));
    if (low.empty() && high.empty()) return std::nullopt;
    const auto from = value_from_text(low, unit);
    const auto to = value_from_text(high, unit);
    if ((!low.empty() && !from) || (!high.empty() && !to)) return std::nullopt;
    if (from) interval.low = *from;
    if (to) interval.high = *to;
    return interval;
  }
  const char sign = text[0];
  const bool compares = sign == '>' || sign == '<' || sign == '=';
  const bool with_equal = compares && sign != '=' && text.size() > 1 && text[1] == '=';
  const auto value = value_from_text(text.substr((compares ? 1 : 0) + (with_equal ? 1 : 0)), unit);
  if (!value) return std::nullopt;
  if (sign == '>') {
    interval.low = *value;
    interval.open_low = !with_equal;
  } else if (sign == '<') {
    interval.high = *value;
    interval.open_high = !with_equal;
  } else {
    interval = around(*value);
  }
  return interval;
}

ColumnCondition::ColumnCondition(const TableColumn& column, std::string_view text) : column_(column) {
  text = trimmed(text);
  if (!column.is_text()) {
    interval_ = interval_from_text(text, column.unit);
    return;
  }
  inverted_ = text.starts_with('!');
  wanted_ = trimmed(text.substr(inverted_ ? 1 : 0));
}

bool ColumnCondition::holds(std::uint32_t row) const {
  if (const auto* texts = std::get_if<TableColumn::Texts>(&column_.values))
    return wanted_.empty() || contains_ignoring_case((*texts)[row], wanted_) != inverted_;
  if (!interval_) return true;
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column_.values))
    return interval_->holds((*numbers)[row]);
  const std::int64_t value = std::get<TableColumn::Integers>(column_.values)[row];
  return value != kNoInteger && interval_->holds(static_cast<double>(value));
}

}  // namespace kino
