#include "longrun/report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/base/palette.h"
#include "longrun/base/parallel.h"
#include "longrun/base/system_error.h"
#include "longrun/base/write_file.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/gnuplot_script.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

/// The measures of a figure, in inches.
struct FigureInches {
  static constexpr double kPanelWidth = 3.4;
  static constexpr double kPanelHeight = 2.3;
  static constexpr double kLeft = 0.75;  // left of a panel, for the axis
  static constexpr double kRight = 0.3;
  static constexpr double kAbove = 0.42;  // above a row, for its heading
  static constexpr double kBelow = 0.55;
  static constexpr double kLegend = 0.65;  // below all rows
  static constexpr double kNote = 0.3;     // above all rows, for each note
};

using PolicyLines = std::map<std::string, FigureLine>;

/// Returns the options of gnuplot that draw a line.
std::string line_options(const FigureLine& style) {
  std::string line = fmt::format("lc rgb '{}' lw {}", style.colour, style.width);
  if (!style.dashes.empty()) {
    std::vector<int> lengths;
    for (const int length : style.dashes) lengths.push_back(3 * length);
    line += fmt::format(" dt ({})", fmt::join(lengths, ","));
  }
  return line;
}

bool is_reference(const PolicySeries* series) { return traits_of(series->policy).reference; }

/// Returns the policies that compete and, if `with_reference`, the reference policy; all policies if there are none of
/// these.
std::vector<const PolicySeries*> shown(const Scene& scene, bool with_reference) {
  std::vector<const PolicySeries*> all;
  std::vector<const PolicySeries*> policies;
  for (const PolicySeries& series : scene.policies) {
    all.push_back(&series);
    if (competes(series.policy) || (with_reference && is_reference(&series))) policies.push_back(&series);
  }
  return policies.empty() ? all : policies;
}

/// Returns the layer in which a policy's line is drawn. Higher layers cover lower ones: the yardstick covers the other
/// policies, and the reference covers all, because the yardstick would hide it.
int layer_of(const PolicySeries* series) {
  const PolicyTraits traits = traits_of(series->policy);
  return traits.reference ? 2 : traits.yardstick ? 1 : 0;
}

/// Returns a round step that makes about five tics up to `last`.
Pulls tic_step(Pulls last) {
  const double rough = static_cast<double>(last) / 5;
  const double unit = std::pow(10, std::floor(std::log10(std::max(1.0, rough))));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * unit >= rough) return static_cast<Pulls>(factor * unit);
  }
  return static_cast<Pulls>(10 * unit);
}

/// Returns the range of an axis: `choice`, unless all values are equal, which gnuplot warns about.
std::string axis_range(double lowest, double highest, bool logarithmic, const char* choice = "[*:*]") {
  if (highest - lowest > 1e-9 * std::abs(highest)) return choice;
  if (logarithmic) return fmt::format("[{}:{}]", highest / 2, highest * 2);
  if (highest < 0) return fmt::format("[{}:0]", highest * 2);
  return highest > 0 ? fmt::format("[0:{}]", highest * 2) : "[0:1]";
}

/// A panel: the commands that draw it, and the file that they read.
struct Panel {
  std::string script;
  std::string data_name;
  std::string data;
};

/// Returns whether a key inside the panel would hide the curves. It is then drawn below all panels.
bool has_many_arms(const Scene& scene) {
  constexpr std::size_t kMostArmsInKey = 6;
  return scene.arms.size() > kMostArmsInKey;
}

