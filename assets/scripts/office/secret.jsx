// A secret that is shown once: this component stores it while it is displayed; the state on the server forgets it at once.

import { useEffect, useState } from "react";
import { copyText } from "../share.jsx";

export function SecretOnce({ secret, texts, onKept }) {
  const [kept, setKept] = useState("");
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!secret) return;
    setKept(secret);
    setCopied(false);
    onKept();
  }, [secret]);

  if (!kept) return null;
  return (
    <div className="alert o-secret" role="alert" data-testid="webhook-secret">
      <label className="field__label" htmlFor="webhook-secret">{texts.title}</label>
      <input id="webhook-secret" className="field__input" readOnly value={kept} onFocus={(event) => event.target.select()} />
      <p className="o-row__detail">{texts.rules}</p>
      <div className="o-team__ways">
        <button
          type="button"
          className="button button--small button--dark"
          onClick={async () => setCopied(await copyText(kept))}
        >
          {isCopied ? texts.copied : texts.copy}
        </button>
        <button type="button" className="button button--small button--quiet" onClick={() => setKept("")}>
          {texts.done}
        </button>
      </div>
    </div>
  );
}
