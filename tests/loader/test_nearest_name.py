"""The name that is meant by a misspelt one, among very many."""

from __future__ import annotations

import difflib

import weightmap


def test_of_many_names_few_are_compared_letter_by_letter(monkeypatch):
    compared = []
    real = difflib.get_close_matches
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda name, of, n: compared.append(len(of)) or real(name, of, n=n)
    )
    names = [f"model.layers.{n // 300}.mlp.experts.{n % 300}.down_proj.weight" for n in range(18_000)]
    asked = "model.layers.41.mlp.experts.7.down_prj.weight"
    assert weightmap.nearest_name(asked, [*names, "lm_head.weight"]) == asked.replace("prj", "proj")
    assert weightmap.nearest_name("lmhead.weight", [*names, "lm_head.weight"]) == "lm_head.weight"
    assert weightmap.nearest_name("LM_HEAD.weight", [*names, "lm_head.weight"]) == "lm_head.weight"
    assert compared == [200, 200]