Panel curves_panel(const Scene& scene, const std::string& file) {
  std::vector<std::string> names{"pull"};
  names.insert(names.end(), scene.arms.begin(), scene.arms.begin() + std::ssize(scene.curves));
  DataFile data(names);
  for (std::size_t point = 0; point < scene.curve_pulls.size(); ++point) {
    std::vector<double> values;
    for (const auto& curve : scene.curves) values.push_back(curve[point]);
    data.add(std::to_string(scene.curve_pulls[point]), values);
  }
  std::vector<std::string> parts;
  for (std::size_t arm = 0; arm < scene.curves.size(); ++arm) {
    parts.push_back(fmt::format("{} using 1:{} with lines lc rgb '{}' lw 2 title {}", quoted("data/" + file), arm + 2,
                                arm_colour(arm), quoted_title(scene.arms[arm])));
  }
  const Pulls last = scene.curve_pulls.back();
  double highest_at_end = 0;  // the key is placed where no curve ends
  for (const auto& curve : scene.curves) highest_at_end = std::max(highest_at_end, curve.back());
  std::string script = fmt::format(
      "set xtics nomirror {}\nset xrange {}\nset xlabel 'pulls of the arm'\nset ylabel 'mean reward'\nset yrange "
      "[0:1]\n{}\n",
      tic_step(last), axis_range(1, static_cast<double>(last), false),
      has_many_arms(scene)   ? "unset key"
      : highest_at_end < 0.6 ? "set key inside top right vertical opaque samplen 1.5 width 0"
                             : "set key inside bottom right vertical opaque samplen 1.5 width 0");
  return {script + plot(parts) + "set xrange [*:*]\nset yrange [*:*]\nunset key\n", file, data.text()};
}

/// Returns a panel with the mean and the band of every policy against the horizon.
template <class Estimates>
Panel lines_panel(const std::vector<Pulls>& horizons, const std::vector<const PolicySeries*>& policies,
                  const PolicyLines& styles, const std::string& file, const std::string& label, GnuplotOptions log,
                  Estimates estimates) {
  std::vector<std::string> names{"horizon"};
  for (const PolicySeries* series : policies) {
    for (const char* what : {"mean", "low", "high"}) names.push_back(fmt::format("{} {}", series->policy, what));
  }
  DataFile data(names);
  std::vector<double> all;
  for (std::size_t h = 0; h < horizons.size(); ++h) {
    std::vector<double> values;
    for (const PolicySeries* series : policies) {
      const Estimate& e = estimates(*series)[h];
      values.insert(values.end(), {e.mean, e.low, e.high});
    }
    data.add(std::to_string(horizons[h]), values);
    all.insert(all.end(), values.begin(), values.end());
  }
  const double highest = *std::max_element(all.begin(), all.end());
  log.log_regret = log.log_regret && highest > 0;  // a logarithmic axis cannot show 0
  if (log.log_regret) all.erase(std::remove(all.begin(), all.end(), 0.0), all.end());
  const double lowest = *std::min_element(all.begin(), all.end());
  std::vector<std::string> parts;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    parts.push_back(fmt::format("{} using 1:{}:{} with filledcurves fc rgb '{}' fs transparent solid 0.18 noborder",
                                quoted("data/" + file), 3 * p + 3, 3 * p + 4, styles.at(policies[p]->policy).colour));
  }
  std::vector<std::size_t> order(policies.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});  // the first policies cover the later ones
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return layer_of(policies[a]) < layer_of(policies[b]); });
  for (const std::size_t p : order) {
    parts.push_back(fmt::format("{} using 1:{} with {} {}", quoted("data/" + file), 3 * p + 2,
                                horizons.size() == 1 ? "points pt 7" : "lines",
                                line_options(styles.at(policies[p]->policy))));
  }
  // On a logarithmic axis, gnuplot takes the step between tics as a factor.
  const std::string tics = log.log_horizon ? "autofreq" : std::to_string(tic_step(horizons.back()));
  const std::string before = fmt::format(
      "{}{}set xtics nomirror {}\nset xrange {}\nset yrange {}\nset xlabel 'horizon T'\nset ylabel {}\n",
      log.log_horizon ? "set logscale x\n" : "", log.log_regret ? "set logscale y\nset format y '%g'\n" : "", tics,
      axis_range(static_cast<double>(horizons.front()), static_cast<double>(horizons.back()), log.log_horizon),
      axis_range(lowest, highest, log.log_regret), quoted_title(label));
  return {before + plot(parts) + "unset logscale\nset format y\nset xrange [*:*]\nset yrange [*:*]\n", file,
          data.text()};
}

