// After going to another page without loading a document, the focus starts at the new page's content, as it would have.

import { useEffect } from "react";
import { useLocation, useNavigationType } from "react-router";

export function Arrival({ target }) {
  const type = useNavigationType();
  const { pathname } = useLocation();
  useEffect(() => {
    if (type !== "POP") document.getElementById(target)?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
