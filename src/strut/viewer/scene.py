"""Viser as a 3-D scene in the browser: things with names, placed in world; live on a port, or recorded as a page.

Conventions: metres, z up, quaternions wxyz, colours from 0 to 1. Viser prints when it starts and stops; we do not.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import viser

from strut.arrays import Array
from strut.errors import CannotListenError
from strut.plumbing.address import listening_socket

RgbColor = tuple[float, float, float]
SKY = (204, 214, 226)  # a tone on which white robots stand out
# Viser reads its first view from the address, which a page inside a page does not have: it is read from here instead.
_NARROW = (
    "if (innerWidth < innerHeight) window.URLSearchParams = class extends URLSearchParams "
    "{ constructor(text) { super(text || 'QUERY'); } };"
)


class Scene:
    """A scene in the browser. Every thing has a name; `place` moves it."""

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0, title: str = "strut", panel: bool = True) -> None:
        """Open a scene on a port; 0 takes any free one; with or without a panel. Raises CannotListenError."""
        listening_socket(host, port).close()  # viser itself would quietly take another port
        with _silent():
            self._server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
        self._host = host
        self._things: dict[str, Any] = {}
        self._narrow_eye: Array | None = None
        taken = self.port
        if port not in (0, taken):  # viser takes the next port when somebody was faster
            self.close()
            raise CannotListenError(host, port, "address already in use")
        self._add_lights()
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        if panel:
            self._server.gui.main_panel.dock_right()
        else:
            self._server.gui.main_panel.minimize()

    def _add_lights(self) -> None:
        """Light the scene so that colours come out as given; viser's own lamps bleach them."""
        world = self._server.scene
        world.configure_environment_map(None)
        world.set_background_image(np.tile(np.array(SKY, dtype=np.uint8), (2, 2, 1)), format="png")
        world.configure_default_lights(enabled=False)
        world.add_light_ambient("/lights/sky", intensity=1.5)
        world.add_light_directional("/lights/lamp", intensity=2.2, position=(2.0, -1.5, 5.0), cast_shadow=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.get_port())

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return f"http://{self._host}:{self.port}"

    def close(self) -> None:
        """Stop listening."""
        with _silent():
            self._server.stop()

    def look(
        self,
        *,
        eye_in_world: Array,
        target_in_world: Array,
        view_rad: float,
        narrow_eye_in_world: Array | None = None,
    ) -> None:
        """Set where new visitors look from and to, and the vertical angle of view. Shape (3,) each.

        Where the window of a recording is higher than wide, `narrow_eye_in_world` is looked from instead.
        """
        camera = self._server.initial_camera
        camera.position = eye_in_world
        camera.look_at = target_in_world
        camera.fov = view_rad
        self._narrow_eye = narrow_eye_in_world

    def add_ground(self, *, middle_in_world: Array, size_m: float, cell_m: float) -> None:
        """Add a square of floor with a grid that receives shadows. `middle_in_world` has shape (2,)."""
        self._things["/ground"] = self._server.scene.add_grid(
            "/ground",
            width=size_m,
            height=size_m,
            cell_size=cell_m,
            cell_color=(0.72, 0.75, 0.79),
            section_size=5.0 * cell_m,
            section_color=(0.62, 0.66, 0.71),
            shadow_opacity=0.22,
            position=(*middle_in_world, 0.0),
        )

    def add_frame(self, name: str) -> None:
        """Add an invisible frame; things named below it, with a slash, move along."""
        self._things[name] = self._server.scene.add_frame(name, show_axes=False)

    def add_mesh(
        self,
        name: str,
        vertices: Array,
        faces: npt.NDArray[np.int64],
        *,
        color: RgbColor,
        opacity: float = 1.0,
        smooth: bool = True,
        shadow: bool = True,
    ) -> None:
        """Add triangles. Shapes (n, 3) and (m, 3)."""
        self._things[name] = self._server.scene.add_mesh_simple(
            name,
            vertices,
            faces,
            color=color,
            opacity=None if opacity >= 1.0 else opacity,
            flat_shading=not smooth,
            side="front" if opacity >= 1.0 else "double",
            cast_shadow=shadow,
            receive_shadow=shadow,
        )

    def add_label(self, name: str, text: str, *, height_m: float) -> None:
        """Add words that face the viewer, anchored at the middle of their lower edge."""
        self._things[name] = self._server.scene.add_label(
            name, text, font_size_mode="scene", font_scene_height=height_m, anchor="bottom-center"
        )

    def place(self, name: str, position_m: Array, wxyz: Array | None = None) -> None:
        """Move a thing, in the frame that its name is below. Shapes (3,) and (4,)."""
        thing = self._things[name]
        thing.position = position_m
        if wxyz is not None:
            thing.wxyz = wxyz

    def reshape(self, name: str, vertices: Array) -> None:
        """Move the vertices of a mesh. Shape (n, 3), n as before."""
        self._things[name].vertices = np.asarray(vertices, dtype=np.float32)

    def show(self, name: str, visible: bool) -> None:
        """Show or hide a thing."""
        self._things[name].visible = visible

    def add_button(self, text: str, on_click: Callable[[], None]) -> Callable[[str], None]:
        """Add a button; returns a function that changes its text."""
        button = self._server.gui.add_button(text)
        button.on_click(lambda _event: on_click())

        def rename(new_text: str) -> None:
            button.label = new_text

        return rename

    def add_slider(
        self, text: str, *, low: float, high: float, step: float, value: float, on_change: Callable[[float], None]
    ) -> Callable[[float], None]:
        """Add a slider; `on_change` hears what people do, the returned function moves it for the program."""
        slider = self._server.gui.add_slider(text, min=low, max=high, step=step, initial_value=value)
        slider.on_update(lambda event: on_change(float(slider.value)) if event.client is not None else None)

        def move(new_value: float) -> None:
            slider.value = new_value  # type: ignore[misc]  # viser declares it for reading only

        return move

    def add_text(self, markdown: str) -> None:
        """Add words to the panel."""
        self._server.gui.add_markdown(markdown)

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Let everything inside the block appear in one go."""
        with self._server.atomic():
            yield

    def record(self, frames: Callable[[], Iterator[float]]) -> str:
        """Return a page that plays the scene for ever and asks no other host for anything.

        Args:
            frames: Changes the scene and yields how many seconds to stay so, again and again.
        """
        recorder = self._server.get_scene_serializer()
        with self.at_once():  # or the server would be woken for every movement, which takes longer than to record it
            for pause_s in frames():
                recorder.insert_sleep(pause_s)
        page = str(recorder.as_html())
        if self._narrow_eye is None:
            return page
        query = f"initialCameraPosition={','.join(f'{value:.4f}' for value in self._narrow_eye)}"
        return page.replace("<head>", f"<head><script>{_NARROW.replace('QUERY', query)}</script>", 1)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what viser prints away from the user."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
