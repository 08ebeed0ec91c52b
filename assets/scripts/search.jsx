// The header's search: a plain GET form, which goes on without loading a document once this script runs, and the last
// searches of this browser.

import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { keptList } from "./kept.jsx";

const MOST_RECENT = 6;
const LONGEST_RECENT = 80;
const { now, write, useList } = keptList("trompo_searches", MOST_RECENT);

const plain = (text) => text.toLowerCase();

const remember = (text) => {
  if (!text || text.length > LONGEST_RECENT) return;
  write([text, ...now().filter((other) => plain(other) !== plain(text))]);
};

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
    const text = input.value.trim();
    input.blur();
    remember(text);
    navigate(text ? `/catalog?q=${encodeURIComponent(text)}` : "/catalog");
  };

  // a suggestion that is followed answers what was typed
  const followed = ({ target }) => target.closest("[data-answers]") && remember(form.current.elements.q.value.trim());

  return { asked, key, form: { ref: form, onSubmit: submitted, onClickCapture: followed } };
}

// The last searches, and what clears them.
export function useRecent() {
  const texts = useList();
  const forget = ({ target }) => {
    target.form.elements.q.focus(); // the button goes away
    write([]);
  };
  return { texts, count: texts.length, forget: { onClick: forget } };
}
