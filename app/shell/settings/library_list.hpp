// The list of libraries that a person has: --libraries, else libraries.json beside the settings.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"

namespace kino {

/// libraries.json beside settings_path(); empty when that is.
std::filesystem::path library_list_path();
/// ["python", "torch", "einops"]: see LibraryList. Fails with a sentence.
Result<LibraryList> libraries_from_json(std::string_view text);
/// "python,torch,einops".
LibraryList libraries_from_words(std::string_view words);
/// The list that the window and the command line use; the built-in one unless set. Thread-safe.
std::shared_ptr<const LibraryList> libraries();
void set_libraries(LibraryList list);
/// Chooses `told`, else the list in the file, else the built-in one. Returns a sentence on why the file was
/// ignored; empty if it was read, or does not exist.
std::string use_libraries(const std::optional<LibraryList>& told, const std::filesystem::path& path);

}  // namespace kino
