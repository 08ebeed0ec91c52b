// Setup of the second factor: a QR code to scan, the phone's first code, and the recovery codes, which are shown once.
// All requests go over HTTP, as the session gets a new cookie; no server state holds the secret.

import { useState } from "react";

const post = async (step, body) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`/auth/staff/second-factor/${step}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.fields?.code ?? answer.message ?? "");
  return answer;
};

export function EnrolmentForm({ texts, next }) {
  const [setup, setSetup] = useState(null);
  const [codes, setCodes] = useState(null);
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  const runStep = async (request, onAnswer) => {
    if (isBusy) return;
    setBusy(true);
    setProblem("");
    try {
      onAnswer(await request());
    } catch (error) {
      setProblem(error instanceof TypeError ? texts.offline : error.message || texts.failed);
    }
    setBusy(false);
  };
  const begin = () => runStep(() => post("begin", {}), setSetup);
  const confirm = (event) => {
    event.preventDefault();
    const code = new FormData(event.target).get("code");
    runStep(() => post("confirm", { code }), (answer) => setCodes(answer.recovery_codes));
  };

  const problemLine = <div aria-live="polite">{problem && <p className="field__problem" id="enrol-problem">{problem}</p>}</div>;
  const laterLink = <a className="o-disclosure" href={next}>{texts.later}</a>;
  if (codes) {
    return (
      <div className="o-enrol" role="status">
        <p>{texts.keep}</p>
        <ul className="o-enrol__codes">{codes.map((code) => <li key={code}><code>{code}</code></li>)}</ul>
        <a className="button button--primary" href={next}>{texts.done}</a>
      </div>
    );
  }
  if (!setup) {
    return (
      <div className="o-enrol">
        {problemLine}
        <button className="button button--primary" type="button" disabled={isBusy} onClick={begin}>{texts.begin}</button>
        {laterLink}
      </div>
    );
  }
  return (
    <form className="o-enrol" noValidate onSubmit={confirm}>
      <p>{texts.scan}</p>
      <img className="o-enrol__qr" src={setup.qr} alt={texts.qr} width="220" height="220" />
      <p className="o-row__detail">{texts.type} <code>{setup.secret}</code></p>
      <label className="field__label" htmlFor="enrol-code">{texts.code}</label>
      <input
        className="field__input"
        id="enrol-code"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        aria-invalid={problem ? "true" : undefined}
        aria-describedby="enrol-problem"
        data-testid="office-code"
      />
      {problemLine}
      <button className="button button--primary" type="submit" disabled={isBusy} data-testid="save">{texts.confirm}</button>
      {laterLink}
    </form>
  );
}
