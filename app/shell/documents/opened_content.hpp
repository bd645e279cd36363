// Content that the window derives from an opened file: its glyphs, its job, and its page if the page does not
// depend on the document.
#pragma once

#include <memory>

#include "app/ui/drawer/page.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "core/job/recording.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Returns the non-Latin characters in the texts of the file. O(texts).
GlyphSet glyphs_of(const OpenedFile& opened);
/// Returns a job that consists of the file's recording; empty for flight recorder dumps.
Job job_of(const OpenedFile& opened);
/// Returns the page of a file if the page does not depend on the document; null for traces and snapshots,
/// whose pages do.
std::unique_ptr<Page> plain_page_of(const OpenedFile& opened);

}  // namespace kino
