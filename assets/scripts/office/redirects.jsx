// Upload of a spreadsheet with two columns: former addresses, and the product, category or collection of each.

import { useRef, useState } from "react";
import { groupDigits } from "./numbers.js";
import { describeRefusal } from "./refusals.js";

const PATH = "/admin/redirects/import";
const MAX_SHOWN_PROBLEMS = 20;

async function send(file, texts) {
  const body = new FormData();
  body.append("file", file);
  try {
    const answer = await fetch(PATH, { method: "POST", body, headers: { accept: "application/json" } });
    const result = await answer.json().catch(() => ({}));
    if (answer.ok) return { result };
    return { problem: describeRefusal(answer.status, result, texts) };
  } catch {
    return { problem: texts.offline };
  }
}

export function RedirectSheet({ texts, onSent }) {
  const input = useRef(null);
  const [isBusy, setBusy] = useState(false);
  const [summary, setSummary] = useState("");
  const [problems, setProblems] = useState([]);

  const handleChoice = async (event) => {
    const [file] = event.target.files;
    event.target.value = ""; // the same file may be chosen again
    if (!file) return;
    setBusy(true);
    setSummary(texts.sending);
    setProblems([]);
    const { result, problem } = await send(file, texts);
    setBusy(false);
    if (problem) {
      setSummary("");
      setProblems([`${file.name}: ${problem}`]);
      return;
    }
    const { created, changed, same, problems: found, problem_count: count } = result;
    const counts = { created, changed, same, wrong: count };
    setSummary(texts.done.replace(/\{(\w+)\}/g, (_mark, name) => groupDigits(counts[name])));
    const shown = found.slice(0, MAX_SHOWN_PROBLEMS).map((one) => `${texts.row} ${one.row}: «${one.value}». ${one.message}`);
    setProblems(count > shown.length ? [...shown, texts.more.replace("{n}", groupDigits(count - shown.length))] : shown);
    onSent();
  };

  return (
    <div className="o-sheet" aria-busy={isBusy} data-testid="redirect-sheet">
      <input ref={input} type="file" accept=".xlsx,.csv,.tsv,.txt" hidden aria-label={texts.choose} data-testid="redirect-file" onChange={handleChoice} />
      <button
        className="button button--dark"
        type="button"
        disabled={isBusy}
        data-testid="redirect-choose"
        onClick={() => input.current.click()}
      >
        {texts.choose}
      </button>
      <p className="o-row__detail">{texts.rules}</p>
      <p className="o-row__title" role="status" data-testid="redirect-result">{summary}</p>
      {problems.length > 0 && (
        <div role="alert" data-testid="redirect-problems">
          <ul className="o-sheet__problems">
            {problems.map((problem) => (
              <li className="field__problem" key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
