// The user's rules for categories of GPU work: kernel_categories.json beside the settings, or a given file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/links/work_categories.hpp"

namespace kino {

/// Returns the path of kernel_categories.json beside settings_path(); empty if settings_path() is empty.
std::filesystem::path kernel_categories_path();

/// Parses [{"category": "Attention", "name": "my_kernel"}, "built in"]. A kernel gets the category of the
/// first rule whose "name" occurs in the kernel's name, ignoring case ("^" anchors at the start). "built in"
/// inserts all built-in rules; if it is missing, they do not apply. Errors are one sentence.
Result<std::vector<WorkRule>> name_rules_from_json(std::string_view text);

/// The rules that the window and the command line use; the built-in rules unless set. Thread-safe.
std::shared_ptr<const WorkRules> kernel_categories();
void set_kernel_categories(std::shared_ptr<const WorkRules> rules);

/// Makes the file's rules the kernel_categories(). Returns one sentence on why the file was ignored; empty if
/// it was read or does not exist.
std::string use_kernel_categories(const std::filesystem::path& path);

}  // namespace kino
