#include "app/pages/job/rank_image.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/widgets/picture_key.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kFaintestPart = 0.3F;  // minimum color strength, so that short activity is visible
constexpr float kMarginShare = 0.15F;  // margin painted on each side of the view, relative to its width

/// Shares of time in which one rank computes, transfers, waits and copies, by column.
struct Shares {
  explicit Shares(std::size_t columns)
      : compute(columns), moving(columns), waiting(columns), copies(columns) {}
  std::vector<float> compute;
  std::vector<float> moving;
  std::vector<float> waiting;
  std::vector<float> copies;
};

void measure(const RankPainting& painting, std::uint32_t rank, Shares& shares) {
  const RankPicture& drawn_rank = painting.picture->ranks[rank];
  const double begin_ns = static_cast<double>(painting.first_column) * painting.ns_per_px;
  drawn_rank.compute.shares(begin_ns, painting.ns_per_px, shares.compute);
  drawn_rank.moving.shares(begin_ns, painting.ns_per_px, shares.moving);
  drawn_rank.waiting.shares(begin_ns, painting.ns_per_px, shares.waiting);
  drawn_rank.copies.shares(begin_ns, painting.ns_per_px, shares.copies);
}

/// Replaces the columns of `into` in which `other` waits more.
void merge(Shares& into, const Shares& other) {
  for (std::size_t i = 0; i < into.waiting.size(); ++i) {
    if (other.waiting[i] <= into.waiting[i]) continue;
    into.compute[i] = other.compute[i];
    into.moving[i] = other.moving[i];
    into.waiting[i] = other.waiting[i];
    into.copies[i] = other.copies[i];
  }
}

void add(Shares& sums, const Shares& shares) {
  for (std::size_t i = 0; i < sums.compute.size(); ++i) {
    // Time in which a rank both computes and communicates counts as computing, as in the rows.
    const float compute = std::min(1.0F, shares.compute[i]);
    const float moving = std::min(1 - compute, shares.moving[i]);
    sums.compute[i] += compute;
    sums.moving[i] += moving;
    sums.waiting[i] += std::min(1 - compute - moving, shares.waiting[i]);
  }
}

class Painter {
 public:
  explicit Painter(const RankPainting& painting)
      : painting_(painting),
        pixels_(static_cast<std::size_t>(painting.width) * static_cast<std::size_t>(painting.height), 0),
        light_(static_cast<std::size_t>(painting.width)),
        dark_(static_cast<std::size_t>(painting.width)) {}

