#include "render/timeline_renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/platform/thread_clock.hpp"
#include "render/gpu.hpp"
#include "render/shader_sources.hpp"
#include "render/tile_cache.hpp"

namespace kino {
namespace {

constexpr double kUploadBudgetMs = 2;
// A coarser tile that replaces a missing one is up to 2^10 times as wide. A float still positions it within
// 1/8 px.
constexpr int kMaxCoarserLevels = 10;
constexpr int kMaxFinerLevels = 3;
constexpr std::uint32_t kGrey = 0xff999999U;
constexpr float kUnclipped = 1e30F;
constexpr std::size_t kPaletteUnit = 0;  // see shader_source()

/// Returns the program that draws lanes of a kind.
ShaderProgram program_of(LaneDraw::Kind kind) {
  switch (kind) {
    case LaneDraw::Kind::slices:
      break;
    case LaneDraw::Kind::instants:
      return ShaderProgram::instants;
    case LaneDraw::Kind::counter:
      return ShaderProgram::counter;
  }
  return ShaderProgram::slices;
}

/// Rounds down to an integer, and saturates.
std::int64_t ns_from_double(double ns) {
  if (!(ns > -9.2e18)) return std::numeric_limits<std::int64_t>::min();
  if (ns > 9.2e18) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::floor(ns));
}

/// Returns the position of a tile's left edge. All levels and lanes with an edge at this time get the same
/// double.
double edge_px(const TimeView& view, TilePlace place) {
  return view.px_from_ns(std::ldexp(static_cast<double>(place.number), place.level + kTileBinsLog2));
}

struct DrawnTile {
  std::uint32_t lane = 0;
  TilePlace place;
  const CachedTile* tile = nullptr;
  double clip_left_px = -1e30;
  double clip_right_px = 1e30;
  bool older = false;  // whether the tile was made with the previous paint
};

/// Number of a paint in tile keys, and index of its palette.
struct Paint {
  std::uint32_t number = 0;
  std::size_t palette = 0;
};

}  // namespace

struct TimelineRenderer::State {
  State(std::shared_ptr<const Trace> the_trace, WorkerPool& pool, std::function<void()> the_wake)
      : trace(std::move(the_trace)),
        wake(std::move(the_wake)),
        cache(trace, pool, wake),
        software(gpu.is_software()) {
    for (const ShaderProgram program :
         {ShaderProgram::slices, ShaderProgram::instants, ShaderProgram::counter})
      gpu.prepare(program);
  }

  void upload_palette(std::span<const std::uint32_t> colors);
  std::optional<TimeRange> extent(const LaneDraw& lane) const;
  void plan_lane(std::uint32_t lane);
  void plan_tile(const TileKey& key, DrawnTile tile);
  void stand_in(const TileKey& key, DrawnTile tile);
  bool add_older(TileKey key, DrawnTile tile);
  bool add(TileKey key, TilePlace place, DrawnTile tile);
  void submit(LaneDraw::Kind kind, bool pinned, const PixelArea& area);
  TileUniforms uniforms(const DrawnTile& drawn) const;

  Gpu& gpu = current_gpu();
  const std::shared_ptr<const Trace> trace;
  std::shared_ptr<const PackedStreams> packed;
  std::shared_ptr<const DerivedCounters> counters;
  std::uint32_t counters_number = 0;  // increases with each set, since other sets reuse ids
  ShownRows rows() const { return {*trace, packed.get(), counters.get()}; }
  const std::function<void()> wake;
  TileCache cache;
  const std::array<GpuTexture, 2> palettes;  // one is for the previous paint
  bool has_palette = false;
  const bool software;
  Paint paint;
  std::optional<Paint> paint_before;  // last paint that was drawn completely, if it is not the current one
  float faded = 1;
  std::uint32_t background = 0xff000000U;
  std::uint32_t counter = 0xffffffffU;
  std::uint32_t instant = 0xffffffffU;
  std::uint64_t version = 0;  // counts changes by setters

  // State of the last draw, for labels.
  TimeView view;
  int level = 0;
  std::vector<LaneDraw> lanes;   // visible lanes
  std::vector<DrawnTile> drawn;  // by lane, then from left to right
  std::vector<TileRequest> missing;
  std::vector<TileRequest> ahead;  // neighbors of visible tiles
  bool all_uploaded = true;
  bool seen = false;  // whether a draw with the current paint found every tile
  DrawStats stats;
};

TimelineRenderer::TimelineRenderer(std::shared_ptr<const Trace> trace, WorkerPool& pool,
                                   std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(trace), pool, std::move(wake))) {}

TimelineRenderer::~TimelineRenderer() = default;

