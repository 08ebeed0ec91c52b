// Slides next to each other in a track. The track scrolls and snaps without a script, so swiping needs none. This script
// tracks the visible slide and scrolls to others. With `intervalMs` the slides advance automatically, but pause while
// the pointer or keyboard focus is inside, while another tab is visible, or if the user prefers less motion.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { startTimer, listen, useInteraction, observe } from "./effects.jsx";

const Context = createContext({});
export const useSlides = () => useContext(Context);

const findNearestSlide = ({ children, scrollLeft }) => {
  const distances = [...children].map((slide) => Math.abs(slide.offsetLeft - scrollLeft));
  return distances.indexOf(Math.min(...distances));
};

const prefersLessMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// `wanted` is the place of a slide to show whenever it changes; -1 for none.
export function Slides({ count, intervalMs = 0, wanted = -1, children }) {
  const track = useRef(null);
  const [current, setCurrent] = useState(0);
  const [isWanted, setWanted] = useState(false);
  const [isInteracting, interactionProps] = useInteraction();
  const [isPageVisible, setPageVisible] = useState(true);
  const isPlaying = isWanted && !isInteracting && isPageVisible && count > 1;

  useEffect(() => setWanted(intervalMs > 0 && !prefersLessMotion()), []);
  useEffect(() => listen(document, "visibilitychange", () => setPageVisible(!document.hidden)), []);

  const show = (place, isInstant = prefersLessMotion()) => {
    const slide = track.current?.children[place];
    if (slide) track.current.scrollTo({ left: slide.offsetLeft, behavior: isInstant ? "instant" : "smooth" });
  };

  useEffect(() => show(wanted, true), [wanted]);

  useEffect(() => {
    if (isPlaying) return startTimer(intervalMs, () => show((current + 1) % count));
  }, [isPlaying, current, count]);

  // The slide at the start of the track is the current one: when the window grows or turns, several slides come into
  // view together. If the slides advance automatically, keyboard and screen reader reach only those mostly in view.
  useEffect(() => {
    const root = track.current; // the page may be closed before the observer reports
    const handleVisibility = ({ target, isIntersecting }) => {
      target.inert = intervalMs > 0 && !isIntersecting;
      if (isIntersecting) setCurrent(findNearestSlide(root));
    };
    return observe(root.children, handleVisibility, { root, threshold: 0.6 });
  }, [count]);

  const value = {
    current,
    is_playing: isPlaying,
    is_wanted: isWanted,
    track: { ref: track },
    mark: (place) => ({ "aria-current": place === current || undefined, onClick: () => show(place) }),
    pause: { onClick: () => setWanted(!isWanted) },
    interaction_props: interactionProps,
  };
  return <Context value={value}>{children}</Context>;
}
