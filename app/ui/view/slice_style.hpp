// Appearance of the slices of a trace in all views: color, and short or full name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/shell/settings/color_modes.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/paint_keys.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// UI thread only. Color keys of slices and large palettes are made on the pool; until they are ready, the
/// previous colors remain.
class SliceStyle {
 public:
  SliceStyle(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);

  enum class Change { nothing, palette, keys };
  /// Called once per frame: takes over options and finished results, and returns what the renderer must
  /// update.
  Change update(const ColorOptions& wanted, const Theme& theme);

  /// Color keys by SliceId; null: the NameId of a slice is its key.
  std::shared_ptr<const std::vector<std::uint32_t>> keys() const { return paint_.keys; }
  std::span<const std::uint32_t> palette() const { return palette_; }
  std::uint32_t color_of(SliceId slice) const;
  /// Color of a name in views that aggregate slices of several tracks: the color of its kind, unless colors
  /// are by name.
  std::uint32_t color_of(NameId name, SliceKind kind, const Theme& theme) const;
  /// The name in the form that the user has chosen, truncated if very long.
  std::string name_text(std::string_view name) const;
  /// Longer texts have their middle cut in the usual width of a list.
  static constexpr std::size_t kCutCharacters = 32;
  /// The texts of different names, made to differ: see disambiguated_if_cut(). For lists of a few names.
  std::vector<std::string> name_texts(std::span<const std::string_view> names) const;
  /// The short form of a name, truncated first if very long.
  static std::string short_text(std::string_view name);
  bool full_names() const { return options_.full_names; }

  /// Mode of the current colors; changes to the requested mode as soon as its keys are ready.
  ColorMode shown_mode() const { return shown_mode_; }
  bool complete() const { return !computed_.running(); }
  /// Groups of slices that the keys identify; empty while colors are by name.
  const std::vector<PaintGroup>& groups() const { return paint_.groups; }
  const Trace& trace() const { return *trace_; }

 private:
  struct Made {
    std::optional<PaintKeys> keys;  // nullopt: the previous ones remain
    std::vector<std::uint32_t> palette;
  };
  void start(bool with_keys, const Theme& theme);
  Change take(Made made);

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  ColorOptions options_;
  BackgroundResult<std::shared_ptr<Made>> computed_;
  PaintKeys paint_;
  ColorMode shown_mode_ = ColorMode::name;
  std::optional<bool> dark_;  // whether the palette is for the dark theme
  std::vector<std::uint32_t> palette_;
};

}  // namespace kino
