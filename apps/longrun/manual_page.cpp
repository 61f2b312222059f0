#include <fmt/format.h>

#include <algorithm>

#include "apps/longrun/command_tree.h"
#include "apps/longrun/commands.h"
#include "longrun/base/split.h"
#include "longrun/base/version.h"

namespace longrun {
namespace {

/// Returns the text with escapes for the characters that are special in roff.
std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else
      result += c;
    line_start = c == '\n';
  }
  return result;
}

/// Returns paragraphs whose lines roff fills. A blank line begins a new paragraph.
std::string paragraphs(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) result += line.empty() ? ".PP\n" : roff(line) + "\n";
  return result;
}

/// Returns remarks as paragraphs and, after the line "Examples:", examples line by line.
std::string remarks(std::string_view text) {
  constexpr std::string_view kExamples = "Examples:\n";
  const std::size_t examples = text.find(kExamples);
  std::string_view before = text.substr(0, examples);
  while (before.ends_with('\n')) before.remove_suffix(1);
  std::string result;
  if (!before.empty()) result += ".PP\n" + paragraphs(before);
  if (examples != std::string_view::npos)
    result += ".PP\nExamples:\n.PP\n.nf\n" + roff(text.substr(examples + kExamples.size())) + "\n.fi\n";
  return result;
}

std::string option_entry(const OptionNode& option) {
  const std::string head = option.argument ? ".I " + roff(option.name)
                                           : fmt::format(".BI {} \" {}\"", roff(option.name), roff(option.placeholder));
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.description));
}

/// Returns the entries of all options: those without a heading, then those under a heading.
std::string option_list(const std::vector<OptionNode>& options) {
  std::string result;
  std::vector<std::string> headings;
  for (const OptionNode& option : options) {
    if (option.argument || option.group == "Options")
      result += option_entry(option);
    else if (std::find(headings.begin(), headings.end(), option.group) == headings.end())
      headings.push_back(option.group);
  }
  for (const std::string& heading : headings) {
    result += fmt::format(".PP\n{}:\n", roff(heading));
    for (const OptionNode& option : options) {
      if (!option.argument && option.group == heading) result += option_entry(option);
    }
  }
  return result;
}

std::string usage(const CommandNode& command) {
  std::string result = "longrun " + command.name;
  bool options = false;
  for (const OptionNode& option : command.options) options = options || !option.argument;
  if (options) result += " [OPTIONS]";
  for (const OptionNode& option : command.options) {
    if (!option.argument) continue;
    const std::string name = option.name + (option.repeated ? "..." : "");
    result += option.required ? " " + name : " [" + name + "]";
  }
  return result;
}

std::string exit_status() {
  return fmt::format(
      ".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n{}\ninvalid input; one line on standard error names it\n.TP\n{}\n"
      "disk or database failure, or gnuplot cannot be started\n.TP\n{}\ninterrupted by the user\n.TP\n{}\nany other "
      "failure\n",
      kWrongInputExit, kSystemFailedExit, kInterruptedExit, kFailedExit);
}

}  // namespace

std::string manual_page(const CommandTree& tree) {
  // The first line of the description is "longrun: " and a summary.
  const std::size_t line_end = tree.about.find('\n');
  const std::string title = tree.about.substr(0, line_end);
  std::string page = fmt::format(".TH LONGRUN 1 \"\" \"longrun {}\" \"User Commands\"\n", kVersion);
  page += fmt::format(".SH NAME\nlongrun \\- {}\n", roff(title.substr(title.find(": ") + 2)));
  page += ".SH SYNOPSIS\n.B longrun\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.br\n.B longrun help\n.I COMMAND\n";
  const std::size_t text = tree.about.find_first_not_of('\n', line_end);
  page += ".SH DESCRIPTION\n" + paragraphs(std::string_view(tree.about).substr(text));
  page += ".SH OPTIONS\n" + option_list(tree.options);
  page += ".SH COMMANDS\n";
  for (const CommandNode& command : tree.commands) {
    page += fmt::format(".SS {}\n{}.\n", roff(usage(command)), roff(command.about));
    page += option_list(command.options) + remarks(command.more);
  }
  page += exit_status();
  constexpr std::string_view kExamples = "Examples:\n";
  const std::size_t begin = tree.more.find(kExamples) + kExamples.size();
  // The paragraph after the examples is the exit status, which has a section of its own.
  page += ".SH EXAMPLES\n.nf\n" + roff(tree.more.substr(begin, tree.more.find("\n\n", begin) - begin)) + "\n.fi\n";
  return page;
}

}  // namespace longrun
