#include "app/cli/cache_after.hpp"

#include "app/cli/command_line/command_output.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

CacheAfter::CacheAfter(OpenOptions& options) : plain_(options) {
  if (options.cache.look) options.cache.keep = [this](const OpenedTrace& opened) { opened_ = opened; };
}

void CacheAfter::keep() {
  if (!opened_) return;
  if (const std::optional<Error> error = store_opened(*opened_, plain_, {}))
    complain("the trace was not cached: " + escaped(error->what.str()));
}

}  // namespace kino
