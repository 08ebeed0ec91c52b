// A panel above the page: menu, cart, filters, a large picture. It is a native modal <dialog>, so the browser traps the
// focus, closes it on Escape and restores the focus. An element with data-opens="<name>" opens it; a link still
// navigates without this script or with a modifier key. An element inside with data-closes closes it, and so does a
// navigation. A closed dialog has no content.

import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { startTimer, listen } from "./effects.jsx";

const CLOSE_ANIMATION_MS = 320;

export function Dialog({ name, children, ...rest }) {
  const dialog = useRef(null);
  const { key } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isFilled, setFilled] = useState(false);

  useEffect(() => {
    const handleOpen = (event) => {
      const opener = event.target.closest?.(`[data-opens="${name}"]`);
      if (!opener || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      opener.focus();
      setFilled(true);
      setOpen(true);
    };
    return listen(document, "click", handleOpen, true); // before the router follows the link
  }, [name]);

  useEffect(() => {
    if (isOpen) return dialog.current.showModal();
    dialog.current.close();
    return startTimer(CLOSE_ANIMATION_MS, () => setFilled(false));
  }, [isOpen]);

  useEffect(() => setOpen(false), [key]);

  // The browser sends the close event later, when the dialog may be open again.
  const handleClose = () => setOpen(dialog.current.open);
  const handleClick = ({ target }) => {
    if (target === dialog.current || target.closest("[data-closes]")) setOpen(false);
  };
  return <dialog {...rest} ref={dialog} onClose={handleClose} onClick={handleClick}>{isFilled && children}</dialog>;
}
