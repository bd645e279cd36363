// Statistics of folded layers that a page shows: cells by layer and pass, the typical layer, and outliers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One copy in a LayerGrid.
struct LayerCell {
  std::uint32_t layer = 0;
  std::uint32_t pass = 0;
  std::uint32_t copy = 0;  ///< index into LayerStack::copies
  bool odd = false;
  std::int64_t deviation = 0;  ///< difference of its work from the median of its pass, per mille; 0 for odd
                               ///< copies
};

/// The copies of a stack in one phase, as a grid of layers and passes. Cells can be missing.
class LayerGrid {
 public:
  /// The median of a pass excludes odd copies, and layers from LayerStack::layers on. O(copies log copies).
  LayerGrid(const LayerFold& fold, std::uint32_t stack, LayerPhase phase);

  /// Returns the index of the stack that contains the copies.
  std::uint32_t stack() const { return stack_; }
  LayerPhase phase() const { return phase_; }
  /// Returns one more than the highest layer.
  std::uint32_t layers() const { return layers_; }
  std::uint32_t passes() const { return static_cast<std::uint32_t>(medians_ns_.size()); }
  /// Returns the cells, sorted by pass, then layer.
  std::span<const LayerCell> cells() const { return cells_; }
  /// The cells of a pass, sorted by layer. O(log cells).
  std::span<const LayerCell> of_pass(std::uint32_t pass) const;
  /// Returns the indices into cells() of the cells of a layer, sorted by pass. O(log cells).
  std::span<const std::uint32_t> of_layer(std::uint32_t layer) const;
  /// Returns null if the cell is missing. O(log cells).
  const LayerCell* find(std::uint32_t layer, std::uint32_t pass) const;
  /// Median work of a pass; 0 if all of its copies are excluded.
  std::int64_t median_ns(std::uint32_t pass) const { return medians_ns_[pass]; }

 private:
  std::uint32_t stack_;
  LayerPhase phase_;
  std::uint32_t layers_ = 0;
  std::vector<LayerCell> cells_;
  std::vector<std::uint32_t> by_layer_;   // indices into cells_, sorted by layer, then pass
  std::vector<std::int64_t> medians_ns_;  // by pass
};

/// One kernel of the typical layer. Percentiles are nearest rank. Offsets are from the start of the copy.
struct BodyKernel {
  SliceId longest = kNoSlice;  ///< the longest execution
  std::uint32_t lane = 0;      ///< one per stream, in the order of first use
  std::int64_t offset_ns = 0;  ///< median of its start
  std::int64_t p10_ns = 0;     ///< durations
  std::int64_t median_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t end_p10_ns = 0;  ///< offsets of its end
  std::int64_t end_p90_ns = 0;
};

/// The typical execution of a layer.
struct LayerBody {
  std::vector<BodyKernel> kernels;
  std::uint64_t copies = 0;  ///< copies that were compared
  std::uint32_t lanes = 0;
  std::int64_t work_ns = 0;  ///< median work of these copies
  /// Returns the largest offset of a kernel's end. The end is the 90th percentile of the ends, or the median
  /// start plus the median duration if that is later.
  std::int64_t length_ns() const;
};

/// Compares copies of a stack, without odd ones unless all are odd. Copies whose number of kernels is not the
/// most common one are omitted. O(kernels of the copies).
LayerBody body_of(const Trace& trace, const LayerFold& fold, const LayerStack& stack,
                  std::span<const std::uint32_t> copies, const std::stop_token& stop = {});
/// Returns the index of the kernel of a copy whose duration differs most from the median in `body`. nullopt
/// if the copy has another number of kernels, or none.
std::optional<std::size_t> most_different_kernel(const LayerBody& copy, const LayerBody& body);

/// Costs of one layer in one pass. Each is the median over the passes, summed over the phases.
struct LayerFigures {
  std::uint32_t layer = 0;
  std::optional<std::int64_t> effect;  ///< see LayerStack::effects
  std::array<std::optional<std::int64_t>, kLayerPhases> work_ns{};
  std::int64_t communication_ns = 0;
  std::int64_t idle_ns = 0;
  std::int64_t kernels = 0;
  double flop = 0;  ///< 0 if unknown
  std::optional<std::int64_t> kept_bytes;
};

/// A slow layer, or a single slow copy.
struct LayerOutlier {
  std::size_t grid = 0;  ///< index into LayerView::grids
  std::uint32_t layer = 0;
  std::optional<std::uint32_t> pass;  ///< pass of a single copy; nullopt for a layer
  std::int64_t excess = 0;            ///< per mille of the median of the pass
};

/// A stack, together with the backward stack that belongs to it.
struct LayerView {
  std::uint32_t stack = 0;
  std::vector<LayerGrid> grids;   ///< one per phase
  std::vector<LayerBody> bodies;  ///< by grid
  std::vector<LayerFigures> layers;
  std::vector<LayerOutlier> outliers;  ///< slow layers, then slow copies, the largest excess first
  std::vector<LayerBody> slowest;      ///< by grid: the slowest slow layer; empty if there is none
};

/// Returns one view per stack, except for backward stacks that are part of a view; see shown_stack().
/// O(kernels of the fold + copies log copies).
std::vector<LayerView> layer_views(const Trace& trace, const LayerFold& fold,
                                   const std::stop_token& stop = {});

/// Returns the pass of `to` with the same step and microbatch; nullopt if there is none. O(passes).
std::optional<std::uint32_t> matching_pass(const LayerFold& fold, const LayerGrid& from, std::uint32_t pass,
                                           const LayerGrid& to);

/// Kinds of kernels that a page shows in different colors.
enum class BodyKind : std::uint8_t { matrix, attention, memory, communication, other };
inline constexpr std::size_t kBodyKinds = 5;

/// Returns the kind of each name of a kernel in a fold, by NameId; `other` for other names.
/// Convolutions are matrix products. O(names * rules).
std::vector<BodyKind> body_kinds(const Trace& trace, const LayerFold& fold, const WorkRules& rules);

}  // namespace kino
