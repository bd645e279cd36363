// Names with which profilers mark training steps, and with which PyTorch marks data loading.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace kino {

/// Name of a step without "#" and number.
inline constexpr std::string_view kStepWord = "ProfilerStep";
/// Prefix of the step names that torch.profiler.profile.step() and older writers record: "ProfilerStep#12".
inline constexpr std::string_view kStepPrefix = "ProfilerStep#";

/// Whether a slice or annotation of this name marks a step, whatever follows the prefix.
constexpr bool is_step_name(std::string_view name) { return name.starts_with(kStepPrefix); }

/// Returns the number after the prefix; nullopt if the name does not mark a step or has no valid number.
inline std::optional<std::int64_t> step_number(std::string_view name) {
  if (!is_step_name(name)) return std::nullopt;
  const std::string_view digits = name.substr(kStepPrefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

inline std::string step_title(std::int64_t number) {
  return std::string(kStepPrefix) + std::to_string(number);
}
/// Returns the title of all steps together: "ProfilerStep*", as PyTorch's key_averages() writes it.
inline std::string all_steps_title() { return std::string(kStepWord) + "*"; }

/// Whether the name marks data loading with torch.utils.data:
/// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", or a DataPipe.
constexpr bool is_data_loading(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with("__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

}  // namespace kino
