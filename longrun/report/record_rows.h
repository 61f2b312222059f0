#pragma once

#include <string>
#include <string_view>

#include "longrun/experiment/record.h"

namespace longrun {

/// The names of the cells of record_csv_row().
inline constexpr std::string_view kRecordCsvHeader =
    "experiment,bandit,noise,policy,parameters,horizon,seed,pulls,return,optimum,regret";

/// Returns a record as a row of CSV, without a line break. The pulls of the arms, in the order of their numbers, are
/// separated by spaces.
std::string record_csv_row(const RunRecord& record);

/// Returns a record as a JSON object on one line, with the keys of kRecordCsvHeader; `pulls` is a list.
std::string record_json(const RunRecord& record);

}  // namespace longrun
