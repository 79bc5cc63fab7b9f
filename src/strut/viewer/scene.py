"""Viser as a 3-D scene in the browser: named objects in world; live on a port, or recorded as a page.

Conventions: metres, z up, quaternions wxyz, colours from 0 to 1. What viser prints is suppressed.
"""

from __future__ import annotations

import contextlib
import http
import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import viser
import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from strut.arrays import Array
from strut.errors import CannotListenError
from strut.plumbing.address import listening_socket
from strut.plumbing.page_access import PageAccess

RgbColor = tuple[float, float, float]
SKY = (204, 214, 226)  # contrasts with white robots
# Viser reads its first view from the address, which a page in a frame does not have: this script gives it one.
_NARROW = (
    "if (innerWidth < innerHeight) window.URLSearchParams = class extends URLSearchParams "
    "{ constructor(text) { super(text || 'QUERY'); } };"
)


class Scene:
    """A scene in the browser. Every object has a name; `place` moves it.

    Attributes:
        objects: The handles of viser by name.
        access: Which requests are answered.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        title: str = "strut",
        panel: bool = True,
        access: PageAccess | None = None,
    ) -> None:
        """Open a scene on a port (0 takes any free one), with or without a panel. Raises CannotListenError.

        Requests must have the token of `access`, or one of the scene's own if None.
        """
        self.access = access or PageAccess(host)
        listening_socket(host, port).close()  # viser itself would take another port without an error
        with _silent(), _checked_requests(self.access):
            self._server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
        self._host = host
        self.objects: dict[str, Any] = {}
        self._narrow_eye: Array | None = None
        used = self.port
        if port not in (0, used):  # another program took the port in between
            self.close()
            raise CannotListenError(host, port, "address already in use")
        self._add_lights()
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        if panel:
            self._server.gui.main_panel.dock_right()
        else:
            self._server.gui.main_panel.minimize()

    def _add_lights(self) -> None:
        """Light the scene so that colours are as given; the default lamps bleach them."""
        world = self._server.scene
        world.configure_environment_map(None)
        world.set_background_image(np.tile(np.array(SKY, dtype=np.uint8), (2, 2, 1)), format="png")
        world.configure_default_lights(enabled=False)
        world.add_light_ambient("/lights/sky", intensity=1.5)
        world.add_light_directional("/lights/lamp", intensity=2.2, position=(2.0, -1.5, 5.0), cast_shadow=True)

    @property
    def port(self) -> int:
        """Its port."""
        return int(self._server.get_port())

    @property
    def url(self) -> str:
        """Its address in a browser, with the token."""
        return self.access.url(self._host, self.port)

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
        """Set the first view: position and target of the camera (3,), and the vertical angle of view.

        In a recording whose window is higher than wide, the camera is at `narrow_eye_in_world`.
        """
        camera = self._server.initial_camera
        camera.position = eye_in_world
        camera.look_at = target_in_world
        camera.fov = view_rad
        self._narrow_eye = narrow_eye_in_world

    def add_ground(self, *, middle_in_world: Array, size_m: float, cell_m: float) -> None:
        """Add a square of floor with a grid that receives shadows. `middle_in_world` has shape (2,)."""
        self.objects["/ground"] = self._server.scene.add_grid(
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
        """Add an invisible frame; objects whose names continue its name with a slash move with it."""
        self.objects[name] = self._server.scene.add_frame(name, show_axes=False)

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
        self.objects[name] = self._server.scene.add_mesh_simple(
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
        """Add text that faces the camera, anchored at the middle of its lower edge."""
        self.objects[name] = self._server.scene.add_label(
            name, text, font_size_mode="scene", font_scene_height=height_m, anchor="bottom-center"
        )

    def place(self, name: str, position_m: Array, wxyz: Array | None = None) -> None:
        """Move an object in its parent frame. Shapes (3,) and (4,)."""
        moved = self.objects[name]
        moved.position = position_m
        if wxyz is not None:
            moved.wxyz = wxyz

    def reshape(self, name: str, vertices: Array) -> None:
        """Move the vertices of a mesh. Shape (n, 3), n as before."""
        self.objects[name].vertices = np.asarray(vertices, dtype=np.float32)

    def show(self, name: str, visible: bool) -> None:
        """Show or hide an object."""
        self.objects[name].visible = visible

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
        """Add a slider; `on_change` is called when a user moves it, the returned function moves it."""
        slider = self._server.gui.add_slider(text, min=low, max=high, step=step, initial_value=value)
        slider.on_update(lambda event: on_change(float(slider.value)) if event.client is not None else None)

        def move(new_value: float) -> None:
            slider.value = new_value  # type: ignore[misc]  # viser declares it for reading only

        return move

    def add_text(self, markdown: str) -> None:
        """Add text to the panel."""
        self._server.gui.add_markdown(markdown)

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Send all changes of the block at once."""
        with self._server.atomic():
            yield

    def record(self, frames: Callable[[], Iterator[float]]) -> str:
        """Return a page that plays the scene in a loop and loads nothing from a host.

        Args:
            frames: Changes the scene and yields the seconds until the next change.
        """
        recorder = self._server.get_scene_serializer()
        with self.at_once():  # waking the server for every change takes longer than recording
            for pause_s in frames():
                recorder.insert_sleep(pause_s)
        page = str(recorder.as_html())
        if self._narrow_eye is None:
            return page
        query = f"initialCameraPosition={','.join(f'{value:.4f}' for value in self._narrow_eye)}"
        return page.replace("<head>", f"<head><script>{_NARROW.replace('QUERY', query)}</script>", 1)


_starting = threading.Lock()


@contextlib.contextmanager
def _checked_requests(access: PageAccess) -> Iterator[None]:
    """Let the server of viser that starts in this block check every request, websockets too.

    Viser has no option for it; it starts its server by `websockets.asyncio.server.serve`, which has one. Raises
    RuntimeError if viser did not start its server that way, so that a scene is never open to other sites.
    """
    original = websockets.asyncio.server.serve
    is_checked = False

    def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        nonlocal is_checked
        is_checked = True

        def check(connection: ServerConnection, request: Request) -> Response | None:
            path = access.own_path(request.path)
            hosts = request.headers.get_all("Host")
            origins = request.headers.get_all("Origin")
            origin = ", ".join(origins) if origins else None
            reason = access.refusal(request.path, host=", ".join(hosts), origin=origin)
            if reason is not None or path is None:
                return _forbidden(reason or "")
            answer: Response | None = process_request(connection, Request(path, request.headers))
            if answer is not None:
                answer.headers["Referrer-Policy"] = "no-referrer"  # the address holds the token
            return answer

        return original(*arguments, process_request=check, **options)

    with _starting:
        websockets.asyncio.server.serve = serve  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = original  # type: ignore[misc]
    if not is_checked:
        raise RuntimeError("This version of viser starts its server in another way, so requests cannot be checked.")


def _forbidden(reason: str) -> Response:
    """Return the answer to a request that is refused."""
    content = f"{reason}\n".encode()
    headers = Headers({"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(content))})
    headers["Connection"] = "close"
    return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", headers, content)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Suppress what viser prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
