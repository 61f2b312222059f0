"""What is on the site and where: every document of the repository, along the four kinds of documentation."""

# A page is a document of the repository, its path on the site without a suffix, and its title in the navigation.
# Sections are listed in the order of the navigation.
HOME = ("README.md", "index", "longrun")
SECTIONS = {
    "Tutorials": [
        ("docs/notebooks/why_greedy_lenders_fail.ipynb", "tutorials/why_greedy_lenders_fail", "Why greedy lenders fail"),
        ("docs/notebooks/your_own_curves.ipynb", "tutorials/your_own_curves", "Your own curves"),
        ("docs/notebooks/a_live_decision_with_late_outcomes.ipynb", "tutorials/a_live_decision", "A live decision with late outcomes"),
        ("docs/recommend.md#tutorial", "tutorials/three_logs", "Advice from three logs"),
    ],
    "How-to": [
        ("docs/python.md", "how-to/python", "Use longrun from Python"),
        ("docs/cpp.md", "how-to/cpp", "Use longrun from C++"),
        ("docs/service.md", "how-to/service", "Serve decisions for months"),
        ("docs/backtest.md", "how-to/backtest", "Let a log judge policies"),
        ("experiments/README.md", "how-to/experiments", "Run an experiment"),
        ("docs/clusters.md", "how-to/clusters", "Run on many machines"),
        ("CONTRIBUTING.md", "how-to/contribute", "Contribute"),
        ("bench/tuning/README.md", "how-to/tuning", "Tune foresight"),
    ],
    "Reference": [
        ("docs/command-line.md", "reference/command-line", "Command line"),
        ("docs/studies.md", "reference/studies", "Studies"),
        ("docs/recommend.md", "reference/recommend", "Recommendations"),
        ("docs/plan.md", "reference/plan", "Plans"),
        ("docs/policies.md", "reference/policies", "Policies"),
        ("docs/constraints.md", "reference/constraints", "Constraints"),
        ("datasets/README.md", "reference/datasets", "Datasets"),
        ("docs/reproduction.md", "reference/reproduction", "Claims of the paper"),
        ("docs/arena.md", "reference/arena", "Scores under noise"),
        ("docs/performance.md", "reference/performance", "Performance"),
        ("bench/peers/README.md", "reference/peers", "Comparison with other libraries"),
        ("docs/pictures/README.md", "reference/pictures", "Pictures of the documents"),
        ("CHANGELOG.md", "reference/changes", "Changes"),
    ],
    "Explanation": [
        ("docs/method.md", "explanation/method", "Method and findings"),
        ("docs/noise-study.md", "explanation/noise-study", "Noise study"),
        ("docs/scale.md", "explanation/scale", "How far the service goes"),
        ("ARCHITECTURE.md", "explanation/architecture", "Architecture"),
    ],
}
HEADERS = ("longrun/README.md", "cpp/index", "Headers")  # the first page of the C++ reference
NOT_ON_THE_SITE = {"tests/golden/README.md"}  # describes test data

# The pages of the Python reference, with the public names that each has. Members of modules have a dot.
PYTHON = {
    "bandits": ("Bandits and noise", ["Bandit", "BanditInfo", "bandits", "Noise", "NoNoise", "Gaussian", "Uniform", "SymmetricBeta",
                                      "StudentT", "Bernoulli", "Constraints", "World"]),
    "simulation": ("Simulations", ["simulate", "Records", "Trajectories", "LostWorkerError", "PolicyError", "optimum", "Optimum",
                                   "optimistic_future"]),
    "policies": ("Policies", ["policies", "PolicyInfo", "policy", "Policy", "Setting", "AskTell"]),
    "studies": ("Studies", ["Study", "Decision", "Difference", "FieldError"]),
    "recommendations": ("Recommendations", ["recommend", "Recommendation", "NextPulls", "ArmReport", "RewardNow", "CurveTrend",
                                            "ExpectedReward", "Misfit", "Outlier", "DoubtfulReward", "ToLearn",
                                            "WhatIf", "Consequence"]),
    "plans": ("Plans", ["plan", "Plan", "Course", "PlannedArm", "FutureRange"]),
    "backtests": ("Backtests", ["backtest", "Backtest", "BacktestRow", "LoggedArm", "FittedCurve", "LogEstimate", "PolicyReplays", "Replay",
                                "RejectionReplay", "RandomChoiceTest"]),
    "service": ("Client of the service", ["Client", "ServedStudy", "StudyState", "ArmState", "Audit", "Agreement", "Health", "OldestPending",
                                          "Reported", "Correction", "RowProblem", "ServiceError", "RefusedError"]),
    "figures": ("Figures", ["plot.regret", "plot.trajectory", "plot.style", "plot.styles"]),
    "environment": ("Environment", ["env.RestedBandit"]),
}
MODULES = {"plot", "env"}  # their public names are above


def documents():
    """Yield every document with its page and its title, in the order of the navigation."""
    yield HOME
    for pages in SECTIONS.values():
        yield from pages
    yield HEADERS
