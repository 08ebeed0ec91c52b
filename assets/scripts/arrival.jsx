// A page that has arrived: once its scripts run, it does what was pressed before (see head_scripts/early_press.py); and after
// going to another page without loading a document, the focus starts at the new page's content, as it would have.

import { useEffect } from "react";
import { useLocation, useNavigationType } from "react-router";

export function Arrival({ target }) {
  const type = useNavigationType();
  const { pathname } = useLocation();
  useEffect(() => {
    for (const part of document.querySelectorAll("[data-stand-in]")) part.remove(); // the page has its own by now
    window.pageIsHydrated?.();
  }, []);
  useEffect(() => {
    if (type !== "POP") document.getElementById(target)?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
