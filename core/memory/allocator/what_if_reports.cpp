#include "core/memory/allocator/what_if_reports.hpp"

#include <array>
#include <utility>

namespace kino {
namespace {

constexpr std::array<std::string_view, 5> kSplits{"32", "64", "128", "256", "512"};
constexpr std::array<std::string_view, 3> kRoundings{"2", "4", "8"};
constexpr std::size_t kMostOoms = 4;

constexpr std::array<std::string_view, 2> kTruths{"True", "False"};
constexpr std::array<std::string_view, 7> kSplitOffers{"20", "32", "64", "128", "256", "512", "1024"};
constexpr std::array<std::string_view, 5> kRoundingOffers{"1", "2", "4", "8", "16"};
constexpr std::array<std::string_view, 4> kThresholds{"0.6", "0.7", "0.8", "0.9"};
constexpr std::array kOptions{WhatIfOption{"expandable_segments", kTruths},
                              WhatIfOption{"max_split_size_mb", kSplitOffers},
                              WhatIfOption{"roundup_power2_divisions", kRoundingOffers},
                              WhatIfOption{"garbage_collection_threshold", kThresholds}};

/// Adds a setting, unless it has no effect or was already added.
void add(const AllocatorRules& baseline, const std::string& conf, std::vector<WhatIfSetting>& settings) {
  Result<WhatIfSetting> made = setting_of(baseline, conf);
  if (!made.ok() || made.value().rules == baseline) return;
  const bool known = std::ranges::any_of(
      settings, [&](const WhatIfSetting& setting) { return setting.rules == made.value().rules; });
  if (!known) settings.push_back(std::move(made).value());
}

std::string option(std::string_view key, std::string_view value) {
  return std::string(key) + ":" + std::string(value);
}

std::string joined(std::string conf, std::string_view more) {
  if (!conf.empty() && !more.empty()) conf += ',';
  return conf.append(more);
}

}  // namespace

std::span<const WhatIfOption> what_if_options() { return kOptions; }

Result<WhatIfSetting> setting_of(const AllocatorRules& baseline, std::string_view conf) {
  std::string text(conf);
  std::ranges::replace(text, '=', ':');
  bool splits = false;
  bool expands = false;
  for (const ConfOption& option : conf_options(text)) {
    splits = splits || option.key == "max_split_size_mb";
    expands = expands || option.key == "expandable_segments";
  }
  if (splits && !expands && baseline.expandable) text = joined("expandable_segments:False", text);
  const Result<AllocatorRules> rules = rules_with(baseline, text);
  if (!rules.ok()) return rules.error();
  WhatIfSetting setting{text, rules.value()};
  if (setting.rules.garbage_threshold > 0 && setting.rules.limit == kUnlimitedBytes)
    setting.rules.limit = setting.rules.capacity;
  return setting;
}

std::vector<WhatIfSetting> usual_settings(const AllocatorRules& baseline) {
  std::vector<WhatIfSetting> settings;
  add(baseline, "expandable_segments:True", settings);
  add(baseline, "expandable_segments:False", settings);
  for (const std::string_view split : kSplits) add(baseline, option("max_split_size_mb", split), settings);
  for (const std::string_view rounding : kRoundings)
    add(baseline, option("roundup_power2_divisions", rounding), settings);
  return settings;
}

std::vector<WhatIfSetting> searched_settings(const AllocatorRules& baseline) {
  std::vector<std::string> layouts{"expandable_segments:True", "expandable_segments:False"};
  for (const std::string_view split : kSplits) layouts.push_back(option("max_split_size_mb", split));
  std::vector<std::string> roundings{{}};
  for (const std::string_view rounding : kRoundings)
    roundings.push_back(option("roundup_power2_divisions", rounding));
  std::vector<WhatIfSetting> settings;
  for (const std::string& layout : layouts) {
    for (const std::string& rounding : roundings) add(baseline, joined(layout, rounding), settings);
  }
  return settings;
}

bool WhatIfReport::fits_ooms() const {
  return std::ranges::all_of(ooms, [](const OomResult& oom) { return oom.reached && oom.fits; });
}

WhatIfReport answer_setting(const AllocatorTrace& trace, const CapacityBounds& bounds,
                            const WhatIfSetting& setting, const std::stop_token& stop) {
  WhatIfReport answer;
  answer.setting = setting;
  const auto run = [&](bool downwards) {
    return what_if(trace, setting.rules, {WhatIfStart::fresh, downwards}, nullptr, nullptr, stop);
  };
  answer.result = run(trace.downwards);
  const WhatIfResult other = run(!trace.downwards);
  answer.other_way_peak = other.peak_reserved;
  answer.other_way_oom = other.oom.has_value();
  AllocatorRules there = setting.rules;
  if (bounds.from_oom && there.capacity == kUnlimitedBytes) there.capacity = *bounds.from_oom;
  for (std::size_t oom = 0; oom < std::min(trace.ooms.size(), kMostOoms); ++oom)
    answer.ooms.push_back(compute_oom(trace, there, oom, stop));
  return answer;
}

std::optional<std::size_t> best_answer(std::span<const WhatIfReport> answers) {
  std::optional<std::size_t> best;
  if (answers.empty()) return best;
  const WhatIfReport& baseline = answers.front();
  const std::uint64_t before = baseline.result.peak_reserved;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const WhatIfReport& answer = answers[i];
    if (answer.result.oom) continue;
    const bool rescues = baseline.result.oom.has_value() || (answer.fits_ooms() && !baseline.fits_ooms());
    const bool saves = answer.result.peak_reserved <= before - before / 100;
    if (!rescues && (!saves || (baseline.fits_ooms() && !answer.fits_ooms()))) continue;
    if (!best) {
      best = i;
      continue;
    }
    // A setting in which failed requests fit takes precedence over a setting that only reserves less.
    const WhatIfReport& last = answers[*best];
    const std::pair mine{!answer.fits_ooms(), answer.result.peak_reserved};
    if (mine < std::pair{!last.fits_ooms(), last.result.peak_reserved}) best = i;
  }
  return best;
}

std::string line_of(const AllocatorSettings& recorded, const WhatIfSetting& setting) {
  std::vector<ConfOption> wanted = conf_options(setting.conf);
  std::erase_if(wanted, [](const ConfOption& option) {
    return option.key == "capacity_mb" || option.key == "limit_mb";
  });
  return wanted.empty() ? std::string() : assignment_line(recorded, wanted);
}

ReservedCurve reserved_curve(const AllocatorTrace& trace, const AllocatorRules& rules,
                             const std::stop_token& stop) {
  std::vector<std::uint64_t> values;
  std::vector<EventIndex> events;
  const WhatIfResult result =
      what_if(trace, rules, {WhatIfStart::fresh, trace.downwards}, &values, &events, stop);
  ReservedCurve curve;
  if (result.oom) curve.end = result.oom->event;
  curve.events.push_back(kBeforeRecording);
  curve.bytes.push_back(result.start_reserved.value_or(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == curve.bytes.back()) continue;
    curve.events.push_back(events[i]);
    curve.bytes.push_back(values[i]);
  }
  return curve;
}

}  // namespace kino
