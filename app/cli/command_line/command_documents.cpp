#include "app/cli/command_line/command_documents.hpp"

namespace kino {
namespace {

bool is_long(std::string_view name) { return name.starts_with("--"); }

/// Escapes text for roff: no line starts a request, no backslash starts an escape, and minus signs can be
/// copied.
std::string roff_text(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\(rs";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

/// Escapes text for '...' in all three shells. Characters in `special` get a backslash, because a shell or
/// its completion interprets them even in quotes.
std::string quoted_for_shell(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (special.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string joined(std::span<const std::string> words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

void add_options(std::string& page, const CommandWords& command) {
  for (const OptionWords& option : command.options) {
    page += ".TP\n";
    if (option.by_place) {
      page += ".I " + roff_text(option.names.front()) + "\n";
    } else {
      page += "\\fB" + roff_text(joined(option.names, ", ")) + "\\fR";
      if (!option.value.empty()) page += " \\fI" + roff_text(option.value) + "\\fR";
      page += "\n";
    }
    page += roff_text(option.about) + "\n";
  }
  if (!command.more.empty()) page += ".PP\n.nf\n" + roff_text(command.more) + "\n.fi\n";
}

std::string bash_words(const CommandWords& command) {
  std::vector<std::string> words;
  for (const OptionWords& option : command.options) {
    if (!option.by_place) words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return joined(words, " ");
}

std::string bash_script(std::span<const CommandWords> commands) {
  std::string script =
      "# bash completion of kinetoscope\n"
      "_kinetoscope() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= choices=\n"
      "  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
      "  case $command in\n";
  for (const CommandWords& command : commands.subspan(1)) script += "    " + command.name + ") ;;\n";
  script +=
      "    *) command= ;;\n"
      "  esac\n"
      "  case $command$before in\n";
  std::string words;
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (option.choices.empty()) continue;
      if (option.by_place) {
        script +=
            "    " + command.name + command.name + ") choices='" + joined(option.choices, " ") + "' ;;\n";
      } else {
        for (const std::string& name : option.names)
          script += "    " + command.name + name + ") choices='" + joined(option.choices, " ") + "' ;;\n";
      }
    }
    words += "      " + (command.name.empty() ? std::string("''") : command.name) + ") choices='" +
             bash_words(command) + "' ;;\n";
  }
  std::vector<std::string> names;
  for (const CommandWords& command : commands.subspan(1)) names.push_back(command.name);
  script +=
      "  esac\n"
      "  if [[ -z $choices && $word == -* ]]; then\n"
      "    case $command in\n" +
      words +
      "    esac\n"
      "  fi\n"
      "  if [[ -n $choices ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$word\")\n"
      "    return\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '" +
      joined(names, " ") +
      "' -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _kinetoscope kinetoscope\n";
  return script;
}

std::string zsh_value(const OptionWords& option) {
  if (option.value.empty() && !option.by_place) return "";
  const std::string what = quoted_for_shell(option.by_place ? option.names.front() : option.value, ":[]()");
  if (!option.choices.empty()) return ":" + what + ":(" + joined(option.choices, " ") + ")";
  return ":" + what + ":" + (what.find("FILE") != std::string::npos || option.by_place ? "_files" : " ");
}

void add_zsh_arguments(std::string& script, const CommandWords& command, std::string_view indent) {
  constexpr std::string_view kSpecial = ":[]";
  script += std::string(indent) + "_arguments";
  std::size_t place = 0;
  for (const OptionWords& option : command.options) {
    if (option.by_place) {
      ++place;
      script += " \\\n" + std::string(indent) + "  '" + std::to_string(place) + zsh_value(option) + "'";
      continue;
    }
    for (const std::string& name : option.names) {
      script += " \\\n" + std::string(indent) + "  '" + name + "[" +
                quoted_for_shell(option.about, kSpecial) + "]" + zsh_value(option) + "'";
    }
  }
  script += " \\\n" + std::string(indent) + "  '*:FILE:_files'\n";
}

std::string zsh_script(std::span<const CommandWords> commands) {
  std::string script =
      "#compdef kinetoscope\n"
      "_kinetoscope() {\n"
      "  local -a commands\n"
      "  commands=(";
  for (const CommandWords& command : commands.subspan(1))
    script += "'" + command.name + ":" + quoted_for_shell(command.about, ":") + "' ";
  script +=
      ")\n"
      "  if ((CURRENT > 2)); then\n"
      "    case $words[2] in\n";
  for (const CommandWords& command : commands.subspan(1)) {
    script += "      " + command.name +
              ")\n"
              "        words=(\"${words[@]:1}\")\n"
              "        ((CURRENT--))\n";
    add_zsh_arguments(script, command, "        ");
    script += "        return ;;\n";
  }
  script +=
      "    esac\n"
      "  elif [[ $words[CURRENT] != -* ]]; then\n"
      "    _describe command commands\n"
      "  fi\n";
  add_zsh_arguments(script, commands.front(), "  ");
  script +=
      "}\n"
      "_kinetoscope \"$@\"\n";
  return script;
}

std::string fish_script(std::span<const CommandWords> commands) {
  const auto quoted = [](std::string_view text) { return "'" + quoted_for_shell(text, "\\") + "'"; };
  std::vector<std::string> names;
  for (const CommandWords& command : commands.subspan(1)) names.push_back(command.name);
  std::string script = "# fish completion of kinetoscope\n";
  for (const CommandWords& command : commands) {
    const std::string when = command.name.empty() ? "not __fish_seen_subcommand_from " + joined(names, " ")
                                                  : "__fish_seen_subcommand_from " + command.name;
    const std::string line = "complete -c kinetoscope -n " + quoted(when);
    if (!command.name.empty()) {
      script += "complete -c kinetoscope -n __fish_use_subcommand -a " + command.name + " -d " +
                quoted(command.about) + "\n";
    }
    for (const OptionWords& option : command.options) {
      if (option.by_place) {
        if (!option.choices.empty()) script += line + " -a " + quoted(joined(option.choices, " ")) + "\n";
        continue;
      }
      script += line;
      for (const std::string& name : option.names)
        script += is_long(name) ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty()) {
        script += " -x -a " + quoted(joined(option.choices, " "));
      } else if (!option.value.empty()) {
        script += " -r";
      }
      script += " -d " + quoted(option.about) + "\n";
    }
  }
  return script;
}

}  // namespace

const std::string_view kExitCodes =
    "0  success\n"
    "1  a file could not be read or written; with --strict, also if it is truncated\n"
    "2  the command line is wrong (1 for diff); for diff, a condition failed\n"
    "3  for diff, the runs are not comparable; for what-if, too little of the path is explained\n"
    "4  for diff with --strict, a condition cannot be decided";

std::string manual_page(std::span<const CommandWords> commands, std::string_view version) {
  std::string page = R"(.TH KINETOSCOPE 1 "" ")" + roff_text(version) + "\"\n.SH NAME\nkinetoscope \\- " +
                     roff_text("view PyTorch profiler traces and CUDA memory snapshots") + "\n.SH SYNOPSIS\n";
  for (const CommandWords& command : commands) {
    page += ".B kinetoscope" + (command.name.empty() ? "" : " " + command.name) + "\n" +
            roff_text(command.synopsis) + "\n.br\n";
  }
  page += ".SH DESCRIPTION\n" + roff_text(commands.front().description) + "\n.SH OPTIONS\n";
  add_options(page, commands.front());
  page += ".SH COMMANDS\n";
  for (const CommandWords& command : commands.subspan(1)) {
    page += ".SS kinetoscope " + command.name + " " + roff_text(command.synopsis) + "\n" +
            roff_text(command.description) + "\n";
    add_options(page, command);
  }
  return page + ".SH EXIT STATUS\n.nf\n" + roff_text(kExitCodes) + "\n.fi\n";
}

std::optional<std::string> completion_script(std::span<const CommandWords> commands, std::string_view shell) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return std::nullopt;
}

}  // namespace kino
