#include "longrun/decide/outcome_order.h"

#include <algorithm>

namespace longrun {

std::size_t OutcomeOrder::Queue::find(std::int64_t decision) const {
  const auto found = std::lower_bound(pulls.begin(), pulls.end(), decision,
                                      [](const Pull& pull, std::int64_t number) { return pull.decision < number; });
  return static_cast<std::size_t>(found - pulls.begin());
}

void OutcomeOrder::Queue::wait(std::size_t place, const Result& result) {
  pulls[place].state = State::waiting;
  pulls[place].result = result;
  ++waiting;
  search = std::min<std::uint64_t>(search, place);
}

const OutcomeOrder::Pull* OutcomeOrder::Queue::next() {
  if (waiting == 0) return nullptr;
  while (pulls[search].state != State::waiting) ++search;
  const auto first_left =
      std::find_if(pulls.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(passed, search)),
                   pulls.begin() + static_cast<std::ptrdiff_t>(search),
                   [](const Pull& pull) { return pull.state == State::pending; });
  const bool is_next = first_left == pulls.begin() + static_cast<std::ptrdiff_t>(search);
  return is_next || waiting > kMostWaiting ? &pulls[search] : nullptr;
}

OutcomeOrder::Result OutcomeOrder::Queue::take(std::size_t place) {
  pulls[place].state = State::taken;
  --waiting;
  passed = std::max<std::uint64_t>(passed, place + 1);
  return pulls[place].result;
}

void OutcomeOrder::Queue::drop_taken() {
  while (begin < pulls.size() && pulls[begin].state == State::taken) ++begin;
  if (begin < pulls.size() && 2 * begin < pulls.size()) return;
  pulls.erase(pulls.begin(), pulls.begin() + static_cast<std::ptrdiff_t>(begin));
  passed -= std::min(passed, begin);
  search -= std::min(search, begin);
  begin = 0;
}

}  // namespace longrun
