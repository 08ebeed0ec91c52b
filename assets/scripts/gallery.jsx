// How near a product's pictures are looked at. The markup is in `storefront/components/gallery.py`.

import { useEffect, useLayoutEffect, useRef, useState } from "react";

// The part of a box where the event points at, from 0 to 1 each way.
const pointOf = ({ currentTarget, clientX, clientY }) => {
  const box = currentTarget.getBoundingClientRect();
  return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
};

// A magnifier under the mouse: the CSS position that it shows, none while there is no mouse or `shown` has just changed.
export function useMagnifier(shown) {
  const [position, setPosition] = useState("");
  useEffect(() => setPosition(""), [shown]);

  const pointed = (event) => {
    const { x, y } = pointOf(event);
    if (event.pointerType === "mouse") setPosition(`${x * 100}% ${y * 100}%`);
  };
  return { position, stage: { onPointerMove: pointed, onPointerLeave: () => setPosition("") } };
}

// The video: its poster is the first picture, by the file that the browser has of it already, and it pauses when another
// slide is in view.
export function useFilm(isShown) {
  const film = useRef(null);
  const [poster, setPoster] = useState();
  const [isPlayed, setPlayed] = useState(false);

  useEffect(() => {
    const first = film.current.parentElement.parentElement.querySelector("img");
    first?.decode().then(() => setPoster(first.currentSrc), () => {}); // one that does not come is no poster
  }, []);
  useEffect(() => {
    if (!isShown) film.current.pause();
  }, [isShown]);
  return { ref: film, poster, onPlay: () => setPlayed(true), "data-played": isPlayed || undefined };
}

const MIDDLE = { x: 0.5, y: 0.5 };

// The large view's picture: pressed, it comes nearer around the point that was pressed, and goes back.
export function useNearer() {
  const pane = useRef(null);
  const point = useRef(MIDDLE);
  const [isNear, setNear] = useState(false);

  useLayoutEffect(() => {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = pane.current;
    pane.current.scrollTo(point.current.x * scrollWidth - clientWidth / 2, point.current.y * scrollHeight - clientHeight / 2);
  }, [isNear]);

  const pressed = (event) => {
    point.current = event.detail > 0 ? pointOf(event) : MIDDLE; // a key points nowhere
    setNear(!isNear);
  };
  return { is_near: isNear, pane: { ref: pane }, picture: { onClick: pressed } };
}
