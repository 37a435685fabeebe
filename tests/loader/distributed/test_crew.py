"""What a crew makes of work, whoever does it: here a crew of one in this process, that takes the last piece first."""

from __future__ import annotations

import operator
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import zoo
from support.build import safetensors
from support.hands import Hands
from support.shared import ROOT

import weightmap
from weightmap.cli.judging import verdicts_of
from weightmap.cli.progress import ProgressLine
from weightmap.distributed import NoWorkersError, jobs

SAMPLE = ROOT / "app" / "tensorloupe" / "sample"
GGUF, SAFETENSORS = SAMPLE / "minilm-sample.gguf", SAMPLE / "minilm-sample.safetensors"


def test_every_piece_is_done_once_and_told_by_its_index() -> None:
    seen: list[tuple[int, int]] = []
    pieces = [(number, 1) for number in range(20)]
    done = dict(Hands().run(operator.add, pieces, lambda done, total: seen.append((done, total))))
    assert done == {number: number + 1 for number in range(20)}
    assert seen[0] == (1, 20) and seen[-1] == (20, 20)


def test_who_stops_listening_ends_the_work() -> None:
    hands = Hands(slots=2)
    results = hands.run(operator.neg, [(number,) for number in range(50)])
    next(results)
    results.close()
    assert hands.count == 16  # eight pieces for each of two
    assert len(hands.cancelled) == 15


def test_a_cancelled_pass_takes_work_back() -> None:
    hands = Hands()
    with pytest.raises(weightmap.Cancelled):
        list(hands.run(operator.neg, [(1,), (2,), (3,)], lambda done, total: done < 2))
    assert len(hands.cancelled) == 1


def test_what_a_job_raises_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        list(Hands().run(operator.truediv, [(1, 0)]))


def test_without_workers_nobody_waits_for_ever() -> None:
    class Nobody(Hands):
        patience = 0.0

        def finished(self, tickets: object, seconds: float) -> list[int]:
            return []

    with pytest.raises(NoWorkersError, match="no worker for 0 seconds"):
        list(Nobody(slots=0).run(operator.neg, [(1,)]))


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Hands().check()
    monkeypatch.setattr(Hands, "result", lambda self, ticket: "0.0.0")
    with pytest.raises(NoWorkersError, match=r"workers have weightmap 0\.0\.0"):
        Hands().check()


def test_verdicts_are_those_of_a_validation_here(tmp_path: Path) -> None:
    zoo.build(tmp_path)
    paths = [*map(str, weightmap.find_models(tmp_path)), str(tmp_path / "none")]
    found = {verdict.path: verdict for verdict in Hands().validate(paths, values=True)}
    assert found == {path: weightmap.validate(path, values=True) for path in paths}
    assert {verdict.status for verdict in found.values()} == {"ok", "info", "warning", "error"}


def test_the_command_gives_the_same_list_in_the_same_order(tmp_path: Path) -> None:
    zoo.build(tmp_path)
    split = [str(path) for path in sorted((tmp_path / "split").iterdir())]
    # parts of a split, a folder that is given twice, one that is not there
    paths = [*split[1:], str(tmp_path), str(tmp_path / "odd"), *split[:1], str(tmp_path / "none")]
    with ProgressLine("") as line:
        here = list(verdicts_of(paths, True, line))
        there = list(verdicts_of(paths, True, line, Hands()))
    assert there == here
    assert len(here) == 8 + 5 + 3


def test_relative_paths_are_told_as_given_by_workers_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zoo.build(tmp_path)
    monkeypatch.chdir(tmp_path)
    paths = [*weightmap.find_models("odd"), "gone", "./split", "odd/../healthy/0000.safetensors"]
    here = [weightmap.validate(path, values=True) for path in paths]

    class Elsewhere(Hands):
        def result(self, ticket: int) -> object:
            with monkeypatch.context() as inside:
                inside.chdir("/")
                return super().result(ticket)

    there = {verdict.path: verdict for verdict in Elsewhere().validate(paths, values=True)}
    assert [there[path] for path in paths] == here


def test_a_model_on_which_workers_die_is_an_error_of_that_model() -> None:
    hands = Hands(deadly=lambda arguments: str(arguments[0]).count("safetensors") > 0)
    found = {verdict.path: verdict for verdict in hands.validate([GGUF, SAFETENSORS])}
    assert found[str(GGUF)].status == "ok"
    (lost,) = found[str(SAFETENSORS)].findings
    assert (lost.code, lost.severity, lost.path) == ("worker_lost", "error", str(SAFETENSORS))


