# Indents formulas and tables in comments, so that Doxygen keeps their lines: a line with three or more spaces after ///
# that follows an empty line of the comment, or another such line. Lines of lists follow their item, so they are kept.
{
  formula = /^ *\/\/\/   / && (formula || before ~ /^ *\/\/\/ *$/)
  before = $0
  # A # before a word would be a link.
  if (start = index($0, "///")) {
    comment = substr($0, start)
    gsub(/#[a-z]/, "\\\\&", comment)
    $0 = substr($0, 1, start - 1) comment
  }
  if (formula) sub(/\/\/\/ /, "///     ")
  print
}
