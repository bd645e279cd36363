#include "app/shell/settings/version.hpp"

namespace kino {

std::string_view program_version() { return KINETOSCOPE_VERSION; }

}  // namespace kino
