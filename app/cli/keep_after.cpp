#include "app/cli/keep_after.hpp"

#include "app/cli/command_line/command_output.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

KeepAfter::KeepAfter(OpenOptions& options) : plain_(options) {
  if (options.cache.look) options.cache.keep = [this](const OpenedTrace& opened) { opened_ = opened; };
}

void KeepAfter::keep() {
  if (!opened_) return;
  if (const std::optional<Error> error = keep_opened(*opened_, plain_, {}))
    complain("the trace was not cached: " + escaped(error->what.str()));
}

}  // namespace kino
