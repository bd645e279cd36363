#include "app/ui/view/slice_style.hpp"

#include <utility>

#include "app/ui/view/slice_palettes.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

// Number of bytes to which names are truncated, since longer names would slow down a frame. No real name is
// that long.
constexpr std::size_t kLongestName = std::size_t{16} << 10;

PaintBy paint_by(ColorMode mode) {
  if (mode == ColorMode::stream) return PaintBy::track;
  if (mode == ColorMode::module) return PaintBy::module;
  return mode == ColorMode::duration ? PaintBy::duration : PaintBy::kind;
}

std::vector<std::uint32_t> palette_of(const Trace& trace, ColorMode mode,
                                      const std::vector<PaintGroup>& groups, const Theme& theme) {
  if (mode == ColorMode::kind) return kind_palette(theme);
  if (mode == ColorMode::stream) return track_palette(trace, theme);
  if (mode == ColorMode::module) return module_palette(trace, groups, theme);
  return mode == ColorMode::duration ? duration_palette(theme) : name_colors(trace, theme);
}

// Whether a palette takes less than 3 ms, so that it can be made in the frame.
bool is_quick(const Trace& trace, ColorMode mode) {
  constexpr std::size_t kManyNames = 50'000;
  constexpr std::size_t kManyColors = 15'000;
  if (mode == ColorMode::stream) return trace.tracks.size() < kManyColors;
  if (mode == ColorMode::module) return false;
  return mode != ColorMode::name || trace.names.size() < kManyNames;
}

}  // namespace

SliceStyle::SliceStyle(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

SliceStyle::Change SliceStyle::take(Made made) {
  palette_ = std::move(made.palette);
  if (!made.keys) return Change::palette;
  paint_ = std::move(*made.keys);
  shown_mode_ = options_.color_mode;
  return Change::keys;
}

void SliceStyle::start(bool with_keys, const Theme& theme) {
  computed_.start(
      pool_, wake_,
      [trace = trace_, mode = options_.color_mode, theme, with_keys,
       groups = with_keys ? std::vector<PaintGroup>{} : paint_.groups](const std::stop_token& stop) {
        auto made = std::make_shared<Made>();
        if (with_keys) {
          made->keys.emplace();
          if (mode != ColorMode::name) made->keys = paint_keys(*trace, paint_by(mode), stop);
        }
        if (stop.stop_requested()) return made;
        made->palette = palette_of(*trace, mode, with_keys ? made->keys->groups : groups, theme);
        return made;
      });
}

SliceStyle::Change SliceStyle::update(const ColorOptions& wanted, const Theme& theme) {
  const ColorMode mode = wanted.color_mode;
  const bool other_mode = std::exchange(options_, wanted).color_mode != mode;
  const bool other_theme = std::exchange(dark_, theme.dark) != theme.dark;
  Change change = Change::nothing;
  if (other_mode || other_theme) {
    computed_.reset();
    if (mode == ColorMode::name && is_quick(*trace_, mode)) {
      Made made;
      if (shown_mode_ != mode) made.keys.emplace();
      made.palette = palette_of(*trace_, mode, {}, theme);
      return take(std::move(made));
    }
    const bool quick = is_quick(*trace_, shown_mode_);
    if (other_theme && quick) change = take({{}, palette_of(*trace_, shown_mode_, paint_.groups, theme)});
    if (shown_mode_ != mode || (other_theme && !quick)) start(shown_mode_ != mode, theme);
  }
  if (const std::shared_ptr<Made>* fresh = computed_.poll()) {
    const std::shared_ptr<Made> made = *fresh;
    computed_.reset();  // so that keys are freed when the mode changes
    change = take(std::move(*made));
  }
  return change;
}

std::uint32_t SliceStyle::color_of(SliceId slice) const {
  const std::uint32_t i = index_of(slice);
  const std::uint32_t key = paint_.keys ? (*paint_.keys)[i] : index_of(trace_->slices.name[i]);
  return key < palette_.size() ? palette_[key] : 0xff999999U;
}

std::uint32_t SliceStyle::color_of(NameId name, SliceKind kind, const Theme& theme) const {
  const bool has_own = shown_mode_ == ColorMode::name && index_of(name) < palette_.size();
  return has_own ? palette_[index_of(name)] : kind_color(kind, theme);
}

std::string SliceStyle::name_text(std::string_view name) const {
  return options_.full_names ? std::string(head_of(name, kLongestName)) : short_text(name);
}

std::vector<std::string> SliceStyle::name_texts(std::span<const std::string_view> names) const {
  std::vector<std::string_view> heads;
  std::vector<std::string> shown;
  heads.reserve(names.size());
  shown.reserve(names.size());
  for (const std::string_view name : names) {
    heads.push_back(head_of(name, kLongestName));
    shown.push_back(name_text(name));
  }
  return disambiguated_if_cut(heads, std::move(shown), kCutCharacters);
}

std::string SliceStyle::short_text(std::string_view name) { return short_name(head_of(name, kLongestName)); }

}  // namespace kino
