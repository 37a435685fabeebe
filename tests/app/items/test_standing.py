"""How a file stands, in a word: by the worst of its findings, and by whether its values were looked at."""

import weightmap
from tensorloupe.items.standing import standing


def test_how_a_file_stands():
    def found(*severities):
        return [weightmap.Finding(severity=weightmap.Severity(s), code="x", message="") for s in severities]

    assert standing(found()) == ("ok", "no problems", "")
    assert standing(found("info", "info")) == ("ok", "no problems", "2 notes")
    assert standing(found("info"), "running") == ("running", "no problems so far", "1 note")
    assert standing(found("info"), "cancelled") == ("unchecked", "no problems so far", "1 note")
    assert standing(found("warning", "info", "warning"), "running") == ("warning", "2 warnings", "1 note")
    assert standing(found("error", "warning"), "done") == ("error", "1 error", "")
