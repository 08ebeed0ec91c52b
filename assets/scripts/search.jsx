// The header's search: a plain GET form, which goes on without loading a document once this script runs.

import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { Combobox } from "./combobox.jsx";

export const useAsked = () => new URLSearchParams(useLocation().search).get("q") ?? "";

export function Search({ children, ...box }) {
  const navigate = useNavigate();
  const asked = useAsked();
  const { key } = useLocation();
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

  return (
    <form ref={form} className="search" action="/catalog" method="get" role="search" onSubmit={submitted}>
      <Combobox {...box} from={2} closes={key} isClearing>{children}</Combobox>
    </form>
  );
}
