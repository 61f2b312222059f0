#include "longrun/data/time_reading.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace longrun {
namespace {

/// Returns whether a number is a day of the years 1970 to 2099, such as 20240131.
bool is_day(long double number) {
  if (number < 19700101 || number > 20991231 || number != std::floor(number)) return false;
  const auto digits = static_cast<int>(number);
  return std::chrono::year_month_day(std::chrono::year(digits / 10000),
                                     std::chrono::month(static_cast<unsigned>(digits / 100 % 100)),
                                     std::chrono::day(static_cast<unsigned>(digits % 100)))
      .ok();
}

}  // namespace

void TimeReading::add(const std::optional<TimeStamp>& time, std::string_view cell, std::size_t line, Arm arm) {
  if (!valid_) return;
  valid_ = time && (!kind_ || *kind_ == time->kind);
  if (!valid_) return;
  least_ = kind_ ? std::min(least_, time->value) : time->value;
  most_ = kind_ ? std::max(most_, time->value) : time->value;
  kind_ = time->kind;
  are_days_ = are_days_ && are_numbers() && is_day(time->value);
  const auto at = static_cast<std::size_t>(arm);
  if (at >= last_.size()) last_.resize(at + 1);
  Row& last = last_[at];
  change_ = last.line == 0 || time->value == last.value ? 0 : time->value > last.value ? 1 : -1;
  last_line_ = line;
  if (change_ > 0) ++ascents_;
  if (change_ < 0 && ++descents_ == 1) {
    first_descent_ = {
        .line = line, .cell = std::string(cell), .later_line = last.line, .later_cell = std::move(last.cell)};
  }
  last = {.value = time->value, .line = line, .cell = std::string(cell)};
}

bool TimeReading::are_unix_times() const {
  constexpr long double kFirst = 946'684'800;
  constexpr long double kLast = 4'102'444'800;
  const auto within = [&](long double unit) { return least_ >= kFirst * unit && most_ <= kLast * unit; };
  return are_numbers() && (within(1) || within(1000));
}

void TimeReadings::read(std::string_view cell, std::size_t line, Arm arm) {
  const bool is_first = !has_rows_;
  has_rows_ = true;
  end_with_year_ = end_with_year_ && ends_with_year(cell);
  if (are_times_ && months_.possible()) months_.add(parse_month_with_point(cell), cell, line, arm);
  begins_with_zero_ = begins_with_zero_ || cell.starts_with('0');
  for (std::size_t i = 0; are_times_ && i < six_digits_.size(); ++i) {
    if (six_digits_[i].possible()) six_digits_[i].add(parse_six_digits(cell, kDateOrders[i]), cell, line, arm);
  }
  if (usual_.possible()) usual_.add(parse_time_stamp(cell), cell, line, arm);
  if (usual_.possible()) return;
  constexpr std::size_t kPadded = 8;  // characters of 09.03.24
  const bool is_version = !are_times_ && may_be_a_version(cell);
  may_be_versions_ = may_be_versions_ || is_version;
  const bool may_be_a_date = !is_version || cell.size() == kPadded;
  for (std::size_t i = 0; i < kDateOrders.size(); ++i) {
    if (!is_first && !others_[i].valid()) continue;  // of a column whose first cells are usual times, too
    others_[i].add(may_be_a_date ? parse_other_date(cell, kDateOrders[i]) : std::nullopt, cell, line, arm);
  }
}

bool TimeReadings::may_be_six_digits() const {
  const bool are_numbers = usual_.valid() && usual_.are_numbers();
  return are_numbers && usual_.descents() > 0 && (six_digits_[0].valid() || six_digits_[1].valid());
}

std::vector<const TimeReading*> TimeReadings::valid() const {
  if (are_months_with_points()) return {&months_};
  if (are_six_digits()) {
    std::vector<const TimeReading*> in_order;
    for (const TimeReading& reading : six_digits_) {
      if (reading.valid() && reading.descents() == 0) in_order.push_back(&reading);
    }
    return in_order;
  }
  if (usual_.valid()) return {&usual_};
  std::vector<const TimeReading*> readings;
  for (const TimeReading& reading : others_) {
    if (reading.valid()) readings.push_back(&reading);
  }
  return readings;
}

std::vector<const TimeReading*> TimeReadings::plausible() const {
  constexpr std::size_t kFewestChanges = 5;              // rows of another time than the one before; fewer say little
  constexpr long double kDecade = 10 * 365 * 86'400.0L;  // seconds
  constexpr long double kNarrower = 4;                   // times
  std::vector<const TimeReading*> readings = valid();
  if (readings.empty()) return {};
  const auto* narrowest = *std::min_element(
      readings.begin(), readings.end(), [](const auto* one, const auto* other) { return one->span() < other->span(); });
  const bool are_few = narrowest->ascents() + narrowest->descents() < kFewestChanges;
  if (!are_few) {
    std::erase_if(readings, [&](const TimeReading* reading) {
      const bool is_wide =
          !reading->are_numbers() && reading->span() >= kDecade && reading->span() >= kNarrower * narrowest->span();
      return is_wide && (reading->descents() > 0 || narrowest->descents() == 0);  // the rows may be in order by it
    });
  }
  // The numbers of versions are small, so that the day and the month cannot be told apart.
  const bool are_dates = !are_few && readings.size() == 1 && narrowest->span() < kDecade / 2;
  return may_be_versions_ && !are_dates ? std::vector<const TimeReading*>() : readings;
}

int TimeReadings::change(std::size_t line) const {
  if (are_months_with_points()) return months_.change(line);
  if (are_six_digits()) {
    const auto in_order = valid();
    return in_order.empty() ? 0 : in_order[0]->change(line);
  }
  if (usual_.valid()) return usual_.change(line);
  const auto* reading =
      std::find_if(others_.begin(), others_.end(), [](const TimeReading& each) { return each.valid(); });
  return reading == others_.end() ? 0 : reading->change(line);
}

}  // namespace longrun
