// The sign-in page of the office has several forms at one path. Only the query selects the displayed form: no update of
// the server may replace a form while a staff member types.

import { useSyncExternalStore } from "react";
import { useLocation } from "react-router";

const FORMS = ["codigo", "invitacion"];
const noSubscription = () => () => {};

// Return the form that the address requests; empty for the sign-in form. The rendered document always has the sign-in
// form.
export function useRequestedForm() {
  const { search } = useLocation();
  const findForm = () => FORMS.find((name) => new URLSearchParams(search).has(name)) ?? "";
  return useSyncExternalStore(noSubscription, findForm, () => "");
}
