// The options of `kinetoscope diff`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace kino {

enum class DiffFormat : std::uint8_t { text, markdown, json, junit };

struct DiffOptions {
  struct Steps {
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> end;
  };
  std::vector<std::string> sides;  ///< files, folders or patterns; the record of a single side is printed
  std::string by = "name";
  std::optional<std::int64_t> rank;
  Steps steps_a;
  Steps steps_b;
  bool drop_last = false;
  std::vector<std::string> fail_if;
  bool ledger = false;  ///< compare the step ledgers, even if no condition needs them
  bool layers = false;  ///< compare the repeated layers
  bool force = false;
  bool strict = false;
  DiffFormat format = DiffFormat::text;
  std::filesystem::path baseline;    ///< a stored record that replaces A; empty: none
  std::filesystem::path noise_from;  ///< a folder of runs of the same program; empty: none
  double noise_percent = 1;

  void add_to(CLI::App& app);
  /// Returns the result of Command::finish(): a problem if the number of files is wrong.
  std::string finish() const;

 private:
  void add_noise_to(CLI::App& app);
};

}  // namespace kino
