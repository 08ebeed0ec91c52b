// The header's search: a plain GET form, which goes on without loading a document once this script runs.

import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";

export function useSearch() {
  const navigate = useNavigate();
  const { key, search } = useLocation();
  const asked = new URLSearchParams(search).get("q") ?? "";
  const form = useRef(null);
  const isAwake = useRef(false);

  // a page that answers a search shows it in the field; what was typed before this script ran stays, and is looked for
  useEffect(() => {
    const input = form.current.elements.q;
    if (isAwake.current) input.value = asked;
    else if (document.activeElement === input) input.dispatchEvent(new Event("input", { bubbles: true }));
    isAwake.current = true;
  }, [key]);

  const submitted = (event) => {
    event.preventDefault();
    const input = form.current.elements.q;
    input.blur();
    navigate(input.value.trim() ? `/catalog?q=${encodeURIComponent(input.value.trim())}` : "/catalog");
  };

  return { asked, key, form: { ref: form, onSubmit: submitted } };
}
