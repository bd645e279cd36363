// Aligns the clocks of ranks manually, where collectives do not determine them.
#pragma once

#include <cstdint>
#include <optional>

#include "app/pages/job/job_picture.hpp"

namespace kino {

/// Clocks of the picture, shifted so that all members of a collective (index into JobWaits::collectives) end
/// together. O(members log members).
JobClocks aligned_at_collective(const JobPicture& picture, std::uint32_t collective);

/// Clocks shifted so that the step of this number begins at the same time on all ranks that contain it;
/// nullopt for fewer than two. O(steps).
std::optional<JobClocks> aligned_at_step(const JobPicture& picture, std::int64_t number);

/// Number of the rank's step that begins closest to `page_ns`. O(steps).
std::optional<std::int64_t> step_beginning_near(const JobPicture& picture, std::uint32_t rank,
                                                double page_ns);

}  // namespace kino
