// A list whose things are taken off it one by one. The button that did it goes with its thing, and the browser would
// begin anew at the top of the page: the focus goes to the button that moved up to its place, or to the heading.

import { useEffect, useRef } from "react";

const headingOf = (place) => {
  const heading = place.closest("dialog, main").querySelector("h1, h2");
  heading.tabIndex = -1;
  return heading;
};

export function KeepFocus({ buttons, children }) {
  const place = useRef(null);
  const pressed = useRef(null);
  const all = () => [...place.current.querySelectorAll(buttons)];

  const remember = (event) => {
    const button = event.target.closest(buttons);
    pressed.current = button && { button, index: all().indexOf(button), isByPointer: event.detail > 0 };
  };

  useEffect(() => {
    const watcher = new MutationObserver(() => {
      if (!pressed.current || pressed.current.button.isConnected) return;
      const { index, isByPointer } = pressed.current;
      pressed.current = null;
      if (document.activeElement !== document.body) return; // they have gone on meanwhile
      const left = all();
      (left[index] ?? left.at(-1) ?? headingOf(place.current)).focus({ preventScroll: isByPointer });
    });
    watcher.observe(place.current, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, []);

  return <div ref={place} className="contents" onClickCapture={remember}>{children}</div>;
}
