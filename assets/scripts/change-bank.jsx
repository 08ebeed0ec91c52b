// Lets go of a payment that waits at the bank. The first press says what that means, the second one does it, once.

import { useEffect, useRef, useState } from "react";
import { Icon } from "./icons.jsx";

export function ChangeBank({ answers, texts, onChange }) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const question = useRef(null);
  const button = useRef(null);
  const wasAsking = useRef(false);

  useEffect(() => setBusy(false), [answers]);
  useEffect(() => {
    if (isAsking) question.current.focus();
    else if (wasAsking.current) button.current.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);

  const stay = () => !isBusy && setAsking(false);
  const change = () => {
    if (isBusy) return;
    setBusy(true);
    onChange();
  };

  if (!isAsking) {
    return (
      <button
        ref={button}
        type="button"
        className="button button--quiet"
        data-testid="change-bank"
        onClick={() => setAsking(true)}
      >
        {texts.change}
      </button>
    );
  }
  return (
    <div
      ref={question}
      role="group"
      tabIndex={-1}
      className="change-bank"
      aria-labelledby="cambiar-banco"
      aria-describedby="cambiar-banco-nota"
      data-testid="change-bank-question"
      onKeyDown={(event) => event.key === "Escape" && stay()}
    >
      <p id="cambiar-banco" className="change-bank__title">{texts.title}</p>
      <p id="cambiar-banco-nota">{texts.words}</p>
      <div className="change-bank__actions">
        <button
          type="button"
          className="button button--dark"
          aria-disabled={isBusy || undefined}
          aria-busy={isBusy || undefined}
          data-testid="change-bank"
          onClick={change}
        >
          {isBusy ? <span className="spinner" aria-hidden="true" /> : <Icon name="back" size={20} />}
          {isBusy ? texts.busy : texts.yes}
        </button>
        <button
          type="button"
          className="button button--quiet"
          aria-disabled={isBusy || undefined}
          data-testid="keep-waiting"
          onClick={stay}
        >
          {texts.no}
        </button>
      </div>
    </div>
  );
}
