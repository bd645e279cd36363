// The rules by which a person tells what GPU work is for: kernel_categories.json beside the settings, or a
// file of a team.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/tables/name_stats/work_categories.hpp"

namespace kino {

/// kernel_categories.json beside settings_path(); empty when that is.
std::filesystem::path kernel_categories_path();

/// [{"category": "Attention", "name": "my_kernel"}, "built in"]: the first rule whose "name" is in a kernel's
/// has it ("^" stands for the begin); "built in" stands for all rules of the program, and without it there
/// are none of them. Fails with a sentence.
Result<std::vector<WorkRule>> name_rules_from_json(std::string_view text);

/// Makes the file's rules those of the program, before any table is made. Why it is not used, one sentence;
/// empty when it is, or there is none.
std::string use_kernel_categories(const std::filesystem::path& path);

}  // namespace kino
