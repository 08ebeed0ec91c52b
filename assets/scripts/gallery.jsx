// Zoom and video of a product's pictures. The markup is in `storefront/components/gallery.py`.

import { useEffect, useLayoutEffect, useRef, useState } from "react";

// Return the event's position in its element, from 0 to 1 in both directions.
const getRelativePoint = ({ currentTarget, clientX, clientY }) => {
  const box = currentTarget.getBoundingClientRect();
  return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
};

// A magnifier under the mouse. `position` is the CSS position that it shows: empty without a mouse, or after `shown` has
// changed.
export function useMagnifier(shown) {
  const [position, setPosition] = useState("");
  useEffect(() => setPosition(""), [shown]);

  const handlePointerMove = (event) => {
    const { x, y } = getRelativePoint(event);
    if (event.pointerType === "mouse") setPosition(`${x * 100}% ${y * 100}%`);
  };
  return { position, stage: { onPointerMove: handlePointerMove, onPointerLeave: () => setPosition("") } };
}

// The video. Its poster is the first picture, in the size that the browser has already loaded. It pauses when another
// slide is in view.
export function useVideo(isShown) {
  const video = useRef(null);
  const [poster, setPoster] = useState();
  const [isPlayed, setPlayed] = useState(false);

  useEffect(() => {
    const first = video.current.parentElement.parentElement.querySelector("img");
    first?.decode().then(() => setPoster(first.currentSrc), () => {}); // no poster if the picture does not load
  }, []);
  useEffect(() => {
    if (!isShown) video.current.pause();
  }, [isShown]);
  return { ref: video, poster, onPlay: () => setPlayed(true), "data-played": isPlayed || undefined };
}

const CENTER = { x: 0.5, y: 0.5 };

// The picture of the large view. A click zooms in around the clicked point, the next click zooms out.
export function useZoom() {
  const pane = useRef(null);
  const point = useRef(CENTER);
  const [isZoomed, setZoomed] = useState(false);

  useLayoutEffect(() => {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = pane.current;
    pane.current.scrollTo(point.current.x * scrollWidth - clientWidth / 2, point.current.y * scrollHeight - clientHeight / 2);
  }, [isZoomed]);

  const handleClick = (event) => {
    point.current = event.detail > 0 ? getRelativePoint(event) : CENTER; // a key press has no position
    setZoomed(!isZoomed);
  };
  return { is_zoomed: isZoomed, pane: { ref: pane }, picture: { onClick: handleClick } };
}
