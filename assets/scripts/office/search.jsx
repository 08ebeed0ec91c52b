// The office's search: suggestions of places, orders and products. Enter goes to the first when none is picked.

import { useRef } from "react";
import { useLocation } from "react-router";
import { Combobox } from "../combobox.jsx";

export function OfficeSearch({ label, children, ...box }) {
  const { key } = useLocation();
  const form = useRef(null);

  const submitted = (event) => {
    event.preventDefault();
    form.current.querySelector('[role="option"]')?.click();
  };

  return (
    <form ref={form} className="office-search" role="search" aria-label={label} onSubmit={submitted}>
      <Combobox {...box} closes={key}>{children}</Combobox>
    </form>
  );
}
