// The header's search, and this browser's recent searches. The search is a plain GET form; with this script it navigates
// without a document load.

import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { createStoredList } from "./stored_list.jsx";

const MAX_RECENT = 6;
const MAX_RECENT_LENGTH = 80;
const { read, write, useList } = createStoredList("trompo_searches", MAX_RECENT);

const toLowerCase = (text) => text.toLowerCase();

const remember = (text) => {
  if (!text || text.length > MAX_RECENT_LENGTH) return;
  write([text, ...read().filter((other) => toLowerCase(other) !== toLowerCase(text))]);
};

export function useSearch() {
  const navigate = useNavigate();
  const { key, search } = useLocation();
  const searched = new URLSearchParams(search).get("q") ?? "";
  const form = useRef(null);
  const isHydrated = useRef(false);

  // The results page shows its search text in the field. Text that was typed before this script ran stays.
  useEffect(() => {
    if (isHydrated.current) form.current.elements.q.value = searched;
    isHydrated.current = true;
  }, [key]);

  const handleSubmit = (event) => {
    event.preventDefault();
    const input = form.current.elements.q;
    const text = input.value.trim();
    input.blur();
    remember(text);
    navigate(text ? `/catalog?q=${encodeURIComponent(text)}` : "/catalog");
  };

  // a followed suggestion means that the typed text was useful, so it is stored
  const handleClick = ({ target }) => target.closest("[data-answers]") && remember(form.current.elements.q.value.trim());

  return { searched, key, form: { ref: form, onSubmit: handleSubmit, onClickCapture: handleClick } };
}

// The recent searches, and the button that clears them.
export function useRecent() {
  const texts = useList();
  const forget = ({ target }) => {
    target.form.elements.q.focus(); // the button disappears
    write([]);
  };
  return { texts, count: texts.length, forget: { onClick: forget } };
}
