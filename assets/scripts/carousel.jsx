// The banner. Its slides lie side by side in a track that scrolls and snaps by itself, so swiping needs no script; this
// adds dots, a pause button and moving on by itself. It rests while someone points at it, is inside it with the keyboard,
// looks at another tab, or prefers less motion. Its controls come before the slides, as a carousel's should
// (w3.org/WAI/ARIA/apg/patterns/carousel), and so do not move when more slides arrive.

import { useEffect, useRef, useState } from "react";
import { Icon } from "./icons.jsx";
import { fill } from "./words.jsx";

const SLIDE_MS = 6500;

const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Carousel({ count, label, texts, children }) {
  const track = useRef(null);
  const [current, setCurrent] = useState(0);
  const [isWanted, setWanted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isSeen, setSeen] = useState(true);
  const isPlaying = isWanted && !isBusy && isSeen && count > 1;

  useEffect(() => setWanted(!calm()), []);

  useEffect(() => {
    const looked = () => setSeen(!document.hidden);
    document.addEventListener("visibilitychange", looked);
    return () => document.removeEventListener("visibilitychange", looked);
  }, []);

  const show = (place) => {
    const slide = track.current.children[place];
    if (slide) track.current.scrollTo({ left: slide.offsetLeft, behavior: calm() ? "instant" : "smooth" });
  };

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => show((current + 1) % count), SLIDE_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, current, count]);

  // the slide that is mostly in view is the current one; the others are out of reach of keyboard and screen reader
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          target.inert = !isIntersecting;
          if (isIntersecting) setCurrent([...track.current.children].indexOf(target));
        }
      },
      { root: track.current, threshold: 0.6 },
    );
    for (const slide of track.current.children) watcher.observe(slide);
    return () => watcher.disconnect();
  }, [count]);

  const left = (event) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setBusy(false);
  };

  return (
    <section
      className="banner"
      data-testid="banner"
      data-playing={isPlaying || undefined}
      aria-roledescription={texts.role}
      aria-label={label}
      onPointerEnter={(event) => event.pointerType === "mouse" && setBusy(true)}
      onPointerLeave={() => setBusy(false)}
      onFocus={(event) => event.target.matches(":focus-visible") && setBusy(true)}
      onBlur={left}
    >
      {count > 1 && (
        <>
          <button
            type="button"
            className="icon-button banner__pause"
            aria-label={isWanted ? texts.pause : texts.play}
            onClick={() => setWanted(!isWanted)}
          >
            <Icon name={isWanted ? "pause" : "play"} size={20} />
          </button>
          <div className="banner__dots">
            {Array.from({ length: count }, (_, place) => (
              <button
                key={place}
                type="button"
                className="banner__dot"
                aria-label={fill(texts.show, { n: place + 1 })}
                aria-current={place === current || undefined}
                onClick={() => show(place)}
              />
            ))}
          </div>
        </>
      )}
      <div ref={track} className="banner__track" aria-live={isPlaying ? "off" : "polite"}>{children}</div>
    </section>
  );
}
