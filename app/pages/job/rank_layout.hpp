// Where each rank of a job stands: on which machine, and at which place of each dimension of parallelism.
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
  std::string name;                  ///< "tp", "dp", "pp", or what the job calls its groups
  std::int64_t size = 0;             ///< the most ranks of a group
  std::vector<std::int64_t> places;  ///< by index of JobAnalysis::ranks; -1: in no such group
};

/// "tp", "dp", "pp", "cp" or "ep" for the groups' descriptions of Megatron-LM (parallel_state.py); else the
/// description in short, as torch's device meshes have it; empty where it says nothing.
std::string short_description(std::string_view description);

struct RankLayout {
  std::vector<std::string> machines;  ///< by index of the ranks; empty where the file does not tell
  std::size_t machine_count = 0;
  std::vector<RankDimension> dimensions;  ///< that with the closest ranks first

  /// "tp 4 · dp 4 · pp 4"; empty without dimensions.
  std::string words() const;
};

/// Groups that are described alike, or else have as many ranks as far apart, are a dimension; the whole job
/// is none. Without a description the one with messages along it is "pp", the closest ranks are "tp", others
/// "dp". `files` are those of the ranks. O(ranks * groups).
RankLayout layout_of(const JobAnalysis& job, std::span<const std::filesystem::path> files);

}  // namespace kino