void TimelineRenderer::set_palette(std::span<const std::uint32_t> colors) {
  ++state_->version;
  state_->upload_palette(colors);
}

void TimelineRenderer::set_paint(SlicePaint paint, std::span<const std::uint32_t> colors) {
  State& state = *state_;
  ++state.version;
  // A paint that was never drawn completely cannot replace missing tiles, so an earlier previous paint is
  // kept.
  if (state.seen) {
    state.paint_before = state.paint;
    state.paint.palette = 1 - state.paint.palette;
  }
  state.seen = false;
  ++state.paint.number;
  state.cache.set_paint(state.paint.number, std::move(paint));
  state.upload_palette(colors);
}

void TimelineRenderer::set_unmatched_share(float share) {
  if (std::exchange(state_->faded, share) != share) ++state_->version;
}

void TimelineRenderer::set_packed(std::shared_ptr<const PackedStreams> packed) {
  ++state_->version;
  state_->packed = packed;
  state_->cache.set_packed(std::move(packed));
}

void TimelineRenderer::set_counters(std::shared_ptr<const DerivedCounters> counters) {
  ++state_->version;
  state_->counters = counters;
  ++state_->counters_number;
  state_->cache.set_counters(std::move(counters));
}

void TimelineRenderer::set_surface_colors(std::uint32_t background, std::uint32_t counter,
                                          std::uint32_t instant) {
  const bool other = std::exchange(state_->background, background) != background;
  if (std::exchange(state_->counter, counter) != counter || other) ++state_->version;
  if (std::exchange(state_->instant, instant) != instant) ++state_->version;
}

std::uint64_t TimelineRenderer::version() const { return state_->version; }

void TimelineRenderer::State::upload_palette(std::span<const std::uint32_t> colors) {
  has_palette = true;
  constexpr std::size_t kWidth = kNumberedWidth;
  // Allocates a texel for every name, since names are possible keys.
  const auto keys = std::max<std::size_t>({colors.size(), trace->names.size(), 1});
  const std::size_t height = (keys + kWidth - 1) / kWidth;
  std::vector<std::uint32_t> texels(kWidth * height, kGrey);
  std::copy(colors.begin(), colors.end(), texels.begin());
  gpu.set_texture(palettes[paint.palette].id(), TexelFormat::rgba8, kNumberedWidth, static_cast<int>(height),
                  std::as_bytes(std::span(texels)));
}

/// Returns the first and last time of a lane, both inclusive; nullopt if the lane is empty.
std::optional<TimeRange> TimelineRenderer::State::extent(const LaneDraw& lane) const {
  if (lane.kind == LaneDraw::Kind::slices) {
    const SliceRow row = rows().slices_of(RowId{lane.index});
    if (row.start_ns.empty()) return std::nullopt;
    return TimeRange{row.start_ns.front(), row.start_ns.back() + row.duration_ns.back()};
  }
  if (lane.kind == LaneDraw::Kind::instants) {
    const Track& track = trace->tracks[lane.index];
    if (track.instant_count == 0) return std::nullopt;
    const auto times = trace->instants.time_ns.sub(track.first_instant, track.instant_count);
    return TimeRange{times.front(), times.back()};
  }
  const auto times = rows().counter_at(lane.index).time_ns;
  if (times.empty()) return std::nullopt;
  return TimeRange{times.front(), std::max(times.back(), trace->range.end_ns)};
}

void TimelineRenderer::State::plan_lane(std::uint32_t lane_number) {
  const LaneDraw& lane = lanes[lane_number];
  const std::optional<TimeRange> range = extent(lane);
  if (!range) return;
  const std::int64_t first = std::max(range->begin_ns, ns_from_double(view.begin_ns));
  const std::int64_t last = std::min(range->end_ns, ns_from_double(view.end_ns()));
  if (first > last) return;
  const std::int64_t range_first = TilePlace::at(level, range->begin_ns).number;
  const std::int64_t range_last = TilePlace::at(level, range->end_ns).number;
  const std::int64_t tile_first = TilePlace::at(level, first).number;
  const std::int64_t tile_last = TilePlace::at(level, last).number;
  DrawnTile drawn_tile;
  drawn_tile.lane = lane_number;
  if (lane.kind == LaneDraw::Kind::counter) {
    // The last value lasts to the end of the trace. One more pixel keeps a sample at that very time visible.
    drawn_tile.clip_right_px = view.px_from_ns(static_cast<double>(range->end_ns)) + 1;
  }
  const bool slices = lane.kind == LaneDraw::Kind::slices;
  const bool added = lane.kind == LaneDraw::Kind::counter && rows().is_derived(lane.index);
  const std::uint32_t made_of = slices ? paint.number : added ? counters_number : 0;
  TileKey key{lane.kind, lane.index, {level, 0}, made_of};
  for (std::int64_t number = tile_first; number <= tile_last; ++number) {
    key.place.number = number;
    plan_tile(key, drawn_tile);
  }
  for (const std::int64_t number : {tile_first - 1, tile_last + 1}) {
    if (number < range_first || number > range_last) continue;
    key.place.number = number;
    if (cache.find(key) == nullptr) ahead.push_back({key, false});
  }
}

