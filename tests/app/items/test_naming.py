from tensorloupe.items.naming import groups_of, natural_key, natural_order, top_order


def test_numbers_count_as_numbers_and_case_only_in_a_tie():
    names = ["blk.10.a", "blk.2.a", "Blk.2.a", "blk.2.B", "blk.02.a", "alpha"]
    assert sorted(names, key=natural_key) == ["alpha", "blk.02.a", "Blk.2.a", "blk.2.a", "blk.2.B", "blk.10.a"]


def test_numbers_of_thousands_of_digits_are_as_good_as_others():
    names = ["a." + "9" * 5_000, "a.0", "a.00", "a." + "1" * 5_000, "a.7"]
    assert sorted(names, key=natural_key) == ["a.0", "a.00", "a.7", "a." + "1" * 5_000, "a." + "9" * 5_000]


def test_the_natural_order_of_many_names_is_that_of_their_keys():
    names = [f"blk.{number * 7919 % 5000}.{role}" for number in range(5000) for role in ("b", "a", "a")]
    assert natural_order(names) == sorted(range(len(names)), key=lambda place: natural_key(names[place]))
    assert natural_order([]) == []


def test_a_layer_is_what_ends_in_the_first_number():
    names = ["blk.3.attn_q.weight", "encoder.layer.11.w", "model.layers.0.experts.4.w1", "token_embd.weight", "7"]
    assert groups_of(names) == ["blk.3", "encoder.layer.11", "model.layers.0", None, None]


def test_names_that_differ_in_the_last_part_only_make_a_group():
    assert groups_of(["output_norm.weight", "output_norm.bias", "output.weight", "plain"]) == [
        "output_norm",
        "output_norm",
        None,
        None,
    ]


def test_layers_stand_together_in_natural_order_where_the_first_of_them_stands():
    names = ["embd", "blk.10.w", "blk.9.w", "norm", "blk.2.w", "head"]
    assert top_order(names, groups_of(names)) == ["embd", "blk.2", "blk.9", "blk.10", "norm", "head"]
