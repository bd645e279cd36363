// The window of one session: draws into frames for a page, and receives the input of the page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/cli/command_line/opening_options.hpp"
#include "core/base/platform/descriptor.hpp"

namespace kino {

struct ServedWindowOptions {
  std::vector<std::filesystem::path> paths;  ///< shared files and folders; see ServedPaths
  OpeningOptions opening;
  std::uint64_t most_upload_bytes = 0;  ///< limit of the files that a page uploads, in total
};

/// Runs until the server closes the connection, or until the user quits. Returns the exit code. At most two
/// frames are unacknowledged; the page acknowledges a frame after drawing it. A hidden page receives no
/// frames.
int run_served_window(Descriptor server, const ServedWindowOptions& options);

}  // namespace kino
