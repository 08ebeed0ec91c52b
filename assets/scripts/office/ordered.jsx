// Rows of a form that are put into order, added and taken away, by finger, mouse and keyboard. Nothing of it is saved
// before the form is; the form sends the rows in the order in which they stand.
//
//   [data-key]                a row            [data-moves="-1"]  moves its row before the one before
//   [data-grip]               drags its row    [data-drops]       takes its row away      [data-adds]  adds an empty row

import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useEdited } from "./forms.jsx";

const Rows = createContext({ rows: [], count: 0 });
export const useRows = () => useContext(Rows);

const NONE = {};
const AS_GIVEN = { order: [], gone: NONE, made: [] };

// `items`: the rows that the server knows, each with a `key`; one that `is_added` is not saved yet. `blank`: an empty row.
// `least`: so many rows always stay. `placed`: said of a row that moved, with {n} and {count}. `again`: by key, how often a
// row was given anew; one that was taken away before that is there again.
export function Ordered({ items, blank, least = 0, placed, again = NONE, className, children }) {
  const { touch, restarts } = useEdited();
  const around = useRef(null);
  const dragged = useRef(null);
  const focused = useRef(null);
  const number = useRef(0);
  const [{ order, gone, made }, set] = useState(AS_GIVEN);
  const [said, say] = useState("");

  useEffect(() => set(AS_GIVEN), [restarts]);
  const added = items.filter((item) => item.is_added).length;
  useEffect(() => {
    if (added) touch();
  }, [added]);
  useLayoutEffect(() => {
    focused.current?.focus(); // whose row was moved in the page
    focused.current = null;
  });

  const known = new Map([...items, ...made.map((key) => ({ ...blank, key }))].map((row) => [row.key, row]));
  const keys = [...order.filter((key) => known.has(key)), ...[...known.keys()].filter((key) => !order.includes(key))].filter(
    (key) => gone[key] !== (again[key] ?? 0),
  );

  const place = (key, at) => {
    if (at < 0 || at >= keys.length || keys[at] === key) return;
    const moved = keys.filter((one) => one !== key);
    moved.splice(at, 0, key);
    set({ order: moved, gone, made });
    say(placed.replace("{n}", at + 1).replace("{count}", keys.length));
    touch();
  };
  const clicked = (event) => {
    const button = event.target.closest("[data-moves], [data-drops], [data-adds]");
    if (!button) return;
    const key = button.closest("[data-key]")?.dataset.key;
    if (button.hasAttribute("data-adds")) {
      number.current += 1;
      set({ order: keys, gone, made: [...made, `new-${number.current}`] });
    } else if (button.hasAttribute("data-moves")) {
      focused.current = button;
      place(key, keys.indexOf(key) + Number(button.dataset.moves));
    } else if (keys.length > least) {
      const next = button.closest("[data-key]").nextElementSibling ?? button.closest("[data-key]").previousElementSibling;
      focused.current = next?.querySelector("[data-drops]") ?? around.current.querySelector("[data-adds]");
      set({ order: keys, gone: { ...gone, [key]: again[key] ?? 0 }, made });
    }
    touch();
  };

  const row = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-key]");
  const grabbed = (event) => {
    const grip = event.button === 0 && event.target.closest("[data-grip]");
    if (!grip) return;
    event.preventDefault();
    around.current.setPointerCapture(event.pointerId);
    dragged.current = grip.closest("[data-key]");
    dragged.current.setAttribute("data-dragged", "");
  };
  const drawn = (event) => {
    const over = dragged.current && row(event);
    if (over && around.current.contains(over) && over !== dragged.current) place(dragged.current.dataset.key, keys.indexOf(over.dataset.key));
  };
  const let_go = () => {
    dragged.current?.removeAttribute("data-dragged");
    dragged.current = null;
  };

  return (
    <Rows value={{ rows: keys.map((key) => known.get(key)), count: keys.length }}>
      <div ref={around} className={className} onClick={clicked} onPointerDown={grabbed} onPointerMove={drawn} onPointerUp={let_go} onPointerCancel={let_go}>
        {children}
        <p className="sr-only" role="status">{said}</p>
      </div>
    </Rows>
  );
}
