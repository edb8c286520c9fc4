"""Own methods as machine code: they learn what the same functions learn when they are called back."""

import numpy as np
import pytest

import bits
from own_methods import X, Y, alternating, drawn, enter, one, rarity
from poise import StreamClassifier, methods
from poise.methods import compiled, plugins

pytestmark = pytest.mark.usefixtures("forget_own_methods")


def calls_back(name="own"):
    """Tell whether the core calls Python for a method."""
    return plugins.own_functions(*StreamClassifier(name)._setup().core["own"])["calls_back"]


def by_columns(row, ledger, memo, p, rng):
    weight = 0.0
    for value in row.x:
        weight += abs(value)
    return weight / len(row.x)


def by_pull(row, ledger, memo, p, rng):
    memo[0] = max(memo[0], ledger[row.y].pulled)
    return 1.0 + min(p.most, row.slope * memo[0] / (1.0 + ledger[row.y].travelled)) + (row.right == 0) * row.loss


class TestCompiled:
    @pytest.fixture(autouse=True)
    def needs_numba(self):
        pytest.importorskip("numba", reason="numba, an optional package, is not installed")

    @pytest.mark.parametrize(
        ("function", "options"),
        [
            (rarity, {"ceiling": 100.0}),
            (drawn, {"members": 3}),
            (alternating, {"memo": 1}),
            (by_columns, {}),
            (by_pull, {"memo": 1, "most": 5.0}),
        ],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    @pytest.mark.parametrize("classes", [2, 3])
    def test_equals_called_back(self, function, options, classes):
        rows, labels = bits.plain(200, 5, classes)
        learned = []
        for fast in (True, False):
            clf = enter(function, compile=fast, **options)
            assert calls_back() is not fast
            learned.append(clf.learn(rows, labels))
            methods.forget("own")
        np.testing.assert_allclose(learned[0], learned[1], rtol=1e-12, atol=1e-12)

    def test_is_every_part_but_synthetic_rows(self):
        enter(rarity, ceiling=9.0, margin=one, repeats=one)
        assert not calls_back()
        enter(one, "more", synthetic=lambda row, ledger, memo, p, rng: [])
        asked = plugins.own_functions(*StreamClassifier("more")._setup().core["own"])
        assert isinstance(asked["weigh"], int)
        assert callable(asked["synthetic"])

    def test_is_left_to_python_where_numba_cannot(self):
        table = {0: "1.0", 1: "2.0"}

        def by_text(row, ledger, memo, p, rng):
            return float(table[row.positive].strip())

        clf = enter(by_text)
        assert calls_back()
        bits.assert_same_numbers(
            clf.fit(X, Y).coef_, enter(lambda row, ledger, memo, p, rng: 1.0 + row.positive, "sum").fit(X, Y).coef_
        )

    def test_takes_a_function_that_numba_has_compiled_already(self):
        import numba

        clf = enter(numba.njit(rarity), ceiling=9.0)
        assert not calls_back()
        bits.assert_same_numbers(clf.fit(X, Y).coef_, enter(rarity, "plain", ceiling=9.0).fit(X, Y).coef_)

    def test_without_numba_is_called_back(self, monkeypatch):
        monkeypatch.setattr(compiled, "_numba", lambda: None)
        monkeypatch.setattr(compiled, "_KEPT", {})
        clf = enter(rarity, ceiling=9.0)
        assert calls_back()
        assert clf.fit(X, Y).n_seen_ == len(X)
