#include "app/cli/command_line/opening_options.hpp"

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"
#include "app/cli/command_line/command_output.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/shell/settings/library_list.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {

void OpeningOptions::add_to(CLI::App& app, const std::string& default_units) {
  app.add_flag("--no-limit", no_limit, "Decompress files of any size, even if that fills the disk");
  app.add_flag("--no-cache", no_cache, "Do not use or update the trace cache");
  app.add_option_function<std::string>(
         "--libraries", [this](const std::string& words) { libraries = libraries_from_words(words); },
         "Packages whose frames count as library code, instead of torch and Python's own "
         "(libraries.json in the settings folder does this permanently)")
      ->type_name("NAME[,NAME]");
  app.add_option(
         "--kernel-categories", kernel_categories,
         "Rules that assign kernels to categories, instead of kernel_categories.json in the settings folder: "
         R"([{"category":"Attention","name":"my_kernel"},"built in"])")
      ->check(CLI::ExistingFile.description(""))
      ->type_name("FILE");
  add_units_to(app, default_units);
}

void OpeningOptions::add_units_to(CLI::App& app, const std::string& preset) {
  add_choice(app, "--units", units,
             {{std::string(name_of(ByteUnits::decimal)), ByteUnits::decimal},
              {std::string(name_of(ByteUnits::binary)), ByteUnits::binary}},
             "Units of memory: GB is 1000 MB, GiB is 1024 MiB (" + preset + ")");
}

OpenOptions OpeningOptions::open_options() const {
  OpenOptions options;
  options.spool_limit.none = no_limit;
  options.cache.look = !no_cache;
  options.cache.refused = [](const std::string& why, const std::string& source) {
    complain(escaped(why) + ": " + escaped(source));
  };
  return options;
}

std::optional<int> OpeningOptions::apply() const {
  const auto unusable = [](const std::string& sentence) {
    if (!sentence.empty()) complain(escaped(sentence));
    return !sentence.empty();
  };
  unusable(use_libraries(libraries, library_list_path()));
  const bool given = !kernel_categories.empty();
  if (unusable(use_kernel_categories(given ? kernel_categories : kernel_categories_path())) && given)
    return 2;
  set_byte_units(units.value_or(ByteUnits::decimal));
  return std::nullopt;
}

}  // namespace kino