Panel shares_panel(const Scene& scene, const std::string& file) {
  std::vector<std::string> names{"policy"};
  names.insert(names.end(), scene.arms.begin(), scene.arms.end());
  DataFile data(names);
  std::vector<const PolicySeries*> policies = shown(scene, true);
  std::stable_partition(policies.begin(), policies.end(), is_reference);
  for (const PolicySeries* series : policies) data.add(policy_label(series->policy), series->shares.back());
  std::vector<std::string> parts;
  for (std::size_t arm = 0; arm < scene.arms.size(); ++arm) {
    parts.push_back(fmt::format("{} using {}:xtic(1) with histograms lc rgb '{}'", quoted("data/" + file), arm + 2,
                                arm_colour(arm)));
  }
  return {
      "set xlabel ''\nset ylabel 'share of pulls'\nset yrange [0:1]\nset style histogram rowstacked\nset boxwidth "
      "0.75\n"
      "set xtics rotate by 35 right font ',7' nomirror autofreq\nunset logscale\n" +
          plot(parts) + "set xtics norotate font ',8' autofreq nomirror\nset yrange [*:*]\n",
      file, data.text()};
}

Panel impact_panel(const Scene& scene, const PolicyLines& styles, const std::string& file) {
  const std::vector<const PolicySeries*> policies = shown(scene, true);
  std::vector<std::string> names{"arm"};
  for (const PolicySeries* series : policies) names.push_back(series->policy);
  DataFile data(names);
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (std::size_t arm = 0; arm < scene.arms.size(); ++arm) {
    std::vector<double> values;
    for (const PolicySeries* series : policies) {
      values.push_back(series->impact[arm]);
      lowest = std::min(lowest, values.back());
      highest = std::max(highest, values.back());
    }
    data.add(scene.arms[arm], values);
  }
  std::vector<std::string> parts;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    parts.push_back(fmt::format("{} using {}:xtic(1) with histograms lc rgb '{}'", quoted("data/" + file), p + 2,
                                styles.at(policies[p]->policy).colour));
  }
  return {
      fmt::format("set xlabel ''\nset ylabel {}\nset style histogram clustered gap 1\nset boxwidth 0.9\n"
                  "set yrange {}\nset xtics rotate by 20 right font ',7' autofreq nomirror\nunset logscale\nset "
                  "xzeroaxis lt -1\n",
                  quoted_title("mean gain, " + scene.impact_unit), axis_range(lowest, highest, false, "[*<0:0<*]")) +
          plot(parts) + "unset xzeroaxis\nset xtics norotate font ',8'\nset yrange [*:*]\n",
      file, data.text()};
}

std::vector<Panel> panels_of(const Figure& figure, std::size_t number, const GnuplotOptions& options) {
  const Scene& scene = figure.scenes[number];
  const PolicyLines styles = policy_lines(figure);
  const auto file = [&](const char* what) { return fmt::format("{}.{}.{}.tsv", figure.name, number + 1, what); };
  std::vector<Panel> panels{curves_panel(scene, file("curves"))};
  panels.push_back(lines_panel(
      figure.horizons, shown(scene, false), styles, file("regret"), "regret per step", options,
      [](const PolicySeries& s) -> const auto& { return s.regret; }));
  if (scene.arms.size() == 2) {
    panels.push_back(lines_panel(
        figure.horizons, shown(scene, true), styles, file("pulls"), fmt::format("pulls of {}", scene.arms[0]), {},
        [](const PolicySeries& s) -> const auto& { return s.first_arm; }));
  } else {
    panels.push_back(shares_panel(scene, file("shares")));
  }
  if (!scene.impact_unit.empty()) panels.push_back(impact_panel(scene, styles, file("impact")));
  return panels;
}

/// Returns the commands that draw a row of lines and their names, `bottom` inches above the lower edge of the page.
std::string legend(const std::vector<std::string>& lines, const std::vector<std::string>& names, double bottom,
                   double height) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    parts.push_back(fmt::format("NaN with lines {} title {}", lines[i], quoted_title(names[i])));
  }
  return place(0.02, 0.98, (bottom + 0.05) / height, (bottom + FigureInches::kLegend - 0.1) / height) +
         "unset border; unset tics; unset grid; set xlabel ''; set ylabel ''\nset xrange [0:1]; set yrange [0:1]\n"
         "set key inside center center horizontal samplen 3 width 1\n" +
         plot(parts) + "set xrange [*:*]; set yrange [*:*]; unset key\n";
}

