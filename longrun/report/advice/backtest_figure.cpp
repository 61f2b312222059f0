#include "longrun/report/advice/backtest_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "longrun/base/write_file.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/backtest_report.h"
#include "longrun/report/gnuplot_script.h"

namespace longrun {
namespace {

constexpr std::size_t kMostArmPanels = 12;
constexpr std::size_t kMostLogDots = 600;  // per panel; more would cover each other
constexpr std::size_t kRewardsPerLogMean = 10;
constexpr std::size_t kMostLogMeans = 20;
constexpr Pulls kMostCurvePoints = 1000;

constexpr const char* kLogDots = "#b0b0b0";
constexpr const char* kLogMeans = "#333333";
constexpr const char* kFitted = "#0072b2";
constexpr const char* kBestPolicy = "#d55e00";

/// The measures of the figure of a backtest, in inches.
struct BacktestInches {
  static constexpr PanelInches kPanel{
      .width = 2.7, .height = 1.5, .left = 0.75, .right = 0.25, .above = 0.35, .below = 0.5};
  static constexpr double kPolicyRow = 0.24;    // height per policy
  static constexpr double kPolicyLeft = 1.9;    // for the names
  static constexpr double kPolicyAbove = 0.55;  // for the legend of the arms and the heading
  static constexpr double kPolicyBelow = 0.4;
};

/// The axes of all panels of arms.
struct LogAxes {
  Pulls last = 1;  // the most pulls of an arm, in the log or on average by a policy
  double lowest = 0;
  double highest = 1;
};

LogAxes log_axes(const BacktestSpec& spec, const Backtest& result) {
  LogAxes axes{.lowest = spec.scale.minimum, .highest = spec.scale.maximum};
  for (const LoggedArm& arm : result.arms) axes.last = std::max(axes.last, arm.pulls);
  for (const BacktestRow& row : result.rows) {
    for (const double pulls : row.pulls) axes.last = std::max(axes.last, static_cast<Pulls>(pulls));
  }
  for (const LoggedArm& arm : result.arms) {
    for (const PullReward& pull : arm.rewards) {
      axes.lowest = std::min(axes.lowest, spec.scale.from_unit(pull.reward));
      axes.highest = std::max(axes.highest, spec.scale.from_unit(pull.reward));
    }
  }
  const double margin = 0.04 * (axes.highest - axes.lowest);
  axes.lowest -= margin;
  axes.highest += margin;
  return axes;
}

/// One arm: its data and the commands that draw it.
class LogPanel {
 public:
  LogPanel(const BacktestSpec& spec, const Backtest& result, const LogAxes& axes, std::size_t arm, std::string file)
      : spec_(spec), arm_(result.arms[arm]), curve_(result.bandit.arms[arm]), axes_(axes), file_(std::move(file)) {}

  std::string script() const {
    const std::string title =
        fmt::format("arm {}, {} pulls", shortened(label_of(spec_.history.arm_names, arm_.arm)), arm_.made);
    const NumberTics rewards = number_tics(axes_.lowest, axes_.highest);
    const NumberTics pulls = number_tics(0, static_cast<double>(axes_.last));
    return fmt::format(
               "set title {} tc rgb '#444444' font ',9' offset 0,-0.6\nset xrange [0:{}]\nset yrange [{}:{}]\n"
               "set xtics nomirror tc rgb '#444444' ({})\nset ytics nomirror tc rgb '#444444' ({})\n"
               "set xlabel 'pulls of the arm{}' tc rgb '#444444' font ',8' offset 0,0.6\n"
               "set ylabel 'reward{}' tc rgb '#444444' font ',8' offset 0,0\n",
               quoted_title(title), axes_.last, axes_.lowest, axes_.highest, pulls.list, rewards.list, pulls.in_unit,
               rewards.in_unit) +
           plot({part("rewards", fmt::format("1:2 with points pt 7 ps {} lc rgb '{}'",
                                             arm_.rewards.size() < 50 ? 0.4 : 0.2, kLogDots)),
                 part("means", fmt::format("1:2 with points pt 7 ps 0.45 lc rgb '{}'", kLogMeans)),
                 part("fitted", fmt::format("1:2 with lines lc rgb '{}' lw 2", kFitted)),
                 part("beyond", fmt::format("1:2 with lines lc rgb '{}' lw 2 dt (5,4)", kFitted))});
  }

