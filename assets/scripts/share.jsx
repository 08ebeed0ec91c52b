// Share a page with the system's share dialog; without one, copy its address.

import { useEffect, useState } from "react";
import { startTimer } from "./effects.jsx";

const RESULT_SHOWN_MS = 4000;

// Return the address to share: it contains the chosen variant, but no other parameters, such as those of a campaign.
function getShareAddress(page) {
  const address = new URL(page || window.location.pathname, window.location.origin);
  const variant = new URLSearchParams(window.location.search).get("variant");
  if (variant) address.searchParams.set("variant", variant);
  return address.href;
}

// Copy a text. Without the clipboard API, as on a page without https, copy it from a temporary field.
export async function copyText(text) {
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

// `result`: empty, `copied` or `failed`; it is empty again after some seconds. `button`: the button's properties.
export function useShare(page, title) {
  const [result, setResult] = useState("");
  useEffect(() => {
    if (result) return startTimer(RESULT_SHOWN_MS, () => setResult(""));
  }, [result]);

  const share = async (event) => {
    const button = event.currentTarget;
    const url = getShareAddress(page);
    if (navigator.share) {
      try {
        return await navigator.share({ title, url });
      } catch (error) {
        if (error.name === "AbortError") return; // the shopper closed the share dialog
      }
    }
    setResult((await copyText(url)) ? "copied" : "failed");
    button.focus();
  };
  return { result, button: { onClick: share } };
}
