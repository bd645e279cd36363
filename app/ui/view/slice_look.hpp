// How the slices of one trace look: the colour of each and the form of its name, everywhere the same.
#pragma once

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

/// UI thread only. The keys of a mode and palettes of many colours are made on the pool; until they are
/// there, those before stay.
class SliceLook {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  SliceLook(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);

  enum class Change { nothing, palette, keys };
  /// Once a frame: takes over what the person wants and what is ready; says what to tell the renderer.
  Change update(const LookOptions& wanted, const Theme& theme);

  /// By SliceId; null: the NameId is the key.
  std::shared_ptr<const std::vector<std::uint32_t>> keys() const { return paint_.keys; }
  /// Colours by key.
  std::span<const std::uint32_t> palette() const { return palette_; }
  std::uint32_t color_of(SliceId slice) const;
  /// The colour of a name where slices of all tracks are summed up: its kind's when names have none.
  std::uint32_t color_of(NameId name, SliceKind kind, const Theme& theme) const;
  /// The name as the person wants it; of a very long one its head.
  std::string name_text(std::string_view name) const;
  /// Its short form, whatever the person wants; of a very long one that of its head.
  static std::string short_text(std::string_view name);
  bool full_names() const { return options_.full_names; }

  /// The mode that colours() are of, which is the wanted one as soon as its keys are there.
  ColorMode shown_mode() const { return shown_mode_; }
  bool complete() const { return !computed_.running(); }
  /// What the keys stand for; empty for names.
  const std::vector<PaintGroup>& groups() const { return paint_.groups; }
  const Trace& trace() const { return *trace_; }
  std::shared_ptr<const Trace> shared_trace() const { return trace_; }

 private:
  struct Made {
    std::optional<PaintKeys> keys;  // nothing: those before
    std::vector<std::uint32_t> palette;
  };
  void start(bool with_keys, const Theme& theme);
  Change take(Made made);

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  LookOptions options_;
  BackgroundResult<std::shared_ptr<Made>> computed_;
  PaintKeys paint_;
  ColorMode shown_mode_ = ColorMode::name;
  std::optional<bool> dark_;  // of the theme that the palette is for
  std::vector<std::uint32_t> palette_;
};

}  // namespace kino
