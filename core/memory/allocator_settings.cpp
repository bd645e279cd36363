#include "core/memory/allocator_settings.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::string_view kExpandable = "expandable_segments";

/// Returns whether the name is PYTORCH_CUDA_ALLOC_CONF, PYTORCH_ALLOC_CONF, PYTORCH_HIP_ALLOC_CONF, or that
/// of another device.
bool is_conf_variable(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; };
  return name.starts_with("PYTORCH_") && name.ends_with("ALLOC_CONF") && std::ranges::all_of(name, plain);
}

bool says_true(std::string_view value) { return value == "True" || value == "true" || value == "1"; }

SettingState stated_expandable(const Snapshot& snapshot, const AllocatorSettings& settings) {
  SettingState state = SettingState::unknown;
  for (const ConfOption& option : conf_options(settings.conf)) {
    if (option.key == kExpandable) state = says_true(option.value) ? SettingState::on : SettingState::off;
  }
  // The allocator's own setting has precedence over the environment variable.
  if (const std::string_view value = snapshot.setting(kExpandable); !value.empty())
    state = says_true(value) ? SettingState::on : SettingState::off;
  return state;
}

/// Returns the text as one word for a shell, without control characters.
std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || is_digit(c) || c == '_' || c == ':' || c == ',' ||
           c == '.' || c == '-';
  };
  if (std::ranges::all_of(text, plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) continue;
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

}  // namespace

std::vector<ConfOption> conf_options(std::string_view conf) {
  std::vector<ConfOption> options;
  const auto add = [&](std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view key = trimmed(text.substr(0, colon));
    const std::string_view value = colon == std::string_view::npos ? "" : trimmed(text.substr(colon + 1));
    if (!key.empty()) options.push_back({key, value});
  };
  std::size_t begin = 0;
  bool in_list = false;
  for (std::size_t i = 0; i < conf.size(); ++i) {
    if (conf[i] == '[') in_list = true;
    if (conf[i] == ']') in_list = false;
    if (conf[i] != ',' || in_list) continue;
    add(conf.substr(begin, i - begin));
    begin = i + 1;
  }
  add(conf.substr(begin));
  return options;
}

bool has_settings(SnapshotSource source) {
  return source != SnapshotSource::memory_timeline && source != SnapshotSource::trace;
}

AllocatorSettings allocator_settings(const Snapshot& snapshot) {
  AllocatorSettings settings;
  settings.recorded = !snapshot.settings.empty();
  bool named = false;
  for (const auto& [name, value] : snapshot.settings) {
    // If several variables exist, use the first one with a value.
    if (!is_conf_variable(name) || (named && value.empty())) continue;
    if (!settings.conf.empty()) break;
    settings.variable = name;
    settings.conf = value;
    named = true;
  }
  settings.stated_expandable = stated_expandable(snapshot, settings);
  const auto seen = [](const SnapshotDevice& device) { return device.history.expandable; };
  settings.expandable_segments =
      std::ranges::any_of(snapshot.devices, seen) ? SettingState::on : settings.stated_expandable;
  return settings;
}

std::string_view setting_text(std::string_view value) {
  if (!contains(value, ": ")) return value;
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!rest.substr(0, comma).ends_with(": 0")) return value;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return "0";
}

std::string assignment_line(const AllocatorSettings& settings, std::string_view key, std::string_view value) {
  const ConfOption wanted{key, value};
  return assignment_line(settings, {&wanted, 1});
}

std::string assignment_line(const AllocatorSettings& settings, std::span<const ConfOption> wanted) {
  std::vector<ConfOption> options;
  for (const ConfOption& option : conf_options(settings.conf)) {
    const auto asked = std::ranges::find(wanted, option.key, &ConfOption::key);
    if (asked == wanted.end()) {
      options.push_back(option);
    } else if (std::ranges::find(options, option.key, &ConfOption::key) == options.end()) {
      options.push_back(*asked);
    }
  }
  for (const ConfOption& option : wanted) {
    if (std::ranges::find(options, option.key, &ConfOption::key) == options.end()) options.push_back(option);
  }
  std::string conf;
  for (const ConfOption& option : options) {
    if (!conf.empty()) conf += ',';
    conf += option.key;
    if (!option.value.empty()) conf.append(":").append(option.value);
  }
  return settings.variable + "=" + shell_word(conf);
}

}  // namespace kino
