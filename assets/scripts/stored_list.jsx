// A list of texts in this browser's local storage.

import { createStoredValue } from "./stored_value.js";

export function createStoredList(key, maxLength) {
  const parseList = (list) =>
    Array.isArray(list) ? [...new Set(list.filter((item) => typeof item === "string"))].slice(0, maxLength) : [];
  const { read, write, useValue } = createStoredValue(key, parseList);
  return { read, write: (list) => write(list.slice(0, maxLength)), useList: useValue };
}
