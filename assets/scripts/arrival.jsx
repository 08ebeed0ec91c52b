// Once a page is hydrated, its early clicks are repeated (see head_scripts/early_press.py). After a navigation without a
// document load, the focus starts at the new page's content, as it would after a load.

import { useEffect, useLayoutEffect } from "react";
import { useLocation, useNavigationType } from "react-router";

export function Arrival({ target }) {
  const type = useNavigationType();
  const { pathname } = useLocation();
  // The page has rendered the real content by now. Nothing may find both, so the plain content goes before the next frame.
  useLayoutEffect(() => {
    for (const part of document.querySelectorAll("[data-stand-in]")) part.remove();
  }, []);
  useEffect(() => window.pageIsHydrated?.(), []);
  useEffect(() => {
    if (type !== "POP") document.getElementById(target)?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
