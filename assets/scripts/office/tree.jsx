// A list of rows that are moved by dragging or by buttons, by touch, mouse and keyboard. A move is a row, a place and a
// target: `before` or `after` another row, or `inside` it. It is sent at once; the server returns the new order.
//
//   [data-key]    a row          [data-grip]   drags its row
//   [data-place]  a button that moves its row to this place of the row `data-target`

import { useEffect, useLayoutEffect, useRef } from "react";
import { listen } from "../effects.jsx";
import { scrollAtEdge, useDraggedRow } from "./dragging.jsx";

export function MovableRows({ onMove, className, children }) {
  const { list, dragged, startDrag, findOver, endDrag } = useDraggedRow();
  const over = useRef(null);
  const focused = useRef(null);

  useLayoutEffect(() => {
    if (!focused.current?.isConnected) return;
    focused.current.focus(); // the focused button of a moved row loses the focus
    focused.current = null;
  });

  const clear = () => {
    over.current?.removeAttribute("data-drop");
    over.current = null;
    endDrag();
  };
  useEffect(() => listen(window, "keydown", (event) => event.key === "Escape" && clear()), []);

  const handleClick = (event) => {
    const button = event.target.closest("[data-place]");
    if (!button) return;
    focused.current = button;
    onMove(button.closest("[data-key]").dataset.key, button.dataset.place, button.dataset.target);
  };
  const drag = (event) => {
    if (!dragged.current) return;
    scrollAtEdge(event);
    over.current?.removeAttribute("data-drop");
    over.current = findOver(event);
    if (!over.current) return;
    const { top, height } = over.current.getBoundingClientRect();
    over.current.setAttribute("data-drop", event.clientY < top + height / 2 ? "before" : "after");
  };
  const drop = () => {
    if (dragged.current && over.current) onMove(dragged.current.dataset.key, over.current.dataset.drop, over.current.dataset.key);
    clear();
  };

  return (
    <div ref={list} className={className} onClick={handleClick} onPointerDown={startDrag} onPointerMove={drag} onPointerUp={drop} onPointerCancel={clear}>
      {children}
    </div>
  );
}
