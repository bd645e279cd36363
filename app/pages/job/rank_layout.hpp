// The place of each rank of a job: its machine, and its index along each dimension of parallelism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// A dimension along which ranks communicate: tensor, data, pipeline, ...
struct RankDimension {
  std::string name;                  ///< "tp", "dp", "pp", "cp", "ep", or the job's name for its groups
  std::int64_t size = 0;             ///< size of the largest group
  std::vector<std::int64_t> places;  ///< place of each of JobAnalysis::ranks; -1: in no such group
};

/// Returns "tp", "dp", "pp", "cp" or "ep" for the group descriptions of Megatron-LM (parallel_state.py). For
/// other descriptions, such as those of torch's device meshes, returns a shortened description. Empty if the
/// description is meaningless or is that of an embedding group.
std::string short_description(std::string_view description);

struct RankLayout {
  std::vector<std::string> machines;  ///< machine of each rank; empty if the file name does not contain it
  std::size_t machine_count = 0;
  std::vector<RankDimension> dimensions;  ///< the dimension with the closest ranks first

  /// Returns the sizes of the dimensions: "tp 4 · dp 4 · pp 4". Empty if there are none.
  std::string words() const;
};

/// Finds the machines and dimensions of a job. Groups with equal descriptions form a dimension; groups
/// without descriptions do so if their sizes and strides are equal. Groups of the whole job are ignored. At
/// least half of the ranks must be in a group of the dimension, and there are at most eight candidates.
/// Without descriptions, the dimension with messages is named "pp", the dimension with the closest ranks
/// "tp", and others "dp". `files` are in the order of the ranks. O(ranks * groups).
RankLayout layout_of(const JobAnalysis& job, std::span<const std::filesystem::path> files);

}  // namespace kino
