// A sheet of products with its pictures: dropped or chosen together, or pictures later for the sheet that is there. The
// sheet goes first, its answer names the import; pictures and zips follow, two at a time, and the screen is told at the end.

import { useEffect, useRef, useState } from "react";

const SHEETS = "/admin/imports";
const PICTURES = "/admin/import-pictures";
const AT_ONCE = 2;
const MOST_TRIES = 4; // while the shop is busy
const REST_MS = 3000;
const MOST_SHOWN = 20;
const SHEET = /\.(xlsx|csv|txt|tsv|ods|xls|xlsb|numbers)$/i; // the shop says of the last four how to save them as .xlsx
const PICTURE = /\.(jpe?g|png|webp|avif|heic|zip)$/i;

// Sends one file; `told(part)` gets how much of it is there. The answer is `{body}`, or `{problem}`: a text.
function send(path, file, texts, told, stops) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("file", file);
  const answer = new Promise((resolve) => {
    request.upload.onprogress = (event) => event.lengthComputable && told(event.loaded / event.total);
    request.onerror = () => resolve({ problem: texts.offline });
    request.onabort = () => resolve({ problem: texts.stopped });
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) resolve({ body: response });
      else if (status === 429 || status === 503) resolve({ isBusy: true, problem: texts.busy });
      else if (status === 401) resolve({ problem: texts.ended });
      else if (status === 403) resolve({ problem: texts.forbidden });
      else if (status === 413) resolve({ problem: texts.too_large });
      else resolve({ problem: status === 400 && response?.message ? response.message : texts.failed });
    };
  });
  request.open("POST", path);
  request.responseType = "json";
  request.setRequestHeader("accept", "application/json");
  request.send(body);
  stops.add(() => request.abort());
  return answer;
}

export function SheetDrop({ texts, importId, onSent }) {
  const input = useRef(null);
  const button = useRef(null);
  const stops = useRef(new Set());
  const isGone = useRef(false);
  const heard = useRef(onSent);
  heard.current = onSent;
  const [isOver, setOver] = useState(false);
  const [work, setWork] = useState(null); // {label, done, total}
  const [problems, setProblems] = useState([]);
  const [said, say] = useState("");

  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      stops.current.forEach((stop) => stop());
    };
  }, []);

  useEffect(() => {
    if (!work) return;
    const leaving = (event) => event.preventDefault();
    window.addEventListener("beforeunload", leaving);
    return () => window.removeEventListener("beforeunload", leaving);
  }, [work]);

  const patiently = async (path, file, told) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await send(path, file, texts, told, stops.current);
      if (!answer.isBusy || tries === MOST_TRIES || isGone.current) return answer;
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
  };

  // A picture or a zip. What a zip has left when its time is over is taken when it is sent again.
  const sendPicture = async (id, file, told) => {
    const path = `${PICTURES}?id=${encodeURIComponent(id)}`;
    for (;;) {
      const { body, problem } = await patiently(path, file, told);
      if (problem) return [`${file.name}: ${problem}`];
      if (!body.left || isGone.current) return body.refused.map((one) => `${one.name}: ${one.message}`);
    }
  };

  const take = async (list) => {
    const files = [...list];
    const sheets = files.filter((file) => SHEET.test(file.name));
    const pictures = files.filter((file) => PICTURE.test(file.name));
    const others = files.filter((file) => !SHEET.test(file.name) && !PICTURE.test(file.name));
    const wrong = others.map((file) => `${file.name}: ${texts.other}`);
    if (sheets.length > 1) wrong.push(texts.one_sheet);
    if (pictures.length && !sheets.length && !importId) wrong.push(texts.sheet_first);
    setProblems(wrong);
    if (sheets.length > 1 || (!sheets.length && (!importId || !pictures.length))) return;
    let id = importId;
    if (sheets.length) {
      say(texts.sending);
      setWork({ label: sheets[0].name, done: 0, total: 1 });
      const told = (part) => setWork({ label: sheets[0].name, done: part * 0.9, total: 1 });
      const { body, problem } = await patiently(SHEETS, sheets[0], told);
      if (isGone.current) return;
      if (problem) {
        setProblems([...wrong, `${sheets[0].name}: ${problem}`]);
        setWork(null);
        say("");
        button.current.focus();
        return;
      }
      id = body.product_import.id;
      heard.current(id);
    }
    const parts = pictures.map(() => 0);
    const show = () => {
      const done = parts.reduce((sum, part) => sum + part, 0);
      const count = texts.pictures.replace("{n}", Math.floor(done)).replace("{total}", pictures.length);
      if (!isGone.current) setWork({ label: pictures.length === 1 ? pictures[0].name : count, done, total: pictures.length });
    };
    const waiting = pictures.map((_file, place) => place);
    const worker = async () => {
      while (waiting.length && !isGone.current) {
        const place = waiting.shift();
        const found = await sendPicture(id, pictures[place], (part) => {
          parts[place] = part * 0.9;
          show();
        });
        parts[place] = 1;
        wrong.push(...found);
        show();
      }
    };
    if (pictures.length) {
      say(texts.sending);
      show();
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      if (isGone.current) return;
      heard.current(id);
    }
    setProblems([...wrong]);
    setWork(null);
    say(texts.done);
  };

  const chosen = (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be chosen again
    take(files);
  };
  const over = (event) => {
    event.preventDefault();
    setOver(true);
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    if (!work) take(event.dataTransfer.files);
  };

  return (
    <div
      className="o-sheet"
      data-over={isOver || undefined}
      data-testid="import-drop"
      aria-busy={work !== null}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <input ref={input} type="file" multiple hidden aria-label={texts.choose} data-testid="import-input" onChange={chosen} />
      <button
        ref={button}
        className="button button--dark"
        type="button"
        disabled={work !== null}
        data-testid="import-choose"
        onClick={() => input.current.click()}
      >
        {importId ? texts.choose_more : texts.choose}
      </button>
      <p className="o-row__detail">{importId ? texts.rules_more : texts.rules}</p>
      {work && (
        <div className="o-sheet__work" data-testid="import-sending">
          <span>{work.label}</span>
          <progress max={work.total} value={work.done} aria-label={work.label} />
        </div>
      )}
      {problems.length > 0 && (
        <ul className="o-sheet__problems" role="alert" data-testid="import-file-problems">
          {problems.slice(0, MOST_SHOWN).map((problem) => (
            <li className="field__problem" key={problem}>{problem}</li>
          ))}
          {problems.length > MOST_SHOWN && (
            <li className="field__problem">{texts.more.replace("{n}", problems.length - MOST_SHOWN)}</li>
          )}
        </ul>
      )}
      <p className="sr-only" role="status">{said}</p>
    </div>
  );
}
