// What `kinetoscope diff` is asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kino {

enum class DiffFormat : std::uint8_t { text, markdown, json, junit };

struct DiffRequest {
  struct Steps {
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> end;
  };
  std::vector<std::string> sides;  ///< files, folders, patterns of files; of one alone its record is told
  std::string by;
  std::optional<std::int64_t> rank;
  Steps steps_a;
  Steps steps_b;
  bool drop_last = false;
  std::vector<std::string> fail_if;
  bool force = false;
  bool strict = false;
  DiffFormat format = DiffFormat::text;
  std::filesystem::path baseline;    ///< a record instead of A; empty: none
  std::filesystem::path noise_from;  ///< a folder of runs that are the same; empty: none
  std::optional<double> noise_percent;
};

}  // namespace kino
