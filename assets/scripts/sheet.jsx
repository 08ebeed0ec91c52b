// A panel over the page: menu, cart, filters. A native modal <dialog>, so the browser keeps focus inside it, closes it on
// Escape and gives the focus back. Anything with data-opens="<name>" opens it (a link still leads on where this script
// does not run, and with a modifier key); anything inside with data-closes closes it, and so does going to another page.

import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { Icon } from "./icons.jsx";

const LEAVING_MS = 320;

export function Sheet({ name, label, closeLabel, side = "right", children }) {
  const dialog = useRef(null);
  const { key } = useLocation();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [isFilled, setFilled] = useState(false);

  useEffect(() => {
    const clicked = (event) => {
      const opener = event.target.closest?.(`[data-opens="${name}"]`);
      if (!opener || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      opener.focus();
      setFilled(true);
      setOpen(true);
    };
    document.addEventListener("click", clicked, true); // before the router follows the link
    return () => document.removeEventListener("click", clicked, true);
  }, [name]);

  useEffect(() => {
    if (isOpen) {
      if (!dialog.current.open) dialog.current.showModal();
      return;
    }
    dialog.current.close();
    const timer = setTimeout(() => setFilled(false), LEAVING_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);

  useEffect(() => setOpen(false), [key]);

  const clicked = (event) => {
    if (event.target === dialog.current || event.target.closest("[data-closes]")) setOpen(false);
  };

  return (
    <dialog
      ref={dialog}
      className={`sheet sheet--${side}`}
      aria-labelledby={id}
      onClose={() => setOpen(false)}
      onClick={clicked}
    >
      {isFilled && (
        <div className="sheet__body">
          <div className="sheet__head">
            <h2 className="sheet__title" id={id}>{label}</h2>
            <button className="icon-button" type="button" aria-label={closeLabel} data-closes="">
              <Icon name="close" />
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
