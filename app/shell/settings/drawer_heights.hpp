// Heights of the pages of drawers, as the settings store them.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace kino {

/// Heights that the user gave to the pages of a drawer by dragging its splitter, by id of the page or tab, at
/// scale 1.
using DrawerHeights = std::map<std::string, float, std::less<>>;
/// Heights by name of the kind of document.
using DrawerHeightsByKind = std::map<std::string, DrawerHeights, std::less<>>;

}  // namespace kino
