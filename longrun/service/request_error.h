#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

inline constexpr const char* kWholeBody = "";      ///< the JSON pointer to a whole body, such as a table
inline constexpr const char* kPathField = "path";  ///< the field of a request for a path that does not exist

/// A request that the service refuses. The message says what is wrong and what is accepted.
class RequestError : public std::runtime_error {
 public:
  /// The kinds of refusal; their values are HTTP's status codes.
  enum class Kind {
    malformed = 400,     ///< not in the form that the interface documents
    unauthorized = 401,  ///< no valid token
    forbidden = 403,     ///< the token, or the site of the page, does not allow it
    not_found = 404,     ///< no such study, decision or path
    wrong_method = 405,  ///< the path exists, the method does not
    conflict = 409,      ///< contradicts what is recorded
    too_large = 413,     ///< exceeds a limit of the service
    wrong_type = 415,    ///< a body of a type that is not accepted
    invalid = 422,       ///< well-formed, but not possible
    damaged = 500,       ///< what is stored cannot be read
    unavailable = 503,   ///< nothing was recorded; the same request may succeed later
  };

  /// Control characters of the message and of the problem, which a name may have, are written as `\u0000`. `field` is a
  /// JSON pointer to the part of the body that is wrong, the name of a parameter after a question mark, or kPathField;
  /// empty if it is none of them.
  RequestError(Kind kind, const std::string& message, std::string field = "");

  Kind kind() const { return kind_; }
  const std::string& field() const { return field_; }
  /// Returns JSON pointers to what the message is about, if that is the whole body, or settings and constraints of a
  /// study, with whose names it then begins; else empty.
  const std::vector<std::string>& fields() const { return fields_; }
  /// Returns the message without these names; empty if there are none.
  const std::string& problem() const { return problem_; }
  /// Returns this refusal with these pointers and this problem.
  RequestError about(std::vector<std::string> fields, const std::string& problem) const;

  /// A row of several that is wrong.
  struct Row {
    std::size_t place = 0;  ///< as RowProblem::place
    std::string detail;
  };
  /// Returns the first rows that are wrong, of a refusal of several; the message names their places.
  const std::vector<Row>& rows() const { return rows_; }
  std::size_t row_count() const { return row_count_; }     ///< of all rows that are wrong
  bool rows_are_lines() const { return rows_are_lines_; }  ///< whether the rows are those of a table
  /// Returns this refusal with these rows, the first of `count`.
  RequestError of_rows(std::vector<Row> rows, std::size_t count, bool are_lines) const;

  /// Returns the methods that are possible instead, for the header Allow; empty unless the method is wrong.
  const std::string& allowed() const { return allowed_; }
  RequestError& allow(std::string methods) {
    allowed_ = std::move(methods);
    return *this;
  }

 private:
  Kind kind_;
  std::string field_;
  std::vector<std::string> fields_;
  std::string problem_;
  std::vector<Row> rows_;
  std::size_t row_count_ = 0;
  bool rows_are_lines_ = false;
  std::string allowed_;
};

/// Returns the refusal of a request that is well-formed, but not possible.
RequestError invalid_request(const std::string& message, const std::string& field = "");
/// Returns the same for an error of the library. `field` is what the request asks for, and is empty for a new study: an
/// error in fields of a study or in constraints then leads to these.
RequestError invalid_request(const InputError& error, const std::string& field = "");
/// Returns the refusal of a text for one constraint.
RequestError invalid_constraint(const std::string& constraint, const std::string& problem);

/// Returns the name of the kind for people: "not found".
std::string_view title_of(RequestError::Kind kind);

/// The problem of one row of several.
struct RowProblem {
  std::size_t place = 0;  ///< in a table its line, the header being line 1; in a list its position, from 1
  RequestError error;
  bool names_part = false;  ///< whether the error begins with a part of the line, such as its column
};
void sort_by_place(std::vector<RowProblem>& problems);
/// Throws the first problem, and names the places of the others; returns if there is none.
void refuse_problems(const std::vector<RowProblem>& problems, bool is_table);

}  // namespace longrun