void TimelineRenderer::State::plan_tile(const TileKey& key, DrawnTile tile) {
  if (add(key, key.place, tile)) return;
  ++stats.tiles_missing;
  missing.push_back({key, true});
  tile.clip_left_px = edge_px(view, key.place);
  tile.clip_right_px = std::min(tile.clip_right_px, edge_px(view, {key.place.level, key.place.number + 1}));
  if (!add_older(key, tile)) stand_in(key, tile);
}

/// Draws the tile with the previous paint if it is cached. Returns whether it is.
bool TimelineRenderer::State::add_older(TileKey key, DrawnTile tile) {
  if (!paint_before || key.kind != LaneDraw::Kind::slices) return false;
  key.paint = paint_before->number;
  tile.older = true;
  return add(key, key.place, tile);
}

/// Draws the nearest cached level in place of a missing tile: at most kMaxCoarserLevels coarser or
/// kMaxFinerLevels finer.
void TimelineRenderer::State::stand_in(const TileKey& key, DrawnTile tile) {
  for (int distance = 1; distance <= kMaxCoarserLevels; ++distance) {
    const int coarser = key.place.level + distance;
    if (coarser <= kMaxTileLevel && add(key, {coarser, key.place.number >> distance}, tile)) return;
    const int finer = key.place.level - distance;
    if (distance > kMaxFinerLevels || finer < 0) continue;
    bool any = false;
    const std::int64_t children = std::int64_t{1} << distance;
    for (std::int64_t child = 0; child < children; ++child) {
      any = add(key, {finer, key.place.number * children + child}, tile) || any;
    }
    if (any) return;
  }
}

bool TimelineRenderer::State::add(TileKey key, TilePlace place, DrawnTile tile) {
  key.place = place;
  tile.place = place;
  tile.tile = cache.find(key);
  if (tile.tile == nullptr) return false;
  if (tile.tile->texel_count > 0) drawn.push_back(tile);
  return true;
}

TileUniforms TimelineRenderer::State::uniforms(const DrawnTile& drawn_tile) const {
  const LaneDraw& lane = lanes[drawn_tile.lane];
  TileUniforms out;
  const TilePlace place = drawn_tile.place;
  out.left_px = static_cast<float>(edge_px(view, place));
  out.right_px = static_cast<float>(edge_px(view, {place.level, place.number + 1}));
  out.length_ns = static_cast<float>(place.length_ns());
  out.px_per_ns = static_cast<float>(1 / view.ns_per_px);
  out.clip_left_px = static_cast<float>(std::max(drawn_tile.clip_left_px, -double{kUnclipped}));
  out.clip_right_px = static_cast<float>(std::min(drawn_tile.clip_right_px, double{kUnclipped}));
  out.top_px = std::floor(lane.top_px + 0.5F);
  const float gap_px = lane.height_px >= 3 ? 1 : 0;
  out.bottom_px = std::max(std::floor(lane.top_px + lane.height_px + 0.5F) - gap_px, out.top_px + 1);
  out.first_texel = static_cast<float>(drawn_tile.tile->first_texel);
  out.mark_px = lane.height_px >= 20 ? 3 : 2;
  if (lane.kind == LaneDraw::Kind::counter) {
    const Track& track = rows().track_at(lane.index);
    const double low = std::min(0.0, track.min_value);
    const double high = std::max(0.0, track.max_value);
    out.baseline = static_cast<float>(low);
    out.px_per_unit =
        high > low ? static_cast<float>(static_cast<double>(out.bottom_px - out.top_px) / (high - low)) : 0;
  }
  return out;
}

