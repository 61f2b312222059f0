#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace longrun {

// A page with advice is a list of sections. A section is data; report/page/advice.js shows it. All texts are plain
// text: the page never reads them as HTML, so they may contain anything.

/// Sentences under a heading of their own, inside a section.
struct PageBlock {
  std::string heading;                 ///< may be empty
  std::vector<std::string> sentences;  ///< one paragraph, or one item each if `listed`
  bool listed = false;
};

/// The style of a section of text.
enum class PageTone { plain, advice, caution };

/// A section of sentences.
struct PageText {
  std::string heading;  ///< may be empty
  PageTone tone = PageTone::plain;
  std::string lead{};  ///< the most important sentence, in large letters; may be empty
  std::vector<PageBlock> blocks{};
};

/// A section of terms and what there is to say about each.
struct PageFacts {
  std::string heading;
  std::vector<std::pair<std::string, std::vector<std::string>>> facts;  ///< a term and its sentences
};

/// A section with a table.
struct PageTable {
  /// A column. Numbers are aligned to the right.
  struct Column {
    std::string name;
    bool number = false;
  };
  /// A row with one cell per column.
  struct Row {
    std::vector<std::string> cells;
    bool highlighted = false;
  };
  std::string heading;
  std::vector<Column> columns;  ///< the first one has the headings of the rows
  std::vector<Row> rows;
  std::vector<std::string> notes{};  ///< sentences below the table
};

/// The style of a series of a chart.
enum class PageMark { line, dashes, dots };
enum class PageColour { ink, grey, green, blue, orange };

/// A series of a chart: points and, if `low` and `high` are not empty, the band around them. Equal labels are one
/// series in the key of the section.
struct PageSeries {
  std::string label;
  PageMark mark = PageMark::line;
  PageColour colour = PageColour::ink;
  std::vector<double> x{};  ///< ascending
  std::vector<double> y{};
  std::vector<double> low{};
  std::vector<double> high{};
  std::vector<double> stated_x{};  ///< numbers that are shown for `x`; empty: those of `x`
};

/// A chart.
struct PageChart {
  std::string title;
  std::string note{};  ///< a few words beside the title
  bool highlighted = false;
  std::pair<double, double> x_range{0, 1};
  std::pair<double, double> y_range{0, 1};
  std::vector<std::pair<double, std::string>> x_tics{};  ///< positions and labels; empty: chosen by the page
  std::optional<double> now{};                           ///< position of a vertical line
  std::vector<PageSeries> series{};
};

/// A section of charts of one kind, with one key.
struct PageCharts {
  std::string heading;
  std::vector<std::string> notes;  ///< sentences above the charts
  std::string x_title;
  std::string y_title;
  std::string highlight{};  ///< the word for highlighted charts
  std::vector<PageChart> charts{};
};

/// A section with one chart of ranges, a row each.
struct PageRanges {
  /// A value and the range around it.
  struct Row {
    std::string label;
    double value = 0;
    double low = 0;
    double high = 0;
    bool highlighted = false;
  };
  std::string heading;
  std::vector<std::string> notes;  ///< sentences above the chart
  std::string title;               ///< of the axis
  std::vector<Row> rows{};
  bool from_zero = false;  ///< whether the axis begins at 0
};

using PageSection = std::variant<PageText, PageFacts, PageTable, PageCharts, PageRanges>;

/// The inputs that make the page again.
struct PageOrigin {
  std::string command{};                 ///< as a shell reads it
  std::string history_file{};            ///< name for saving the history
  std::optional<std::string> history{};  ///< the bytes of the history; nullopt if there is none
  std::vector<std::string> sentences{};  ///< anything else, such as the seed
};

/// A self-contained page with advice.
struct AdvicePage {
  std::string title;
  std::string about;  ///< a few sentences below the title
  std::vector<PageSection> sections;
  PageOrigin origin;
  std::string answer;  ///< all numbers, as JSON
};

/// The largest history, and the largest answer in JSON, that are part of a page, in bytes.
inline constexpr std::size_t kMostHistoryBytes = 8'000'000;
inline constexpr std::size_t kMostAnswerBytes = 4'000'000;

/// Returns the page as HTML. It needs no other file and no network, and has no time stamp: equal input makes equal
/// bytes. The page shows what `origin` has and saves the history and the answer as files, unless they are too large;
/// then it says so.
std::string make_advice_page(const AdvicePage& page);

}  // namespace longrun
