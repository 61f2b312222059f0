#include "longrun/decide/study/outcome_order.h"

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

std::optional<std::size_t> OutcomeOrder::Queue::next() {
  if (waiting == 0) return std::nullopt;
  while (pulls[search].state != State::waiting) ++search;
  const auto place = [this](std::uint64_t i) { return pulls.begin() + static_cast<std::ptrdiff_t>(i); };
  const bool is_next = std::none_of(place(std::min(passed, search)), place(search),
                                    [](const Pull& pull) { return pull.state == State::pending; });
  if (!is_next && waiting <= kMostWaiting) return std::nullopt;
  return search;
}

OutcomeOrder::Result OutcomeOrder::Queue::take(std::size_t place) {
  remove(place);
  --waiting;
  passed = std::max<std::uint64_t>(passed, place + 1);
  return pulls[place].result;
}

void OutcomeOrder::Queue::remove(std::size_t place) {
  pulls[place].state = State::taken;
  ++taken;
}

void OutcomeOrder::Queue::drop_taken() {
  if (2 * taken < pulls.size()) return;
  const auto is_taken = [](const Pull& pull) { return pull.state == State::taken; };
  const auto end = pulls.begin() + static_cast<std::ptrdiff_t>(passed);
  passed -= static_cast<std::uint64_t>(std::count_if(pulls.begin(), end, is_taken));
  search = passed;  // a pull before that place does not wait
  std::erase_if(pulls, is_taken);
  taken = 0;
}

}  // namespace longrun
