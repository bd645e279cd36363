// Content of an opened file of any type, and the page of the simple types.
#pragma once

#include <memory>

#include "app/ui/drawer/page.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "core/job/recording.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Non-Latin characters in the texts of the file. O(texts).
GlyphSet glyphs_of(const OpenedFile& opened);
/// A job of the file's one recording; empty for flight recorder dumps.
Job job_of(const OpenedFile& opened);
/// The page of a file if the page needs nothing from its document; null for traces and snapshots.
std::unique_ptr<Page> plain_page_of(const OpenedFile& opened);

}  // namespace kino