/// Returns the notes above all rows, from top to bottom.
std::vector<std::string> notes_of(const Figure& figure) {
  std::vector<std::string> notes;
  if (const std::string preliminary = preliminary_note(figure); !preliminary.empty()) notes.push_back(preliminary);
  if (!figure.constraints.empty()) notes.push_back("constraints: " + figure.constraints);
  return notes;
}

void write_illustrations(const Figure& figure, const std::string& directory) {
  const double width = static_cast<double>(figure.illustrations.size()) *
                       (FigureInches::kLeft + FigureInches::kPanelWidth + FigureInches::kRight);
  const double height = FigureInches::kAbove + FigureInches::kPanelHeight + FigureInches::kBelow;
  std::string body = "set yrange [0:1.05]; set xlabel 'pull'; set ylabel 'reward'\n";
  for (std::size_t i = 0; i < figure.illustrations.size(); ++i) {
    const LpIllustration& example = figure.illustrations[i];
    const std::string file = fmt::format("{}.{}.tsv", figure.name, i + 1);
    DataFile data({"pull", "mean", "observation", "lower", "upper", "bound"});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::size_t observed = example.observations.size();
    for (std::size_t pull = 0; pull < example.means.size(); ++pull) {
      const bool past = pull < observed;
      const double past_bound = example.bound.empty() ? nan : example.bound[pull];
      data.add(std::to_string(pull + 1),
               {example.means[pull], past ? example.observations[pull] : nan, past ? example.bands[pull].lower : nan,
                past ? example.bands[pull].upper : nan, past ? past_bound : example.future_bound[pull - observed]});
    }
    write_file(fmt::format("{}/data/{}", directory, file), data.text());
    const double left =
        static_cast<double>(i) * (FigureInches::kLeft + FigureInches::kPanelWidth + FigureInches::kRight) +
        FigureInches::kLeft;
    const std::string from = quoted(fmt::format("data/{}", file));
    body +=
        place(left / width, (left + FigureInches::kPanelWidth) / width, FigureInches::kBelow / height,
              (height - FigureInches::kAbove) / height) +
        fmt::format("set title {}\nset key inside {} right vertical samplen 2\n", quoted_title(example.title),
                    example.means.back() < 0.5 ? "top" : "bottom") +
        plot({from + " using 1:2 with lines lc rgb '#999999' lw 2 title 'true mean reward'",
              from + " using 1:3:4:5 with yerrorbars lc rgb '#0072b2' pt 7 ps 0.6 lw 1.5 title 'observations'",
              from + " using 1:6 with linespoints lc rgb '#d55e00' lw 2 dt (12,6) pt 6 ps 0.4 title 'upper bound'"});
  }
  body += "unset title\n";
  write_file(fmt::format("{}/{}.gp", directory, figure.name), script(figure.name, width, height, body));
}

}  // namespace

