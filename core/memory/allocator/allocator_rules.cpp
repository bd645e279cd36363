#include "core/memory/allocator/allocator_rules.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "core/base/messages/message.hpp"
#include "core/memory/allocator_settings.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

/// Rounds up to one of `divisions` equal steps between two powers of two.
std::uint64_t rounded_to_division(std::uint64_t bytes, std::uint32_t divisions) {
  if (std::has_single_bit(bytes)) return bytes;
  const std::uint64_t floor = std::bit_floor(bytes);
  const std::uint64_t step = floor >> (std::bit_width(divisions) - 1);
  return step == 0 ? floor << 1U : rounded_up(bytes, step);
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // MiB; larger values overflow in bytes
  if (error != std::errc() || end != text.data() + text.size() || value > kMost) return std::nullopt;
  return value;
}

std::optional<bool> truth(std::string_view text) {
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}

Error wrong(std::string_view key, std::string_view value, const Message& why) {
  return {Error::Kind::unknown_format, Message(msg::setting_cannot_be, key, value, why)};
}

std::optional<Error> set_divisions(AllocatorRules& rules, std::string_view value) {
  constexpr std::string_view kKey = "roundup_power2_divisions";
  const auto is_division = [](std::uint64_t number) { return std::has_single_bit(number) && number <= 64; };
  if (!value.starts_with('[')) {
    const auto all = whole(value);
    if (!all || (*all != 0 && !is_division(*all)))
      return wrong(kKey, value, msg::divisions_are_powers_of_two);
    rules.divisions.fill(static_cast<std::uint32_t>(*all));
    return std::nullopt;
  }
  if (!value.ends_with(']')) return wrong(kKey, value, msg::list_without_bracket);
  std::uint32_t last = 0;
  std::size_t next = 0;
  for (const ConfOption& option : conf_options(value.substr(1, value.size() - 2))) {
    const auto divisions = whole(option.value);
    if (!divisions || (*divisions != 0 && !is_division(*divisions)))
      return wrong(kKey, value, msg::divisions_are_powers_of_two);
    last = static_cast<std::uint32_t>(*divisions);
    if (option.key == ">") {
      while (next < rules.divisions.size()) rules.divisions[next++] = last;
      continue;
    }
    const auto size = whole(option.key);
    if (!size || !std::has_single_bit(*size)) return wrong(kKey, value, msg::sizes_are_powers_of_two);
    const auto index = std::min<std::size_t>(rules.divisions.size() - 1,
                                             static_cast<std::size_t>(std::bit_width(*size)) - 1);
    rules.divisions[index] = last;
    // The first division also applies to all smaller sizes.
    if (next == 0) std::fill_n(rules.divisions.begin(), index, last);
    next = index + 1;
  }
  return std::nullopt;
}

std::optional<Error> set_size(std::uint64_t& bytes, const ConfOption& option, std::uint64_t least_mb) {
  const auto mebis = whole(option.value);
  if (!mebis || *mebis < least_mb)
    return wrong(option.key, option.value, Message(msg::value_at_least_mib, std::to_string(least_mb)));
  bytes = *mebis * kMebi;
  return std::nullopt;
}

std::optional<Error> set_option(AllocatorRules& rules, const ConfOption& option) {
  if (option.key == "expandable_segments") {
    const auto on = truth(option.value);
    if (!on) return wrong(option.key, option.value, msg::value_true_or_false);
    rules.expandable = *on;
    return std::nullopt;
  }
  if (option.key == "max_split_size_mb") return set_size(rules.max_split, option, 20);
  if (option.key == "max_non_split_rounding_mb") return set_size(rules.max_non_split_rounding, option, 1);
  if (option.key == "large_segment_size_mb") {
    if (auto problem = set_size(rules.large_segment, option, 20)) return problem;
    rules.max_non_split_rounding = rules.large_segment;
    return std::nullopt;
  }
  if (option.key == "roundup_power2_divisions") return set_divisions(rules, option.value);
  if (option.key == "capacity_mb") return set_size(rules.capacity, option, 2);
  if (option.key == "limit_mb") return set_size(rules.limit, option, 2);
  if (option.key == "garbage_collection_threshold") {
    double value = 0;
    const char* const end = option.value.data() + option.value.size();
    const auto [stop, error] = std::from_chars(option.value.data(), end, value);
    if (error != std::errc() || stop != end || !(value > 0) || !(value < 1))
      return wrong(option.key, option.value, msg::value_between_0_and_1);
    rules.garbage_threshold = value;
    return std::nullopt;
  }
  if (option.key == "backend" && option.value != "native")
    return wrong(option.key, option.value, msg::selects_other_allocator);
  // These options do not affect blocks.
  if (option.key == "backend" || option.key.starts_with("pinned_") ||
      option.key == "release_lock_on_cudamalloc" || option.key == "release_lock_on_hipmalloc")
    return std::nullopt;
  return Error{Error::Kind::unknown_format, Message(msg::setting_is_unknown, option.key)};
}

}  // namespace

std::uint64_t AllocatorRules::rounded(std::uint64_t bytes) const {
  bytes += padding;
  if (bytes < kLeastBlock) return kLeastBlock;
  const int power = static_cast<int>(std::bit_width(bytes)) - 1;
  const auto index = static_cast<std::size_t>(std::clamp(power - 20, 0, 15));
  const std::uint32_t division = divisions[index];
  if (division > 1 && bytes > kLeastBlock * division) return rounded_to_division(bytes, division);
  return rounded_up(bytes, kLeastBlock);
}

std::uint64_t AllocatorRules::segment_for(std::uint64_t rounded_bytes) const {
  if (rounded_bytes <= kSmall) return kSmallBuffer;
  if (rounded_bytes < kLeastLarge) return large_segment;
  return rounded_up(rounded_bytes, kRoundLarge);
}

Result<AllocatorRules> rules_with(AllocatorRules rules, std::string_view conf) {
  std::string text(conf);
  std::ranges::replace(text, '=', ':');
  for (const ConfOption& option : conf_options(text))
    if (auto problem = set_option(rules, option)) return *problem;
  return rules;
}

bool is_by_source(const AllocatorRules& rules) {
  const bool rounds = std::ranges::any_of(rules.divisions, [](std::uint32_t d) { return d > 1; });
  return rounds || rules.max_split != kUnlimitedBytes || rules.garbage_threshold > 0 ||
         rules.limit != kUnlimitedBytes || rules.large_segment != AllocatorRules{}.large_segment ||
         rules.max_non_split_rounding != AllocatorRules{}.max_non_split_rounding;
}

}  // namespace kino
