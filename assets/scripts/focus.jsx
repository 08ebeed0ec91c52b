// A list whose items are removed one by one. The clicked button disappears with its item, and the browser would move the
// focus to the top of the page. The focus moves to the button that takes its place, or to the heading.

import { useEffect, useRef } from "react";

const findHeading = (list) => {
  const heading = list.closest("dialog, main").querySelector("h1, h2");
  heading.tabIndex = -1;
  return heading;
};

export function KeepFocus({ buttons, children }) {
  const list = useRef(null);
  const pressed = useRef(null);
  const listButtons = () => [...list.current.querySelectorAll(buttons)];

  const remember = (event) => {
    const button = event.target.closest(buttons);
    pressed.current = button && { button, index: listButtons().indexOf(button), isByPointer: event.detail > 0 };
  };

  useEffect(() => {
    const watcher = new MutationObserver(() => {
      if (!pressed.current || pressed.current.button.isConnected) return;
      const { index, isByPointer } = pressed.current;
      pressed.current = null;
      if (document.activeElement !== document.body) return; // the shopper has moved on
      const remaining = listButtons();
      (remaining[index] ?? remaining.at(-1) ?? findHeading(list.current)).focus({ preventScroll: isByPointer });
    });
    watcher.observe(list.current, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, []);

  return <div ref={list} className="contents" onClickCapture={remember}>{children}</div>;
}
