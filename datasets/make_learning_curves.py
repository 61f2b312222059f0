"""Makes learning_curves.csv: the accuracy of eight learners on five data sets, by the number of minibatches seen.

A pull trains a learner on one more minibatch, drawn with replacement, and pays its accuracy on held-out data. Needs
scikit-learn 1.9, which nothing else in this repository needs. All data comes with scikit-learn: no network is used.

    python3 -m venv learning && learning/bin/pip install scikit-learn==1.9.1
    learning/bin/python datasets/make_learning_curves.py
"""

import concurrent.futures
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # learners are small; shuffles run in parallel instead

import numpy
import sklearn
from sklearn import datasets
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

PULLS = 500
MINIBATCH = 16
SHUFFLES = 40  # each has its own split into two halves, initial weights and minibatches
FILE = pathlib.Path(__file__).parent / "learning_curves.csv"


def diabetes_terciles():
    """The progression of diabetes after one year as three classes of equal size."""
    data = datasets.load_diabetes()
    return data.data, numpy.digitize(data.target, numpy.quantile(data.target, [1 / 3, 2 / 3]))


DATA = {
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "diabetes": diabetes_terciles,
    # Three classes inside each other: no linear learner separates them.
    "shells": lambda: datasets.make_gaussian_quantiles(n_samples=800, n_features=4, n_classes=3, random_state=1),
    # Four classes of several clusters each, with features that say nothing.
    "clusters": lambda: datasets.make_classification(
        n_samples=800, n_features=12, n_informative=6, n_redundant=2, n_classes=4, n_clusters_per_class=2,
        class_sep=1.5, random_state=1),
}


def network(units, rate):
    return lambda seed: MLPClassifier((units,), learning_rate_init=rate, random_state=seed)


LEARNERS = {
    "naive_bayes": lambda seed: GaussianNB(),
    "perceptron": lambda seed: Perceptron(random_state=seed),
    "passive_aggressive": lambda seed: SGDClassifier(
        loss="hinge", learning_rate="pa1", eta0=1.0, penalty=None, random_state=seed),
    "svm_sgd": lambda seed: SGDClassifier(loss="hinge", learning_rate="constant", eta0=0.01, random_state=seed),
    "logistic_sgd": lambda seed: SGDClassifier(
        loss="log_loss", learning_rate="constant", eta0=0.001, random_state=seed),
    "network_16": network(16, 0.02),
    "network_64": network(64, 0.01),
    "network_64_slow": network(64, 0.003),
}


def knots():
    """The pulls at which accuracy is measured: all up to 10, then each about 8 % later than the last."""
    chosen = list(range(1, 11))
    while chosen[-1] < PULLS:
        chosen.append(min(PULLS, max(chosen[-1] + 1, round(chosen[-1] * 1.08))))
    return chosen


def measured_around(knot):
    """The pulls whose accuracy is averaged for a knot: up to 5, within 4 % of it."""
    reach = int(knot * 0.04)
    return sorted({min(PULLS, max(1, knot + round(reach * step / 2))) for step in range(-2, 3)})


def accuracies(data, learner, shuffle):
    """The accuracy after each pull that is measured, for one shuffle."""
    sklearn.set_config(skip_parameter_validation=True, assume_finite=True)  # half of the time
    features, classes = DATA[data]()
    chance = numpy.random.default_rng([shuffle, list(DATA).index(data)])  # the same for all learners
    order = chance.permutation(len(classes))
    train, test = numpy.split(order, [len(order) // 2])
    scaler = StandardScaler().fit(features[train])
    features = scaler.transform(features)
    model = LEARNERS[learner](shuffle)
    measured = {pull for knot in knots() for pull in measured_around(knot)}
    result = {}
    for pull in range(1, PULLS + 1):
        batch = chance.choice(train, MINIBATCH)
        known = {"classes": numpy.unique(classes)} if pull == 1 else {}
        model.partial_fit(features[batch], classes[batch], **known)
        if pull in measured:
            result[pull] = numpy.mean(model.predict(features[test]) == classes[test])
    return result


def curve(data, learner, shuffles):
    """The mean accuracy around each knot."""
    runs = [accuracies(data, learner, shuffle) for shuffle in range(shuffles)]
    return [numpy.mean([run[pull] for run in runs for pull in measured_around(knot)]) for knot in knots()]


def main():
    names = [(data, learner) for data in DATA for learner in LEARNERS]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        curves = list(pool.map(curve, *zip(*names), [SHUFFLES] * len(names)))
    rows = ["data,learner," + ",".join(map(str, knots()))]
    for (data, learner), values in zip(names, curves):
        rows.append(f"{data},{learner}," + ",".join(f"{a:.3f}" for a in values))
    FILE.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    sys.exit(main())