  void paint(const Shares& shares, float top, float bottom) {
    const int first = std::clamp(static_cast<int>(std::floor(top)), 0, painting_.height);
    int last = std::clamp(static_cast<int>(std::floor(bottom)), first, painting_.height);
    // Rows that are high enough are separated by one pixel.
    if (last - first >= 5) --last;
    last = std::min(painting_.height, std::max(last, first + 1));
    if (first >= last) return;
    mix(shares);
    const auto pitch = static_cast<std::int64_t>(std::max(4.0F, std::round(6 * painting_.scale)));
    const auto line = static_cast<std::int64_t>(std::max(1.0F, std::round(1.5F * painting_.scale)));
    const auto content = static_cast<std::int64_t>(painting_.top_px);
    for (int y = first; y < last; ++y) {
      std::uint32_t* const row = pixels_.data() + static_cast<std::ptrdiff_t>(y) * painting_.width;
      std::int64_t phase = (painting_.first_column + content + y) % pitch;
      if (phase < 0) phase += pitch;
      for (int x = 0; x < painting_.width; ++x) {
        const auto i = static_cast<std::size_t>(x);
        row[x] = phase < line ? light_[i] : dark_[i];
        if (++phase == pitch) phase = 0;
      }
    }
  }
  /// Paints the stacked shares of a group. `sums` contains the sums of the shares of `ranks` ranks.
  void paint_stacked(const Shares& sums, float ranks, float top, float bottom) {
    const int first = std::clamp(static_cast<int>(std::floor(top)) + 1, 0, painting_.height);
    const int last = std::clamp(static_cast<int>(std::floor(bottom)) - 1, first, painting_.height);
    const float height = bottom - top - 2;
    for (int x = 0; x < painting_.width; ++x) {
      const auto i = static_cast<std::size_t>(x);
      const float compute = sums.compute[i] / ranks * height;
      const float moving = compute + sums.moving[i] / ranks * height;
      const float waiting = moving + sums.waiting[i] / ranks * height;
      for (int y = first; y < last; ++y) {
        const float up = std::floor(bottom) - 1 - static_cast<float>(y) - 0.5F;
        std::uint32_t& pixel =
            pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(painting_.width) + i];
        if (up < compute) {
          pixel = painting_.compute;
        } else if (up < moving) {
          pixel = painting_.communication;
        } else if (up < waiting) {
          pixel = mixed(painting_.back, painting_.communication, 0.4);
        }
      }
    }
  }
  std::vector<std::uint32_t> take() { return std::move(pixels_); }

 private:
  /// Computes the colors of each column, on the lines of the hatching and between them.
  void mix(const Shares& shares) {
    const std::uint32_t on = mixed(painting_.back, painting_.communication, 0.62);
    const std::uint32_t between = mixed(painting_.back, painting_.communication, 0.27);
    for (std::size_t i = 0; i < light_.size(); ++i) {
      float left = 1;
      const auto part = [&left](float share) {
        if (share <= 0) return 0.0F;
        const float taken = std::min(left, std::max(share, kFaintestPart));
        left -= taken;
        return taken;
      };
      const float compute = part(shares.compute[i]);
      const float moving = part(shares.moving[i]);
      const float waiting = part(shares.waiting[i]);
      const float copies = part(shares.copies[i]);
      if (left >= 1) {
        light_[i] = dark_[i] = 0;
        continue;
      }
      const auto colored = [&](std::uint32_t waits) {
        std::uint32_t color = 0xff000000U;
        for (const int shift : {0, 8, 16}) {
          const auto channel = [shift](std::uint32_t of) { return static_cast<float>(of >> shift & 255U); };
          const float value = compute * channel(painting_.compute) +
                              moving * channel(painting_.communication) + waiting * channel(waits) +
                              copies * channel(painting_.copy) + left * channel(painting_.back);
          color |= static_cast<std::uint32_t>(std::min(255.0F, value + 0.5F)) << shift;
        }
        return color;
      };
      light_[i] = colored(on);
      dark_[i] = waiting > 0 ? colored(between) : light_[i];
    }
  }

  const RankPainting& painting_;
  std::vector<std::uint32_t> pixels_;
  std::vector<std::uint32_t> light_;
  std::vector<std::uint32_t> dark_;
};

}  // namespace

std::vector<std::uint32_t> painted(const RankPainting& painting, const std::stop_token& stop) {
  Painter painter(painting);
  const auto columns = static_cast<std::size_t>(std::max(0, painting.width));
  Shares shares(columns);
  Shares more(columns);
  for (std::size_t i = 0; i < painting.bands.size() && !stop.stop_requested(); ++i) {
    const RankBand& band = painting.bands[i];
    measure(painting, band.rank, shares);
    const float row = std::floor(band.top);
    float bottom = band.bottom;
    while (i + 1 < painting.bands.size() && std::floor(painting.bands[i + 1].top) == row &&
           band.bottom - band.top < 1) {
      measure(painting, painting.bands[++i].rank, more);
      merge(shares, more);
      bottom = std::max(bottom, painting.bands[i].bottom);
    }
    painter.paint(shares, band.top, bottom);
  }
  for (const GroupBand& group : painting.groups) {
    Shares sums(columns);
    for (const std::uint32_t rank : group.ranks) {
      if (stop.stop_requested()) break;
      measure(painting, rank, shares);
      add(sums, shares);
    }
    painter.paint_stacked(sums, static_cast<float>(std::max<std::size_t>(1, group.ranks.size())), group.top,
                          group.bottom);
  }
  const float marked_px = RankImage::kMarkedPx * painting.scale;
  for (const RankBand& band : painting.bands) {
    if (!band.marked || band.bottom - band.top >= marked_px || stop.stop_requested()) continue;
    measure(painting, band.rank, shares);
    const float top = std::floor((band.top + band.bottom - marked_px) / 2);
    painter.paint(shares, top, top + marked_px);
  }
  return painter.take();
}

