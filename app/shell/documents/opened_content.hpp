// Facts about an opened file of any type, and the page of the simple ones.
#pragma once

#include <memory>

#include "app/ui/drawer/page.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "core/job/recording.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Characters beyond Latin in its texts. O(texts).
GlyphSet glyphs_of(const OpenedFile& opened);
/// A job of its one recording; of none for dumps of a flight recorder.
Job job_of(const OpenedFile& opened);
/// The page of a file if the page needs nothing of its document; null for traces and snapshots.
std::unique_ptr<Page> plain_page_of(const OpenedFile& opened);

}  // namespace kino
