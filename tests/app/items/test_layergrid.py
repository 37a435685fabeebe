from tensorloupe.items.layergrid import Grid


def test_roles_come_from_names_of_any_format():
    grid = Grid([*(f"model.layers.{layer}.mlp.up_proj.weight" for layer in (0, 10, 2)), "lm_head.weight"])
    assert grid.rows == ("model.layers.0", "model.layers.2", "model.layers.10", "lm_head")
    assert grid.columns == ("mlp.up_proj",)
    assert grid.cells[:, 0].tolist() == [0, 2, 1, 3]
    assert Grid(()).cells.shape == (0, 0)