RankPainting RankImage::painting_of(const JobState& state) {
  RankPainting painting;
  const Box& lanes = state.boxes.lanes;
  const TimeView& view = state.navigation.view();
  const float fine = state.framebuffer_scale;
  painting.picture = state.picture;
  painting.ns_per_px = view.ns_per_px / static_cast<double>(fine);
  painting.scale = state.scale * fine;
  const double margin = std::floor(view.width_px * kMarginShare * fine);
  painting.first_column = static_cast<std::int64_t>(std::floor(view.begin_ns / painting.ns_per_px) - margin);
  painting.width = static_cast<int>(std::ceil(view.width_px * fine) + 2 * margin) + 1;
  painting.height = static_cast<int>(std::ceil(lanes.height() * fine));
  painting.top_px = std::floor(state.scroll.position() * fine);
  painting.back = state.theme.track_area;
  painting.compute = kind_color(SliceKind::compute, state.theme);
  painting.communication = kind_color(SliceKind::communication, state.theme);
  painting.copy = kind_color(SliceKind::copy, state.theme);
  const std::vector<std::uint32_t>& named = state.named;
  const double top = state.scroll.position();
  for (const JobLine& line : state.lines.between(top, top + static_cast<double>(lanes.height()))) {
    const double line_top = static_cast<double>(line.top * fine) - painting.top_px;
    if (line.kind == JobLine::Kind::group && line.index < state.groups.size()) {
      const JobGroup& group = state.groups[line.index];
      const auto begin = state.shown.begin() + static_cast<std::ptrdiff_t>(group.first);
      painting.groups.push_back({{begin, begin + static_cast<std::ptrdiff_t>(group.count)},
                                 static_cast<float>(line_top),
                                 static_cast<float>(line_top + static_cast<double>(line.height * fine))});
    }
    if (line.kind != JobLine::Kind::rank || state.two_lanes(line)) continue;
    painting.bands.push_back({line.index, static_cast<float>(line_top),
                              static_cast<float>(line_top + static_cast<double>(line.height * fine)),
                              !line.named && std::ranges::find(named, line.index) != named.end()});
  }
  return painting;
}

void RankImage::draw(ImDrawList& list, const JobState& state) {
  fresh_ = true;
  if (state.picture == nullptr) return;
  if (const std::shared_ptr<const Made>* done = made_.poll(); done != nullptr && *done != shown_) {
    shown_ = *done;
    texture_.set(shown_->of.width, shown_->of.height, shown_->pixels);
  }
  RankPainting wanted = painting_of(state);
  if (wanted.bands.empty() && wanted.groups.empty()) return;
  fresh_ = shown_ != nullptr && shown_->of == wanted;
  // A running painting is not cancelled, so that a moving view also gets finished paintings.
  if (!fresh_ && !made_.running()) {
    made_.start(pool_, wake_, [wanted = std::move(wanted)](const std::stop_token& stop) {
      auto made = std::make_shared<Made>();
      made->pixels = painted(wanted, stop);
      made->of = wanted;
      return std::shared_ptr<const Made>(std::move(made));
    });
  }
  if (shown_ == nullptr || shown_->of.picture->job != state.picture->job) return;
  const RankPainting& of = shown_->of;
  const TimeView& view = state.navigation.view();
  const Box& lanes = state.boxes.lanes;
  const float fine = state.framebuffer_scale;
  const auto x_of = [&](std::int64_t column) {
    return lanes.left + static_cast<float>(view.px_from_ns(static_cast<double>(column) * of.ns_per_px));
  };
  const float top = lanes.top + static_cast<float>((of.top_px - std::floor(state.scroll.position() * fine)) /
                                                   static_cast<double>(fine));
  const float left = x_of(of.first_column);
  const float right = x_of(of.first_column + of.width);
  add_image(list, texture_, {fresh_ ? std::round(left) : left, top},
            {fresh_ ? std::round(left) + static_cast<float>(of.width) / fine : right,
             top + static_cast<float>(of.height) / fine});
}

}  // namespace kino
