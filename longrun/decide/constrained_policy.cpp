#include "longrun/decide/constrained_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

FeasibleConstraints feasible_for(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints) {
  check(setting);
  const bool planned = policy.entry().traits.needs_plan &&
                       std::ssize(setting.plan) == setting.arms;  // FollowPlan throws for other sizes
  return resolve_feasible(constraints, setting.arms, setting.horizon,
                          planned ? std::span<const Pulls>(setting.plan) : std::span<const Pulls>{});
}

Setting with_horizon(Setting setting, Pulls horizon) {
  setting.horizon = horizon;
  return setting;
}

}  // namespace

std::string_view name(PullCause cause) {
  switch (cause) {
    case PullCause::share:
      return "share";
    case PullCause::minimum:
      return "minimum";
    case PullCause::choice:
      break;
  }
  return "choice";
}

ConstrainedPolicy::ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints)
    : ConstrainedPolicy(policy, setting, feasible_for(policy, setting, constraints)) {}

ConstrainedPolicy::ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting,
                                     FeasibleConstraints constraints)
    : constraints_(std::move(constraints.resolved)),
      feasibility_(std::move(constraints.feasibility)),
      policy_(make_policy(policy, with_horizon(setting, constraints_.most_pulls()))),
      issued_(static_cast<std::size_t>(constraints_.arms()), 0),
      unavailable_now_(issued_.size(), 0),
      missed_(issued_.size(), 0),
      missed_now_(issued_.size(), 0),
      share_from_(issued_.size(), 0) {
  derive();
}

void ConstrainedPolicy::derive() {
  rounds_ = constraints_.budget().rounds();
  owed_.assign(issued_.size(), 0);
  find_least();
  unconstrained_ = constraints_.rounds_are_pulls() &&
                   std::all_of(least_.begin(), least_.end(), [](Pulls least) { return least == 0; });
}

/// Makes all arms but `among` unavailable while it exists; an empty `among` stands for all arms.
class ConstrainedPolicy::Among {
 public:
  Among(ConstrainedPolicy& policy, std::span<const Arm> among)
      : policy_(policy), before_(among.empty() ? std::vector<std::uint8_t>{} : policy.unavailable_now_) {
    if (before_.empty()) return;
    for (std::size_t arm = 0; arm < before_.size(); ++arm) {
      if (!std::binary_search(among.begin(), among.end(), static_cast<Arm>(arm))) policy_.unavailable_now_[arm] = 1;
    }
    policy_.update_all_available();
  }
  Among(const Among&) = delete;
  Among& operator=(const Among&) = delete;
  ~Among() {
    if (before_.empty()) return;
    policy_.unavailable_now_ = std::move(before_);
    policy_.update_all_available();
  }

 private:
  ConstrainedPolicy& policy_;
  std::vector<std::uint8_t> before_;  // empty if nothing was changed
};

std::span<const Arm> ConstrainedPolicy::next_round(std::span<const Arm> among) {
  const Among restricted(*this, among);
  release_hopeless_choice();
  return next_round_of_all();
}

