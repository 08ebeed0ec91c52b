// Formatting of displayed numbers.

// Return a count with grouped digits (5.000.001), as texts of the server have them.
export const groupDigits = (number) =>
  new Intl.NumberFormat(document.documentElement.lang, { useGrouping: "always" }).format(number);
