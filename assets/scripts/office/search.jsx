// The office's search: suggestions of screens, orders and products. Enter opens the first one if none is picked; it waits
// for the answer to the typed text, because the displayed suggestions may belong to an earlier text.

import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { Combobox } from "../combobox.jsx";

export function OfficeSearch({ label, children, ...box }) {
  const { key } = useLocation();
  const form = useRef(null);
  const [submitted, setSubmitted] = useState(null); // the text whose first suggestion will be opened

  useEffect(() => {
    if (submitted === null || submitted !== box.answered) return;
    setSubmitted(null);
    form.current.querySelector('[role="option"]')?.click();
  }, [submitted, box.answered]);

  const handleSubmit = (event) => {
    event.preventDefault();
    setSubmitted(form.current.elements.text.value.trim());
  };

  return (
    <form ref={form} className="office-search" role="search" aria-label={label} onSubmit={handleSubmit} onInput={() => setSubmitted(null)}>
      <Combobox {...box} closeKey={key}>{children}</Combobox>
    </form>
  );
}
