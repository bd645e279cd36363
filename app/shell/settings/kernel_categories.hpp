// The rules by which a person tells what GPU work is for: kernel_categories.json beside the settings, or a
// file of a team.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/links/work_categories.hpp"

namespace kino {

/// kernel_categories.json beside settings_path(); empty when that is.
std::filesystem::path kernel_categories_path();

/// [{"category": "Attention", "name": "my_kernel"}, "built in"]: the first rule whose "name" is in a kernel's
/// has it ("^" stands for the begin); "built in" stands for all rules of the program, and without it there
/// are none of them. Fails with a sentence.
Result<std::vector<WorkRule>> name_rules_from_json(std::string_view text);

/// The rules that the window and the command line use; the built-in ones unless set. Thread-safe.
std::shared_ptr<const WorkRules> kernel_categories();
void set_kernel_categories(std::shared_ptr<const WorkRules> rules);

/// Makes the file's rules the kernel_categories(). Returns a sentence on why the file was ignored; empty if it
/// was read, or does not exist.
std::string use_kernel_categories(const std::filesystem::path& path);

}  // namespace kino
