// What lies over the page: menu, cart, filters, a large picture. A native modal <dialog>, so the browser keeps focus inside
// it, closes it on Escape and gives the focus back. Anything with data-opens="<name>" opens it (a link still leads on where
// this script does not run, and with a modifier key); anything inside with data-closes closes it, and so does going to
// another page. There is nothing in it while it is closed.

import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { after, listen } from "./effects.jsx";

const LEAVING_MS = 320;

export function Dialog({ name, children, ...rest }) {
  const dialog = useRef(null);
  const { key } = useLocation();
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
    return listen(document, "click", clicked, true); // before the router follows the link
  }, [name]);

  useEffect(() => {
    if (isOpen) return dialog.current.showModal();
    dialog.current.close();
    return after(LEAVING_MS, () => setFilled(false));
  }, [isOpen]);

  useEffect(() => setOpen(false), [key]);

  const clicked = ({ target }) => {
    if (target === dialog.current || target.closest("[data-closes]")) setOpen(false);
  };
  return <dialog {...rest} ref={dialog} onClose={() => setOpen(false)} onClick={clicked}>{isFilled && children}</dialog>;
}
