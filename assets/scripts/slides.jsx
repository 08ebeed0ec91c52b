// Slides that lie side by side in a track, which scrolls and snaps by itself, so swiping needs no script. This knows which
// slide is in view and leads to others; with `every` (ms) it goes on by itself, but rests while someone points at it, is inside
// it with the keyboard, looks at another tab, or prefers less motion.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { after, listen, useHeld, watch } from "./effects.jsx";

const Context = createContext({});
export const useSlides = () => useContext(Context);

const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Slides({ count, every = 0, children }) {
  const track = useRef(null);
  const [current, setCurrent] = useState(0);
  const [isWanted, setWanted] = useState(false);
  const [isHeld, resting] = useHeld();
  const [isSeen, setSeen] = useState(true);
  const isPlaying = isWanted && !isHeld && isSeen && count > 1;

  useEffect(() => setWanted(every > 0 && !calm()), []);
  useEffect(() => listen(document, "visibilitychange", () => setSeen(!document.hidden)), []);

  const show = (place) => {
    const slide = track.current?.children[place];
    if (slide) track.current.scrollTo({ left: slide.offsetLeft, behavior: calm() ? "instant" : "smooth" });
  };

  useEffect(() => {
    if (isPlaying) return after(every, () => show((current + 1) % count));
  }, [isPlaying, current, count]);

  // the slide that is mostly in view is the current one; where they go on by themselves, keyboard and screen reader reach
  // no other
  useEffect(() => {
    const root = track.current; // the page may be left before what was seen is told
    const seen = ({ target, isIntersecting }) => {
      target.inert = every > 0 && !isIntersecting;
      if (isIntersecting) setCurrent([...root.children].indexOf(target));
    };
    return watch(root.children, seen, { root, threshold: 0.6 });
  }, [count]);

  const value = {
    current,
    is_playing: isPlaying,
    is_wanted: isWanted,
    track: { ref: track },
    mark: (place) => ({ "aria-current": place === current || undefined, onClick: () => show(place) }),
    pause: { onClick: () => setWanted(!isWanted) },
    resting,
  };
  return <Context value={value}>{children}</Context>;
}
