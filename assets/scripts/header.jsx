// The header of a phone hides while the shopper scrolls down and comes back on the way up. The styles are in
// `assets/styles/frame.css`: `data-scrolled` of the document is "down" or "up".

import { useEffect } from "react";
import { listen } from "./effects.jsx";

const MIN_MOVE = 8; // pixels; smaller moves of a finger change nothing

export function HeaderScroll() {
  useEffect(() => {
    const root = document.documentElement;
    let last = window.scrollY;
    const update = () => {
      const end = root.scrollHeight - window.innerHeight;
      const now = Math.max(0, Math.min(window.scrollY, end)); // iOS scrolls past both ends and back
      if (Math.abs(now - last) < MIN_MOVE && now > 0) return;
      root.dataset.scrolled = now > last ? "down" : "up";
      last = now;
    };
    return listen(window, "scroll", update, { passive: true });
  }, []);
  return null;
}