void TimelineRenderer::State::submit(LaneDraw::Kind kind, bool pinned, const PixelArea& area) {
  bool used = false;
  std::uint32_t bound = 0;
  std::optional<bool> older;
  for (const DrawnTile& drawn_tile : drawn) {
    if (lanes[drawn_tile.lane].kind != kind || lanes[drawn_tile.lane].pinned != pinned) continue;
    if (!used) {
      gpu.use(program_of(kind));
      gpu.set(Uniform::area,
              std::array{static_cast<float>(area.x), static_cast<float>(area.framebuffer_height - area.y),
                         static_cast<float>(area.width), static_cast<float>(area.height)});
      gpu.set(Uniform::background, color_channels(background));
      gpu.set(Uniform::color, color_channels(kind == LaneDraw::Kind::instants ? instant : counter));
      gpu.set(Uniform::faded, std::array{faded});
      used = true;
    }
    if (kind == LaneDraw::Kind::slices && older != drawn_tile.older) {
      older = drawn_tile.older;
      const Paint& its = drawn_tile.older ? *paint_before : paint;
      gpu.bind_texture(kPaletteUnit, palettes[its.palette].id());
    }
    if (bound != drawn_tile.tile->page) {
      bound = drawn_tile.tile->page;
      gpu.bind_page(bound);
    }
    const TileUniforms tile = uniforms(drawn_tile);
    gpu.set(Uniform::tile, std::span(&tile.left_px, sizeof(tile) / sizeof(float)));
    gpu.draw_instances(drawn_tile.tile->texel_count);
    stats.instances += drawn_tile.tile->texel_count;
  }
}

DrawStats TimelineRenderer::draw(const TimeView& view, std::span<const LaneDraw> lanes,
                                 const PixelArea& area) {
  State& state = *state_;
  const double start_ms = thread_cpu_ms();
  state.stats = {};
  state.drawn.clear();
  state.lanes.clear();
  state.missing.clear();
  state.ahead.clear();
  state.view = view;
  state.level = tile_level(view.ns_per_px);
  state.all_uploaded = state.cache.begin_frame(kUploadBudgetMs);
  if (!state.has_palette) state.upload_palette({});
  if (area.width <= 0 || area.height <= 0 || !(view.ns_per_px > 0)) return state.stats;

  for (const LaneDraw& lane : lanes) {
    const int top = lane.pinned ? 0 : area.pinned_height;
    if (lane.top_px >= static_cast<float>(area.height)) continue;
    if (lane.top_px + lane.height_px <= static_cast<float>(top)) continue;
    state.lanes.push_back(lane);
    state.plan_lane(static_cast<std::uint32_t>(state.lanes.size() - 1));
  }
  state.missing.insert(state.missing.end(), state.ahead.begin(), state.ahead.end());
  state.cache.request(std::move(state.missing));
  state.missing.clear();
  if (!state.all_uploaded && state.stats.tiles_missing > 0 && state.wake) state.wake();
  if (state.stats.tiles_missing == 0) {
    state.seen = true;
    state.paint_before.reset();
  }
  const double planned_ms = thread_cpu_ms();

  state.gpu.begin_drawing({area.x, area.framebuffer_height - area.y - area.height, area.width, area.height});
  for (const bool pinned : {false, true}) {
    const int height = pinned ? area.pinned_height : area.height - area.pinned_height;
    if (height <= 0) continue;
    const int bottom = pinned ? area.y + height : area.y + area.height;
    state.gpu.set_scissor({area.x, area.framebuffer_height - bottom, area.width, height});
    for (const LaneDraw::Kind kind :
         {LaneDraw::Kind::slices, LaneDraw::Kind::counter, LaneDraw::Kind::instants}) {
      state.submit(kind, pinned, area);
    }
  }
  state.stats.tiles_drawn = static_cast<std::uint32_t>(state.drawn.size());
  state.stats.cache_bytes = state.cache.size_bytes();
  state.stats.cpu_ms = (state.software ? planned_ms : thread_cpu_ms()) - start_ms;
  return state.stats;
}

bool TimelineRenderer::complete() const { return state_->stats.tiles_missing == 0; }

void TimelineRenderer::visit_wide_slices(double min_width_px, const LabelVisitor& visit) const {
  const TimeView& view = state_->view;
  const ShownRows rows = state_->rows();
  std::uint32_t lane = ~0U;
  std::int64_t last_slice = -1;  // ids ascend within a lane; a slice that is in several tiles repeats
  for (const DrawnTile& drawn : state_->drawn) {
    if (drawn.lane != lane) last_slice = -1;
    lane = drawn.lane;
    for (const TileLabel& label : drawn.tile->labels) {
      if (std::int64_t{index_of(label.slice)} <= last_slice) continue;
      const double left_px = std::max(0.0, view.px_from_ns(static_cast<double>(label.start_ns)));
      const double right_px = std::min(view.width_px, view.px_from_ns(static_cast<double>(label.end_ns)));
      if (right_px - left_px < min_width_px || right_px <= left_px) continue;
      last_slice = index_of(label.slice);
      const LaneDraw& at = state_->lanes[lane];
      visit(at, rows.original(RowId{at.index}, label.slice), left_px, right_px);
    }
  }
}

}  // namespace kino