std::vector<Arm> ConstrainedPolicy::adopt_round(std::span<const Arm> recorded, std::span<const Arm> among) {
  const Among restricted(*this, among);
  release_hopeless_choice();
  const auto before = std::apply([](const auto&... fields) { return std::tuple(fields...); }, round_fields(*this));
  const bool has_shares = constraints_.has_shares();
  const std::vector<Pulls> missed = has_shares ? missed_ : std::vector<Pulls>{};
  const std::vector<Pulls> missed_now = has_shares ? missed_now_ : std::vector<Pulls>{};
  const std::optional<Arm> saving_before = saving_for_;
  const bool begins_a_round = !done();
  const std::size_t rounds = constraints_.rounds_are_pulls() ? recorded.size() : 1;
  std::vector<Arm> own;
  for (std::size_t round = 0; round < rounds && !done(); ++round) {
    const std::span<const Arm> pulls = next_round_of_all();
    own.insert(own.end(), pulls.begin(), pulls.end());
  }
  if (std::equal(own.begin(), own.end(), recorded.begin(), recorded.end())) return own;
  // Undone as a whole: the policy forgets the choices of these rounds, then the numbers are those of before.
  const bool paid = saving_before && !own.empty();  // the first pull was chosen in an earlier round
  for (std::size_t i = paid ? 1 : 0; i < own.size(); ++i) take_back(own[i]);
  if (saving_for_ && (paid || !saving_before)) take_back(*saving_for_);
  round_fields(*this) = before;
  if (has_shares) {
    missed_ = missed;
    missed_now_ = missed_now;
    find_least();
  }
  if (begins_a_round && !constraints_.rounds_are_pulls()) begin_round();
  if (saving_for_ && !recorded.empty() && recorded[0] != *saving_for_)
    release_choice();  // its units are spent otherwise
  for (const Arm arm : recorded) {
    if (saving_for_ == arm) {  // it is paid for now, and was counted when it was chosen
      saving_for_.reset();
      count_as_missed(arm);
    } else {
      adopt(arm);
    }
  }
  note_cut_round();
  // Pulls that were recorded otherwise, such as before a correction, may leave units that no later round could spend.
  if (round_ >= rounds_ && !constraints_.units_lapse()) last_round_goes_on_ = true;
  return own;
}

bool ConstrainedPolicy::begin_round() {
  if (done()) return false;
  if (round_ == rounds_) return true;  // the last round goes on
  lapsed_ += feasibility_->lapsing(round_, gone());
  ++round_;
  return true;
}

void ConstrainedPolicy::note_cut_round() {
  last_round_goes_on_ = round_ >= rounds_ && !constraints_.units_lapse() && !all_available_now_;
}

std::span<const Arm> ConstrainedPolicy::next_round_of_all() {
  pulls_.clear();
  causes_.clear();
  if (unconstrained_ && all_available_now_ && round_ == gone() && !done()) {  // the common case: one pull of any arm
    ++round_;
    ++spent_;
    cause_ = PullCause::choice;
    pulls_.push_back(policy_->choose());
    causes_.push_back(cause_);
    ++issued_[static_cast<std::size_t>(pulls_[0])];
    return pulls_;
  }
  const Pulls round_before = round_;
  if (!begin_round()) return pulls_;
  if (saving_for_) {
    if (left() < 0 || !available(*saving_for_, round_)) return pulls_;
    pull(*saving_for_);
    saving_for_.reset();
  }
  while (const auto arm = decide()) {
    if (left() < 0) {
      saving_for_ = arm;
      break;
    }
    pull(*arm);
  }
  if (pulls_.empty() && constraints_.rounds_are_pulls())
    round_ = round_before;  // no arm is available: its unit is left
  if (!pulls_.empty() || round_ > round_before) note_cut_round();
  return pulls_;
}

void ConstrainedPolicy::adopt(Arm arm) {
  update_remaining();
  policy_->adopt(arm);  // throws for arms that do not exist
  ++issued_[static_cast<std::size_t>(arm)];
  spent_ += constraints_.cost(arm);
  if (constraints_.rounds_are_pulls()) round_ = gone();
  count_as_missed(arm);
}

void ConstrainedPolicy::take_back(Arm arm) {
  policy_->cancel(arm);  // throws if no pull of the arm is pending
  const auto i = static_cast<std::size_t>(arm);
  --issued_[i];
  share_from_[i] = std::min(share_from_[i], issued_[i]);
  spent_ -= constraints_.cost(arm);
  update_remaining();
}

void ConstrainedPolicy::cancel(Arm arm) {
  take_back(arm);
  // Where rounds are only a count of units, the next pull takes the free place in it.
  if (constraints_.rounds_are_pulls()) {
    round_ = std::min(round_, gone());
  } else if (done() && !constraints_.units_lapse()) {
    --round_;  // no later round could spend them: the last one goes on
  }
}

void ConstrainedPolicy::add(Arm arm, double reward) {
  update_remaining();
  policy_->add(arm, reward);  // throws for arms that do not exist
  count_added(arm);
}

