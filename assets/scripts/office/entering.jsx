// The way into the office has several forms at one address. Which one is shown follows from the address alone: nothing
// that the server says later takes a form away in which somebody types.

import { useSyncExternalStore } from "react";
import { useLocation } from "react-router";

const FORMS = ["codigo", "invitacion"];
const never = () => () => {};

// The form that the address asks for; empty for the one that signs in. The document knows nothing of it.
export function useAsked() {
  const { search } = useLocation();
  const asked = () => FORMS.find((name) => new URLSearchParams(search).has(name)) ?? "";
  return useSyncExternalStore(never, asked, () => "");
}
