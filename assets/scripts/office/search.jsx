// The office's search: suggestions of screens, orders and products. Enter opens the first one if none is picked.

import { useRef } from "react";
import { useLocation } from "react-router";
import { Combobox } from "../combobox.jsx";

export function OfficeSearch({ label, children, ...box }) {
  const { key } = useLocation();
  const form = useRef(null);

  const handleSubmit = (event) => {
    event.preventDefault();
    form.current.querySelector('[role="option"]')?.click();
  };

  return (
    <form ref={form} className="office-search" role="search" aria-label={label} onSubmit={handleSubmit}>
      <Combobox {...box} closeKey={key}>{children}</Combobox>
    </form>
  );
}
