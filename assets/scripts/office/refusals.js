// Texts about a spreadsheet that the server did not take.

// Return the text for a response's status. The message of a status 400 is for people.
export function describeRefusal(status, response, texts) {
  if (status === 429 || status === 503) return texts.busy;
  if (status === 401) return texts.ended;
  if (status === 403) return texts.forbidden;
  if (status === 413) return texts.too_large;
  return status === 400 && response?.message ? response.message : texts.failed;
}
