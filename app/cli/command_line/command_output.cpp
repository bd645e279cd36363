#include "app/cli/command_line/command_output.hpp"

#include <cstdio>

#include "core/base/terminal_text.hpp"

namespace kino {

void complain(const std::string& sentence) { std::fprintf(stderr, "kinetoscope: %s\n", sentence.c_str()); }

CategoryRules category_rules_or_complaint() {
  CategoryRules rules = read_category_rules(category_rules_path());
  if (!rules.problem.empty()) complain(rules.problem.str());
  return rules;
}

int fail_with(const Error& error, const std::filesystem::path& file) {
  complain(error_sentence(error, file.string()));
  return 1;
}

bool output_written(const std::string& what) {
  if (std::ferror(stdout) == 0 && std::fflush(stdout) == 0) return true;
  complain("the " + what + " cannot be written to the standard output");
  return false;
}

bool print_output(const std::string& text, const std::string& what) {
  std::fputs(text.c_str(), stdout);
  return output_written(what);
}

}  // namespace kino
