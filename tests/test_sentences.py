"""Titles and sentences of chapters, against the frames behind them: each number is computed once
more, by plain pandas.
"""

import chapters
import pytest
import synthetic

from kvreport.base.text import number


@pytest.mark.end_to_end
def test_what_is_said_of_settings_as_shipped_is_what_the_table_has(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=["12-fairness"])
    chapter = chapters.execute("12-fairness", tmp_path, monkeypatch)
    table = chapter.tables[0].frame
    measured = table[table["ratio, times"] != "–"]
    slower = measured[measured["verdict"] == "slower as shipped"]
    ratios = slower["ratio, times"].astype(float)
    most = slower[ratios == ratios.max()]  # as printed; more than one may print the same
    counts = (
        f"As shipped, stores take measurably longer in {len(slower)} of {len(measured)} comparisons"
        f" and less time in {(measured['verdict'] == 'faster as shipped').sum()}; most in "
    )
    titles = {
        f"{counts}{row['store']} at {row['workload']} (× {row['ratio, times']})"
        for _, row in most.iterrows()
    }
    title = chapter.figures["fairness"].title
    assert title in titles and chapter.sentences[0].data.startswith(title + ".")


@pytest.mark.end_to_end
def test_a_single_trial_that_is_further_apart_is_not_passed_over(tmp_path, monkeypatch):
    synthetic.write_run(tmp_path, sections=["12-fairness"])
    for trial in (2, 3):
        (tmp_path / "2026-01-02-lab/12-fairness" / f"MapDb-{trial}.json").unlink()

    def slow(case, _):
        for result in case["results"] if case["settings"] else ():
            result["iteration_ns"] = [33 * ns for ns in result["iteration_ns"]]

    synthetic.edit(tmp_path, "MapDb", slow, "12-fairness")
    chapter = chapters.execute("12-fairness", tmp_path, monkeypatch)
    title = chapter.figures["fairness"].title
    assert "; most in RocksDB at " in title
    assert "; further apart in single trials, which show none: MapDB at " in title
    assert title.endswith(" (× 33.0)")


@pytest.mark.parametrize(
    ("value", "written"),
    [(1234.4, "1,234"), (99.96, "100"), (12.34, "12.3"), (0.456, "0.46"), (-16.34, "-16.3")],
)
def test_numbers_have_three_digits_whatever_their_sign(value, written):
    assert number(value) == written
