"""The picture of one pair as a file: the histogram of its errors, or the heatmap that is in front, in light colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import weightmap
from tensorloupe.style.text import shape
from tensorloupe.views.compare.pictures import Pictures
from tensorloupe.views.compare.spread import arranged
from tensorloupe.views.drawing import look_to_save


def writer(pictures: Pictures) -> Callable[[str], None] | None:
    """The work that writes the picture in front to a path; None where there is none. To be called on the plot thread."""
    pair, found = pictures.pair, pictures.spread.spread
    if pair is None:
        return None
    title = weightmap.printable(pair.tensor)
    words = f"{pair.type} against {pair.reference_type} · {shape(pair.shape)}"
    if pictures.map_is_meant:
        face = pictures.heats.error
        frame, size = face.picture.frame, face.picture.size()
        if frame is None or not face.has_picture:
            return None
        frame = replace(frame, title=(title, f"{words} · errors · {pictures.pixel_words}"))

        def write_map(path: str) -> None:
            from tensorloupe.views.heat.saving import save

            save(frame, size, path)

        return write_map
    if found is None:
        return None
    look = look_to_save(pictures)
    scene, _ = arranged(found, look)
    names = found.names
    legend = f"bars: {names[0]}, line: {names[1]}" if found.second is not None else ""

    def write_spread(path: str) -> None:
        from tensorloupe.plots.histogram import save

        save(scene, None, title, " · ".join(word for word in (words, legend) if word), look, path)

    return write_spread
