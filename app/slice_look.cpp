#include "app/slice_look.hpp"

#include <utility>

#include "app/slice_palettes.hpp"
#include "core/name_text.hpp"

namespace kino {
namespace {

PaintBy paint_by(ColorMode mode) {
  switch (mode) {
    case ColorMode::stream:
      return PaintBy::track;
    case ColorMode::module:
      return PaintBy::module;
    case ColorMode::duration:
      return PaintBy::duration;
    case ColorMode::name:
    case ColorMode::kind:
      break;
  }
  return PaintBy::kind;
}

}  // namespace

SliceLook::SliceLook(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

SliceLook::Change SliceLook::update(const LookOptions& wanted, const Theme& theme) {
  Change change = Change::nothing;
  const ColorMode before = std::exchange(options_, wanted).color_mode;
  if (wanted.color_mode != before) {
    computed_.reset();
    if (wanted.color_mode == ColorMode::name) {
      paint_ = {};
      shown_mode_ = ColorMode::name;
      change = Change::keys;
    } else {
      computed_.start(pool_, wake_, [trace = trace_, mode = wanted.color_mode](const std::stop_token& stop) {
        return paint_keys(*trace, paint_by(mode), stop);
      });
    }
  }
  if (computed_.poll() && computed_.value() != nullptr && computed_.value()->keys) {
    paint_ = *computed_.value();
    computed_.reset();  // so that the keys live no longer than the mode
    shown_mode_ = options_.color_mode;
    change = Change::keys;
  }
  if (dark_ != theme.dark && change == Change::nothing) change = Change::palette;
  if (change != Change::nothing) make_palette(theme);
  dark_ = theme.dark;
  return change;
}

void SliceLook::make_palette(const Theme& theme) {
  switch (shown_mode_) {
    case ColorMode::name:
      palette_ = name_colors(*trace_, theme);
      break;
    case ColorMode::kind:
      palette_ = kind_palette(theme);
      break;
    case ColorMode::stream:
      palette_ = track_palette(*trace_, theme);
      break;
    case ColorMode::module:
      palette_ = module_palette(*trace_, paint_.groups, theme);
      break;
    case ColorMode::duration:
      palette_ = duration_palette(theme);
      break;
  }
}

std::uint32_t SliceLook::color_of(SliceId slice) const {
  const std::uint32_t i = index_of(slice);
  const std::uint32_t key = paint_.keys ? (*paint_.keys)[i] : index_of(trace_->slices.name[i]);
  return key < palette_.size() ? palette_[key] : 0xff999999U;
}

std::uint32_t SliceLook::color_of(NameId name, SliceKind kind, const Theme& theme) const {
  return shown_mode_ == ColorMode::name ? palette_[index_of(name)] : kind_color(kind, theme);
}

std::string SliceLook::name_text(std::string_view name) const {
  // No real name is longer; what is longer must not cost a frame's time.
  constexpr std::size_t kLongest = std::size_t{16} << 10;
  name = head_of(name, kLongest);
  return options_.full_names ? std::string(name) : short_name(name);
}

}  // namespace kino
