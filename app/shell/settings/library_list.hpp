// The user's list of libraries: --libraries, else libraries.json beside the settings.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Returns the path of libraries.json beside settings_path(); empty if settings_path() is empty.
std::filesystem::path library_list_path();
/// Parses ["python", "torch", "einops"]; see LibraryList. Errors are one sentence.
Result<LibraryList> libraries_from_json(std::string_view text);
/// Parses "python,torch,einops".
LibraryList libraries_from_words(std::string_view words);
/// The list that the window and the command line use; the built-in list unless set. Thread-safe.
std::shared_ptr<const LibraryList> libraries();
void set_libraries(LibraryList list);
/// Uses `given`, else the list in the file, else the built-in list. Returns one sentence on why the file was
/// ignored; empty if it was read or does not exist.
std::string use_libraries(const std::optional<LibraryList>& given, const std::filesystem::path& path);

}  // namespace kino
