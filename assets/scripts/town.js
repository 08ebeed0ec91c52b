// The municipality of the delivery, which only this browser stores. The shipping estimates and the checkout share it, so
// that the shopper chooses it once.

import { createStoredValue } from "./stored_value.js";

const parseTown = (town) =>
  /^\d{8}$/.test(town?.code) && typeof town.label === "string" ? { code: town.code, label: town.label } : null;

// The stored `{ code, label }`; null if there is none.
const { read, write, useValue } = createStoredValue("trompo_town", parseTown);

export const readTown = read;
export const useTown = useValue;
export const storeTown = (code, label) => {
  write({ code, label });
  document.documentElement.dataset.hasTown = ""; // as `storefront/components/head_scripts/stored_town.py` does
};
