// Sharing a page: by the system's own sheet, or by copying its address where there is none.

import { useEffect, useState } from "react";
import { after } from "./effects.jsx";

const SAID_MS = 4000;

// The page as it is to be shared: the variant that is chosen goes along, what a campaign hung on the address does not.
function addressOf(page) {
  const address = new URL(page || window.location.pathname, window.location.origin);
  const variant = new URLSearchParams(window.location.search).get("variant");
  if (variant) address.searchParams.set("variant", variant);
  return address.href;
}

// Without the clipboard's own interface, as on a page without https, a field is copied from.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}

// `said`: empty, `copied` or `failed`, for as long as it takes to read; and the button's properties.
export function useShare(page, title) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said) return after(SAID_MS, () => setSaid(""));
  }, [said]);

  const share = async (event) => {
    const button = event.currentTarget;
    const url = addressOf(page);
    if (navigator.share) {
      try {
        return await navigator.share({ title, url });
      } catch (error) {
        if (error.name === "AbortError") return; // the sheet was closed
      }
    }
    setSaid((await copied(url)) ? "copied" : "failed");
    button.focus();
  };
  return { said, button: { onClick: share } };
}
