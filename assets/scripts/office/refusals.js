// Texts about a spreadsheet that the server refused.

// Return the text for a response's status. With status 400, it is the server's own message.
export function describeRefusal(status, response, texts) {
  if (status === 429 || status === 503) return texts.busy;
  if (status === 401) return texts.ended;
  if (status === 403) return texts.forbidden;
  if (status === 413) return texts.too_large;
  return status === 400 && response?.message ? response.message : texts.failed;
}