  void write_data(const std::string& directory) const {
    const auto write = [&](const char* what, const DataFile& data) {
      write_file(fmt::format("{}/data/{}.{}.tsv", directory, file_, what), data.text());
    };
    write("rewards", dots());
    write("means", means());
    write("fitted", values(1, arm_.pulls));
    DataFile beyond({"pull", "fitted"});
    beyond.add(fmt::format("{}", arm_.pulls), {in_unit(curve_.reward(arm_.pulls))});
    beyond.add(fmt::format("{}", std::max(axes_.last, arm_.pulls)), {in_unit(curve_.reward(arm_.pulls + 1))});
    write("beyond", beyond);
  }

 private:
  std::string part(const char* what, const std::string& style) const {
    return fmt::format("{} using {}", quoted(fmt::format("data/{}.{}.tsv", file_, what)), style);
  }
  double in_unit(double reward) const { return spec_.scale.from_unit(reward); }

  DataFile dots() const {
    DataFile data({"pull", "reward"});
    const std::size_t step = (arm_.rewards.size() - 1) / kMostLogDots + 1;
    for (std::size_t i = 0; i < arm_.rewards.size(); i += step)
      data.add(fmt::format("{}", arm_.rewards[i].pull), {in_unit(arm_.rewards[i].reward)});
    return data;
  }
  DataFile means() const {
    DataFile data({"pull", "mean"});
    const std::size_t count = arm_.rewards.size();
    const std::size_t blocks = std::clamp<std::size_t>(count / kRewardsPerLogMean, 1, kMostLogMeans);
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t begin = block * count / blocks;
      const std::size_t end = (block + 1) * count / blocks;
      double pull = 0;
      double reward = 0;
      for (std::size_t i = begin; i < end; ++i) {
        pull += static_cast<double>(arm_.rewards[i].pull) / static_cast<double>(end - begin);
        reward += arm_.rewards[i].reward / static_cast<double>(end - begin);
      }
      data.add(fmt::format("{}", pull), {in_unit(reward)});
    }
    return data;
  }
  DataFile values(Pulls first, Pulls last) const {
    DataFile data({"pull", "fitted"});
    const Pulls step = (last - first) / kMostCurvePoints + 1;
    for (Pulls pull = first; pull < last; pull += step)
      data.add(fmt::format("{}", pull), {in_unit(curve_.reward(pull))});
    data.add(fmt::format("{}", last), {in_unit(curve_.reward(last))});
    return data;
  }

  const BacktestSpec& spec_;
  const LoggedArm& arm_;
  const Curve& curve_;
  const LogAxes& axes_;
  std::string file_;
};

/// Returns the rewards of the policies with their intervals, from the top to the bottom.
DataFile policy_data(const Backtest& result) {
  DataFile data({"place", "reward", "low", "high", "best"});
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const LogEstimate& reward = result.rows[i].reward;
    const LogInterval interval = reward.range();
    data.add(fmt::format("{}", result.rows.size() - i),
             {reward.value, interval.low, interval.high, i == result.best ? 1.0 : 0.0});
  }
  return data;
}