void write_gnuplot(const Figure& figure, const std::string& directory, const GnuplotOptions& options) {
  if (!figure.illustrations.empty()) return write_illustrations(figure, directory);
  std::size_t columns = 0;
  std::vector<std::vector<Panel>> rows;
  for (std::size_t scene = 0; scene < figure.scenes.size(); ++scene) {
    rows.push_back(panels_of(figure, scene, options));
    columns = std::max(columns, rows.back().size());
  }
  const double row_height = FigureInches::kAbove + FigureInches::kPanelHeight + FigureInches::kBelow;
  const double width =
      static_cast<double>(columns) * (FigureInches::kLeft + FigureInches::kPanelWidth + FigureInches::kRight);
  const auto crowded = std::find_if(figure.scenes.begin(), figure.scenes.end(), has_many_arms);
  const double arm_legend = crowded == figure.scenes.end() ? 0 : FigureInches::kLegend;
  const std::vector<std::string> notes = notes_of(figure);
  const double notes_height = static_cast<double>(notes.size()) * FigureInches::kNote;
  const double height =
      notes_height + static_cast<double>(rows.size()) * row_height + FigureInches::kLegend + arm_legend;
  std::string body;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const double middle = height - (static_cast<double>(i) + 0.5) * FigureInches::kNote;
    body += fmt::format("set label {} {} at screen {:.4f}, screen {:.4f} left font ',9' tc rgb '#444444'\n", i + 2,
                        quoted_title(notes[i]), 0.15 / width, middle / height);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Scene& scene = figure.scenes[row];
    const double top = height - notes_height - static_cast<double>(row) * row_height;
    body += fmt::format("set label 1 {} at screen {:.4f}, screen {:.4f} left font ',10'\n",
                        quoted_title(fmt::format("{}, {}{}", scene.bandit, scene.noise,
                                                 scene.one_of_many ? " (curves: first seed)" : "")),
                        0.15 / width, (top - FigureInches::kAbove / 2) / height);
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const Panel& panel = rows[row][column];
      const double left =
          static_cast<double>(column) * (FigureInches::kLeft + FigureInches::kPanelWidth + FigureInches::kRight) +
          FigureInches::kLeft;
      body += place(left / width, (left + FigureInches::kPanelWidth) / width,
                    (top - FigureInches::kAbove - FigureInches::kPanelHeight) / height,
                    (top - FigureInches::kAbove) / height) +
              panel.script + "unset label\n";
      write_file(directory + "/data/" + panel.data_name, panel.data);
    }
  }
  std::vector<std::string> lines;
  std::vector<std::string> names;
  for (const PolicySeries* series : shown(figure.scenes[0], true)) {
    lines.push_back(line_options(policy_lines(figure).at(series->policy)));
    names.push_back(series->policy);
  }
  body += legend(lines, names, arm_legend, height);
  if (crowded != figure.scenes.end()) {
    lines.clear();
    for (std::size_t arm = 0; arm < crowded->arms.size(); ++arm) {
      lines.push_back(fmt::format("lc rgb '{}' lw 4", arm_colour(arm)));
    }
    body += legend(lines, crowded->arms, 0, height);
  }
  write_file(fmt::format("{}/{}.gp", directory, figure.name), script(figure.name, width, height, body));
}

namespace {

constexpr int kNoProgram = 127;  // the exit code of shells for a program that is not installed

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Waits for gnuplot, whose CPU time is added to the timing. Returns its exit code.
int exit_code_of(pid_t child, Timing* timing) {
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno == EINTR) continue;
    throw SystemError(fmt::format("gnuplot's result is unknown: {}", std::generic_category().message(errno)));
  }
  if (timing != nullptr)
    timing->add(TimedPart::figures, {.cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)});
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs gnuplot on NAME.gp in the folder for one kind of picture, with standard error written to the file `messages`.
/// Returns its exit code, or kNoProgram if gnuplot is not installed.
int run_gnuplot(const std::string& name, const std::string& directory, const std::string& kind,
                const std::string& messages, Timing* timing) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  std::string program = "gnuplot";
  std::string option = "-e";
  std::string formats = fmt::format("formats = '{}'", kind);
  std::string script = "./" + name + ".gp";  // a name may begin with a dash
  char* const arguments[] = {program.data(), option.data(), formats.data(), script.data(), nullptr};
  pid_t child = -1;
  const int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return kNoProgram;
  if (failure != 0)
    throw SystemError(fmt::format("gnuplot cannot be started: {}", std::generic_category().message(failure)));
  return exit_code_of(child, timing);
}

}  // namespace

bool draw(const std::string& name, const std::string& directory, const std::string& kind, Timing* timing) {
  const TimedScope scope(timing, TimedPart::figures);
  const std::string messages = std::filesystem::absolute(fmt::format("{}/{}.{}.log", directory, name, kind)).string();
  const int code = run_gnuplot(name, directory, kind, messages, timing);
  std::ifstream file(messages);
  std::stringstream text;
  text << file.rdbuf();
  std::filesystem::remove(messages);
  if (code == 0 || code == kNoProgram) return code == 0;
  std::string message = text.str();
  std::replace(message.begin(), message.end(), '\n', ' ');
  throw InputError(fmt::format("{}/{}.gp: gnuplot failed: {}", directory, name, message));
}

bool draw(const std::vector<std::string>& names, const std::string& directory, Timing* timing) {
  std::atomic<bool> missing{false};
  in_parallel(0, names.size() * kPictureKinds.size(), [&](std::size_t i) {
    const std::string& name = names[i / kPictureKinds.size()];
    if (!draw(name, directory, kPictureKinds[i % kPictureKinds.size()], timing)) missing = true;
  });
  return !missing;
}

}  // namespace longrun
