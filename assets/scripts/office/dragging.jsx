// A row (`[data-key]`) of a list that is dragged by its grip (`[data-grip]`), by touch and mouse.

import { useRef } from "react";

const SCROLL_EDGE_PX = 72;
const SCROLL_STEP_PX = 14;

// Scroll the page while a row is dragged near its upper or lower edge.
export function scrollAtEdge(event) {
  if (event.clientY < SCROLL_EDGE_PX) window.scrollBy(0, -SCROLL_STEP_PX);
  if (event.clientY > window.innerHeight - SCROLL_EDGE_PX) window.scrollBy(0, SCROLL_STEP_PX);
}

// Return the refs of the list and of its dragged row, and the functions for its pointer events. While a row is dragged,
// it has the attribute `data-dragged`. `findOver` returns the other row of the list under the pointer, or null.
export function useDraggedRow() {
  const list = useRef(null);
  const dragged = useRef(null);

  const startDrag = (event) => {
    const grip = event.button === 0 && event.target.closest("[data-grip]");
    if (!grip) return;
    event.preventDefault();
    list.current.setPointerCapture(event.pointerId);
    dragged.current = grip.closest("[data-key]");
    dragged.current.setAttribute("data-dragged", "");
  };
  const findOver = (event) => {
    const row = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-key]");
    return row && list.current.contains(row) && row !== dragged.current ? row : null;
  };
  const endDrag = () => {
    dragged.current?.removeAttribute("data-dragged");
    dragged.current = null;
  };

  return { list, dragged, startDrag, findOver, endDrag };
}