std::string policy_script(const BacktestSpec& spec, const Backtest& result, const std::string& file) {
  std::vector<std::string> tics;
  double lowest = result.log_reward;
  double highest = result.log_reward;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const BacktestRow& row = result.rows[i];
    tics.push_back(fmt::format("{} {}", quoted_title(shortened(row.name, 28)), result.rows.size() - i));
    const LogInterval interval = row.reward.range();
    lowest = std::min({lowest, row.reward.value, interval.low});
    highest = std::max({highest, row.reward.value, interval.high});
  }
  const double margin = std::max(0.05 * (highest - lowest), 1e-6 * spec.scale.range());
  const NumberTics numbers = number_tics(lowest - margin, highest + margin);
  const std::string data = quoted(fmt::format("data/{}.tsv", file));
  const auto bars = [&](int best, const char* colour) {
    return fmt::format("{} using ($5=={} ? $2 : NaN):1:3:4 with xerrorbars pt 7 ps 0.6 lw 1.8 lc rgb '{}'", data, best,
                       colour);
  };
  return fmt::format(
             "set title {} tc rgb '#444444' font ',9' offset 0,-0.6\nset xrange [{}:{}]\nset yrange [0.4:{}]\n"
             "set xtics nomirror tc rgb '#444444' ({})\nset ytics nomirror tc rgb '#444444' ({})\n"
             "set arrow 1 from {}, graph 0 to {}, graph 1 nohead lc rgb '#888888' dt (4,4)\n",
             quoted(fmt::format("reward per pull over {} pulls{}{}; dashed: the log itself", result.horizon,
                                numbers.in_unit, spec.resamples > 0 ? ", with 80 % intervals" : "")),
             lowest - margin, highest + margin, static_cast<double>(result.rows.size()) + 0.6, numbers.list,
             fmt::join(tics, ", "), result.log_reward, result.log_reward) +
         plot({bars(0, kLogMeans), bars(1, kBestPolicy)}) + "unset arrow 1\n";
}

/// Returns the commands that draw the key of the arms' panels in a panel of its own.
std::string log_legend(const std::string& note) {
  return key_panel(note,
                   {fmt::format("NaN with points pt 7 ps 0.3 lc rgb '{}' title 'rewards'", kLogDots),
                    fmt::format("NaN with points pt 7 ps 0.5 lc rgb '{}' title 'their means'", kLogMeans),
                    fmt::format("NaN with lines lc rgb '{}' lw 2 title 'fitted curve'", kFitted),
                    fmt::format("NaN with lines lc rgb '{}' lw 2 dt (5,4) title 'assumed beyond the data'", kFitted)});
}

}  // namespace

void write_backtest_figure(const BacktestSpec& spec, const Backtest& result, const std::string& name,
                           const std::string& directory) {
  const std::vector<std::size_t> arms = most_pulled_arms(result, kMostArmPanels);
  const double policies = BacktestInches::kPolicyRow * static_cast<double>(result.rows.size() + 1);
  const double below = BacktestInches::kPolicyAbove + policies + BacktestInches::kPolicyBelow;
  const PanelGrid grid(arms.size(), BacktestInches::kPanel, below);
  const double width = grid.width();
  const double height = grid.height();
  const LogAxes axes = log_axes(spec, result);
  std::string body;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const LogPanel panel(spec, result, axes, arms[i], fmt::format("{}.{}", name, result.arms[arms[i]].arm));
    panel.write_data(directory);
    body += grid.place_panel(i) + panel.script();
  }
  const std::string note = arms.size() < result.arms.size()
                               ? fmt::format("the {} of {} arms that {} pulls most", arms.size(), result.arms.size(),
                                             result.rows[result.best].name)
                               : "";
  const double legend_top = below - 0.05;
  body += place(0.02, 0.98, (legend_top - 0.2) / height, legend_top / height) + log_legend(note);
  write_file(fmt::format("{}/data/{}.policies.tsv", directory, name), policy_data(result).text());
  body += place(BacktestInches::kPolicyLeft / width, 1 - BacktestInches::kPanel.right / width,
                BacktestInches::kPolicyBelow / height, (BacktestInches::kPolicyBelow + policies) / height) +
          policy_script(spec, result, name + ".policies");
  write_file(fmt::format("{}/{}.gp", directory, name), script(name, width, height, body));
}

void draw_backtest(const BacktestSpec& spec, const Backtest& result, const std::string& path) {
  draw_picture(path, [&](const std::string& name, const std::string& folder) {
    write_backtest_figure(spec, result, name, folder);
  });
}

}  // namespace longrun
