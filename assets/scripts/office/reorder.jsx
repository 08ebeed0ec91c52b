// Rows of a form that can be reordered, added and removed, by touch, mouse and keyboard. Nothing is saved before the form
// is; the form sends the rows in their displayed order.
//
//   [data-key]    a row             [data-moves="-1"]  moves its row up by one
//   [data-grip]   drags its row     [data-drops]       removes its row            [data-adds]  adds an empty row

import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { scrollAtEdge, useDraggedRow } from "./dragging.jsx";
import { useEditForm, useOwnEdits } from "./forms.jsx";

const Rows = createContext({ rows: [], count: 0 });
export const useRows = () => useContext(Rows);

// Is the pointer beyond the middle of the row `over`? Otherwise a row that is higher than the dragged one would move
// back and forth. Rows next to each other change places at once.
function isBeyondMiddle(event, dragged, over) {
  const from = dragged.getBoundingClientRect();
  const { left, top, height } = over.getBoundingClientRect();
  if (left !== from.left) return true;
  return from.top < top ? event.clientY > top + height / 2 : event.clientY < top + height / 2;
}

const NONE = {};
const UNCHANGED = { order: [], removed: NONE, createdKeys: [] };

// `items`: the server's rows, each with a `key`; a row with `is_added` is not saved yet. `blank`: an empty row.
// `minCount`: the number of rows that cannot be removed. `movedText`: announced after a move, with {n} and {count}.
// `restored`: by key, how often the server sent a row again; a row that was removed before appears again.
export function ReorderableRows({ items, blank, minCount = 0, movedText, restored = NONE, className, children }) {
  const { touch } = useEditForm();
  const { list, dragged, startDrag, findOver, endDrag } = useDraggedRow();
  const focused = useRef(null);
  const createdCount = useRef(0);
  const [edits, setEdits] = useState(UNCHANGED);
  const { order, removed, createdKeys } = edits;
  const [reactKeys, setReactKeys] = useState(NONE); // of saved rows that were added here, by their key
  const [announcement, setAnnouncement] = useState("");

  const addedCount = items.filter((item) => item.is_added).length;
  useEffect(() => {
    if (addedCount) touch();
  }, [addedCount]);
  useLayoutEffect(() => {
    focused.current?.focus(); // the focused button of a moved row loses the focus
    focused.current = null;
  });

  const rowsByKey = new Map([...items, ...createdKeys.map((key) => ({ ...blank, key }))].map((item) => [item.key, item]));
  const keys = [...order.filter((key) => rowsByKey.has(key)), ...[...rowsByKey.keys()].filter((key) => !order.includes(key))].filter(
    (key) => removed[key] !== (restored[key] ?? 0),
  );

  // Return the saved rows' keys by the keys that were sent. The saved rows are in the order that was sent, and those that
  // were added have a key of the server now. Return null if the server has other rows.
  const findSavedKeys = (sentKeys) => {
    const hasMoved = (key, at) => items[at].key !== key && items.some((item) => item.key === key);
    if (items.length !== sentKeys.length || sentKeys.some(hasMoved)) return null;
    return new Map(sentKeys.map((key, at) => [key, items[at].key]));
  };
  // Keep the elements of the rows that were added, with the text that was typed after the form was sent.
  const keepElements = (savedKeys) => {
    const added = [...savedKeys].filter(([key, saved]) => key !== saved);
    if (added.length) setReactKeys({ ...reactKeys, ...Object.fromEntries(added.map(([key, saved]) => [saved, reactKeys[key] ?? key])) });
  };
  const resetEdits = (sentKeys) => {
    setEdits(UNCHANGED);
    const savedKeys = sentKeys && findSavedKeys(sentKeys);
    if (savedKeys) keepElements(savedKeys);
  };
  // Keep the changes that were made after the form was sent. Return false if the server has other rows; then its rows are
  // shown.
  const keepEdits = (sentKeys) => {
    const savedKeys = findSavedKeys(sentKeys);
    if (!savedKeys) {
      setEdits(UNCHANGED);
      return false;
    }
    keepElements(savedKeys);
    const toSaved = (key) => savedKeys.get(key) ?? key;
    const kept = keys.filter((key) => savedKeys.has(key) || createdKeys.includes(key)).map(toSaved);
    const dropped = items.filter((item) => !kept.includes(item.key));
    setEdits({
      order: kept,
      removed: Object.fromEntries(dropped.map(({ key }) => [key, restored[key] ?? 0])),
      createdKeys: createdKeys.filter((key) => !savedKeys.has(key)),
    });
    return true;
  };
  useOwnEdits(edits, keys, resetEdits, keepEdits);

  const moveTo = (key, at) => {
    if (at < 0 || at >= keys.length || keys[at] === key) return;
    const newKeys = keys.filter((other) => other !== key);
    newKeys.splice(at, 0, key);
    setEdits({ order: newKeys, removed, createdKeys });
    setAnnouncement(movedText.replace("{n}", at + 1).replace("{count}", keys.length));
    touch();
  };
  const handleClick = (event) => {
    const button = event.target.closest("[data-moves], [data-drops], [data-adds]");
    if (!button) return;
    const key = button.closest("[data-key]")?.dataset.key;
    if (button.hasAttribute("data-adds")) {
      createdCount.current += 1;
      setEdits({ order: keys, removed, createdKeys: [...createdKeys, `new-${createdCount.current}`] });
    } else if (button.hasAttribute("data-moves")) {
      focused.current = button;
      moveTo(key, keys.indexOf(key) + Number(button.dataset.moves));
    } else if (keys.length > minCount) {
      const next = button.closest("[data-key]").nextElementSibling ?? button.closest("[data-key]").previousElementSibling;
      focused.current = next?.querySelector("[data-drops]") ?? list.current.querySelector("[data-adds]");
      setEdits({ order: keys, removed: { ...removed, [key]: restored[key] ?? 0 }, createdKeys });
    }
    touch();
  };

  const drag = (event) => {
    if (!dragged.current) return;
    scrollAtEdge(event);
    const over = findOver(event);
    if (over && isBeyondMiddle(event, dragged.current, over)) moveTo(dragged.current.dataset.key, keys.indexOf(over.dataset.key));
  };

  return (
    <Rows value={{ rows: keys.map((key) => ({ ...rowsByKey.get(key), react_key: reactKeys[key] ?? key })), count: keys.length }}>
      <div ref={list} className={className} onClick={handleClick} onPointerDown={startDrag} onPointerMove={drag} onPointerUp={endDrag} onPointerCancel={endDrag}>
        {children}
        <p className="sr-only" role="status">{announcement}</p>
      </div>
    </Rows>
  );
}
