// Clocks laid beside each other by hand: where collectives tell nothing, or too little.
#pragma once

#include <cstdint>
#include <optional>

#include "app/pages/job/job_picture.hpp"

namespace kino {

/// The picture's clocks, moved so that all members of a collective (of JobWaits::collectives) end together.
/// O(members log members).
JobClocks aligned_at_collective(const JobPicture& picture, std::uint32_t collective);

/// The same with the begin of a step, on the ranks that have one of this number; nothing where fewer than two
/// have. O(steps).
std::optional<JobClocks> aligned_at_step(const JobPicture& picture, std::int64_t number);

/// The number of the step whose begin is nearest to a moment on the page, of this rank. O(steps).
std::optional<std::int64_t> step_beginning_near(const JobPicture& picture, std::uint32_t rank,
                                                double page_ns);

}  // namespace kino