def test_a_worker_that_sees_another_file_does_not_speak_for_it(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    shutil.copy(GGUF, path)

    class Late(Hands):
        def submit(self, job: object, arguments: object) -> int:
            ticket = super().submit(job, arguments)  # type: ignore[arg-type]
            path.unlink()
            return ticket

    (verdict,) = Late().validate([path])
    assert [finding.code for finding in verdict.findings] == ["worker_elsewhere"]
    assert "sees no such file" in verdict.findings[0].message


def test_statistics_are_those_of_the_tensors(tmp_path: Path) -> None:
    found = dict(Hands().statistics(GGUF, 32))
    with weightmap.open(GGUF) as model:
        assert found.keys() == model.tensors.keys()
        for name, tensor in model.tensors.items():
            ours, theirs = tensor.statistics(32), found[name]
            assert (theirs.mean, theirs.std, theirs.zeros) == (ours.mean, ours.std, ours.zeros)
            np.testing.assert_array_equal(theirs.histogram.counts, ours.histogram.counts)


def test_tensors_that_cannot_be_read_are_errors_in_their_place(tmp_path: Path) -> None:
    zoo.build(tmp_path, healthy=1)
    ((name, problem),) = Hands().map(jobs.statistics, tmp_path / "odd" / "short.gguf", 16)
    assert name == "w"
    assert isinstance(problem, weightmap.TruncatedFileError)
    lost = dict(Hands(deadly=lambda arguments: arguments[1] == "w").map(len, tmp_path / "healthy"))
    assert lost["w"].code == "worker_lost"
    assert lost["w"].tensor == "w"


def test_names_are_those_of_load_weights() -> None:
    for names, found in (
        ("blk.0.attn_q.bias", ["blk.0.attn_q.bias"]),
        ("blk.0.attn_q.*", ["blk.0.attn_q.weight", "blk.0.attn_q.bias"]),
        (["blk.0.attn_q.*", "blk.0.attn_q.bias"], ["blk.0.attn_q.weight", "blk.0.attn_q.bias"]),
        ([], []),
    ):
        assert sorted(dict(Hands().map(len, GGUF, names=names))) == sorted(found)
    with pytest.raises(KeyError, match=r"is 'blk.0.attn_q.bias' meant"):
        list(Hands().map(len, GGUF, names=["blk.0.attn_q.bais"]))
    with pytest.raises(TypeError, match="must be given as str"):
        list(Hands().map(len, GGUF, names=[b"blk.0.attn_q.bias"]))


def test_what_no_worker_could_do_is_not_given_out() -> None:
    hands = Hands()
    with pytest.raises(TypeError, match="map takes a function of a tensor; got 'len'"):
        next(hands.map("len", GGUF))
    with pytest.raises(ValueError, match="bins must be from 1 to"):
        next(hands.statistics(GGUF, 0))
    assert hands.count == 0


@pytest.mark.parametrize("path", [str(GGUF), GGUF, bytes(GGUF), [GGUF]])
def test_one_path_is_one_model(path: object) -> None:
    [verdict] = Hands().validate(path)
    assert (verdict.path, str(verdict.status)) == (str(GGUF), "ok")


def test_a_folder_with_the_original_beside_the_quantized_model_will_do() -> None:
    assert Hands().compare(GGUF, SAMPLE) == Hands().compare(GGUF, SAFETENSORS)


def test_a_model_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors([("w", "F32", (4,), bytes(16))]))
    model = weightmap.distributed.handle(path)
    assert model.tensor("w").array().tolist() == [0.0] * 4
    path.write_bytes(safetensors([("w", "F32", (4,), bytes([2] * 16))]))
    os.utime(path, ns=(1, 1))
    with pytest.raises(weightmap.FileChangedError, match="another one under this path"):
        model.tensor("w")
    again = tmp_path / "again"
    again.write_bytes(path.read_bytes())
    os.utime(again, ns=(1, 1))
    here = weightmap.distributed.handle(path)
    assert here.tensor("w")[0] > 0
    again.replace(path)  # another file with the same content is as good
    assert here.tensor("w")[0] > 0


def test_comparisons_are_those_made_here() -> None:
    steps: list[tuple[int, int]] = []
    found = Hands().compare(GGUF, SAFETENSORS, progress=lambda done, total: steps.append((done, total)))
    assert found == weightmap.compare(GGUF, SAFETENSORS)
    assert steps[-1] == (len(found.pairs), len(found.pairs))
    deadly = Hands(deadly=lambda arguments: len(arguments) == 5)
    with pytest.raises(weightmap.WeightFileError) as caught:
        deadly.compare(GGUF, SAFETENSORS)
    assert caught.value.code == "worker_lost"
