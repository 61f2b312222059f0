#include "longrun/service/internal/added_entries.h"

namespace longrun {

void AddedEntries::add(std::int64_t study, const LogEntry& entry) {
  add_number(kStudy, study);
  add_number(kSeq, entry.seq);
  add_text(kAt, entry.at);
  if (entry.key.empty()) {
    add_null(kKey);
  } else {
    add_text(kKey, entry.key);
  }
  add_text(kRequest, entry.request);
  if (entry.decision == 0) {
    add_null(kDecision);
  } else {
    add_number(kDecision, entry.decision);
  }
  add_text(kEvent, entry.event);
  add_text(kDetails, entry.details);
  ++size_;
}

std::size_t AddedEntries::bytes() const {
  std::size_t sum = 0;
  for (const std::string& array : arrays_) sum += array.size();
  return sum;
}

std::string AddedEntries::take(const std::function<std::string(const std::string&)>& quote) {
  std::string sql = "EXECUTE add_entries(";
  for (std::string& array : arrays_) {
    sql += quote(array + "}");
    sql += ',';
    array.clear();
  }
  sql.pop_back();
  size_ = 0;
  return sql + ");";
}

std::string& AddedEntries::begin(Column column) {
  std::string& array = arrays_[column];
  array += array.empty() ? '{' : ',';
  return array;
}

void AddedEntries::add_text(Column column, const std::string& text) {
  std::string& array = begin(column);
  array += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') array += '\\';
    array += c;
  }
  array += '"';
}

}  // namespace longrun