void ConstrainedPolicy::add_pending(Arm arm) {
  update_remaining();
  policy_->adopt(arm);  // throws for arms that do not exist
  count_added(arm);
}

void ConstrainedPolicy::count_added(Arm arm) {
  ++issued_[static_cast<std::size_t>(arm)];
  const RoundBudget& budget = constraints_.budget();
  count_as_missed(arm, budget.round_of(gone() + 1));
  spent_ += constraints_.cost(arm);
  if (!saving_for_) round_ = std::max(round_, budget.round_of(gone() + 1) - 1);
}

ConstrainedPolicy ConstrainedPolicy::with_policy(std::unique_ptr<LivePolicy> policy) const {
  ConstrainedPolicy copy = *this;
  copy.policy_ = PolicyState(std::move(policy));
  return copy;
}

Pulls ConstrainedPolicy::coming_round() const {
  if (done()) return rounds_ + 1;
  return std::min(round_ + 1, rounds_);  // the last round may go on
}

bool ConstrainedPolicy::can_go_on() const {
  if (done()) return false;
  if (constraints_.rounds_are_pulls()) return true;
  const Pulls coming = coming_round();
  const Pulls gone = gone_by_then() - committed();  // a choice that is not paid for yet can be given up
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) {
    const Pulls last = constraints_.last_available(arm);
    if (last >= coming && constraints_.budget().granted(last) - gone >= constraints_.cost(arm)) return true;
  }
  return false;
}

void ConstrainedPolicy::save(Writer& writer) const {
  std::apply([&](const auto&... fields) { (writer.write(fields), ...); }, saved_fields(*this));
  policy_->save(writer);
}

void ConstrainedPolicy::load(Reader& reader) {
  const std::size_t arms = issued_.size();
  std::apply([&](auto&... fields) { (reader.read(fields), ...); }, saved_fields(*this));
  for (const std::size_t size :
       {issued_.size(), unavailable_now_.size(), missed_.size(), missed_now_.size(), share_from_.size()}) {
    if (size != arms) throw InputError(fmt::format("the saved state has {} arms, not {}", size, arms));
  }
  update_all_available();
  find_least();
  policy_->load(reader);
}

std::uint64_t ConstrainedPolicy::layout() const {
  return std::apply(
      [&]<class... Fields>(const Fields&...) {
        using Saved = archive_detail::TypeList<Fields...>;
        return archive_detail::Layout<Saved>::hash_after(policy_->layout());
      },
      saved_fields(*this));
}

void ConstrainedPolicy::set_unavailable(std::span<const Arm> arms) {
  std::vector<std::uint8_t> unavailable(unavailable_now_.size(), 0);
  for (const Arm arm : arms) {
    if (arm < 0 || arm >= constraints_.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, constraints_.arms() - 1));
    }
    unavailable[static_cast<std::size_t>(arm)] = 1;
  }
  unavailable_now_ = std::move(unavailable);
  update_all_available();
  release_hopeless_choice();
}

void ConstrainedPolicy::release_hopeless_choice() {
  if (!saving_for_) return;
  const bool is_unavailable = unavailable_now_[static_cast<std::size_t>(*saving_for_)] != 0;
  if (is_unavailable || gone() > constraints_.horizon()) release_choice();
}

void ConstrainedPolicy::release_choice() {
  take_back(*saving_for_);
  saving_for_.reset();
}

std::vector<Arm> ConstrainedPolicy::unavailable_now() const {
  std::vector<Arm> arms;
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) {
    if (unavailable_now_[static_cast<std::size_t>(arm)] != 0) arms.push_back(arm);
  }
  return arms;
}

void ConstrainedPolicy::update_all_available() {
  all_available_now_ = std::find(unavailable_now_.begin(), unavailable_now_.end(), 1) == unavailable_now_.end();
}

void ConstrainedPolicy::find_owed() {
  for (std::size_t arm = 0; arm < least_.size(); ++arm) {
    owed_[arm] = least_[arm] == 0 ? 0 : std::max<Pulls>(0, least_[arm] - issued_[arm]);
  }
}

