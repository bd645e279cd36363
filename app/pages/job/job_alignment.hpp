// Aligns the clocks of ranks manually, where collectives do not determine them.
#pragma once

#include <cstdint>
#include <optional>

#include "app/pages/job/job_picture.hpp"

namespace kino {

/// Returns the clocks of the picture, shifted so that the kernels of a collective end at the same time on all
/// its ranks. `collective` is an index in JobWaits::collectives. O(members).
JobClocks aligned_at_collective(const JobPicture& picture, std::uint32_t collective);

/// Returns the clocks of the picture, shifted so that the step of this number starts at the same time on all
/// ranks that contain it. If fewer than two ranks contain it, returns nullopt. O(steps).
std::optional<JobClocks> aligned_at_step(const JobPicture& picture, std::int64_t number);

/// Returns the number of the rank's step that starts closest to `page_ns`. O(steps).
std::optional<std::int64_t> step_beginning_near(const JobPicture& picture, std::uint32_t rank,
                                                double page_ns);

}  // namespace kino
