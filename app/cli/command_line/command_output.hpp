// Output that is the same for every command: errors to stderr, results to stdout.
#pragma once

#include <filesystem>
#include <string>

#include "app/shell/settings/category_rules.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Prints "kinetoscope: " and the sentence to stderr. The caller must pass text from files through escaped().
void complain(const std::string& sentence);

/// Returns the category rules of the settings. Reports a problem with them on stderr.
CategoryRules category_rules_or_complaint();

/// Prints an error about a file to stderr. Returns the exit code 1.
int fail_with(const Error& error, const std::filesystem::path& file);

/// Flushes stdout. If some output could not be written, reports on stderr that `what` cannot be written, and
/// returns false.
bool output_written(const std::string& what);

/// Prints to stdout; returns output_written().
bool print_output(const std::string& text, const std::string& what);

}  // namespace kino