void ConstrainedPolicy::find_allowed() {
  find_owed();
  feasibility_->find_allowed({.round = round_, .gone = gone(), .owed = owed_, .unavailable_now = unavailable_now_},
                             allowed_);
}

std::vector<Arm> ConstrainedPolicy::allowed_next() const {
  ConstrainedPolicy copy = *this;
  if (!copy.begin_round()) return {};
  if (copy.saving_for_) return {*copy.saving_for_};
  copy.find_allowed();
  return copy.allowed_;
}

std::optional<Arm> ConstrainedPolicy::decide() {
  find_allowed();
  const auto payable = [this](Arm arm) { return constraints_.cost(arm) <= left(); };
  if (std::none_of(allowed_.begin(), allowed_.end(), payable)) return std::nullopt;
  if (const auto arm = forced()) allowed_.assign(1, *arm);
  Restriction restriction{.arms = allowed_};
  if (constraints_.costs_differ()) restriction.costs = constraints_.costs();
  update_remaining();
  const Arm arm = policy_->choose(restriction);
  ++issued_[static_cast<std::size_t>(arm)];
  spent_ += constraints_.cost(arm);
  return arm;
}

void ConstrainedPolicy::pull(Arm arm) {
  pulls_.push_back(arm);
  causes_.push_back(cause_);
  count_as_missed(arm);
}

/// Adds the cost of a pull in `round` to the missed units of every arm that is unavailable then: an arm has no share of
/// the units that are spent while it is unavailable.
void ConstrainedPolicy::count_as_missed(Arm pulled, Pulls round) {
  if (!constraints_.has_shares()) return;  // saves O(arms) per pull
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) {
    if (constraints_.share_pulls(arm) == 0) continue;
    const auto i = static_cast<std::size_t>(arm);
    const bool is_foreseen = !constraints_.available(arm, round);
    if (!is_foreseen && unavailable_now_[i] == 0) continue;
    missed_[i] += constraints_.cost(pulled);
    if (is_foreseen) continue;
    missed_now_[i] += constraints_.cost(pulled);
    find_least(arm);
  }
}

void ConstrainedPolicy::find_least(Arm arm) {
  const auto i = static_cast<std::size_t>(arm);
  share_pulls_[i] = constraints_.share_pulls(arm, missed_now_[i]);
  const Pulls of_share = share_pulls_[i] == 0 ? 0 : share_from_[i] + share_pulls_[i];
  least_[i] = std::max(constraints_.minimum_pulls(arm), of_share);
}

void ConstrainedPolicy::find_least() {
  share_pulls_.resize(issued_.size());
  least_.resize(issued_.size());
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) find_least(arm);
}

std::optional<Arm> ConstrainedPolicy::forced() {
  cause_ = PullCause::share;
  if (const auto arm = most_urgent_share()) return arm;
  cause_ = PullCause::minimum;
  if (const auto arm = fewest_below_minimum()) return arm;
  cause_ = PullCause::choice;
  return std::nullopt;
}

std::optional<Arm> ConstrainedPolicy::most_urgent_share() const {
  if (!constraints_.has_shares()) return std::nullopt;
  std::optional<Arm> urgent;
  Pulls shortest_time = 0;
  for (const Arm arm : allowed_) {
    const Pulls next = issued(arm) + 1 - share_from_[static_cast<std::size_t>(arm)];
    if (next > share_pulls_[static_cast<std::size_t>(arm)]) continue;
    const Pulls now = spent_ - missed_[static_cast<std::size_t>(arm)];
    if (constraints_.share_release(arm, next) > now) continue;
    const Pulls time = constraints_.share_due(arm, next) - now;
    if (urgent && time >= shortest_time) continue;
    urgent = arm;
    shortest_time = time;
  }
  return urgent;
}

std::optional<Arm> ConstrainedPolicy::fewest_below_minimum() const {
  std::optional<Arm> fewest;
  for (const Arm arm : allowed_) {
    if (issued(arm) >= constraints_.minimum_pulls(arm)) continue;
    if (!fewest || issued(arm) < issued(*fewest)) fewest = arm;
  }
  return fewest;
}

}  // namespace longrun
