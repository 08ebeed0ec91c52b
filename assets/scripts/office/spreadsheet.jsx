// Upload of a spreadsheet of products with its pictures: dropped or chosen together, or pictures later for an existing
// spreadsheet. The spreadsheet is sent first, and its answer contains the import's id. Pictures and zips follow, two at
// a time. The screen is notified after the spreadsheet and after the pictures.

import { useEffect, useRef, useState } from "react";
import { groupDigits } from "./numbers.js";
import { describeRefusal } from "./refusals.js";

const SPREADSHEETS_PATH = "/admin/imports";
const PICTURES_PATH = "/admin/import-pictures";
const CONCURRENCY = 2;
const MAX_TRIES = 4; // while the server is busy
const RETRY_DELAY_MS = 3000;
const MAX_SHOWN_PROBLEMS = 20;
const SPREADSHEET_NAME = /\.(xlsx|csv|txt|tsv|ods|xls|xlsb|numbers)$/i; // for the last four the server explains how to save them as .xlsx
const PICTURE_NAME = /\.(jpe?g|jfif|png|webp|avif|hei[cf]|gif|bmp|tiff?|zip)$/i; // for heic, heif, gif, bmp and tiff the server says why not

// Send one file. `onProgress(part)` receives the sent fraction. Return `{body}`, or `{problem}`: a text.
function send(path, file, texts, onProgress, abortCallbacks) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("file", file);
  const answer = new Promise((resolve) => {
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => resolve({ problem: texts.offline });
    request.onabort = () => resolve({ problem: texts.stopped });
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) resolve({ body: response });
      else resolve({ isBusy: status === 429 || status === 503, problem: describeRefusal(status, response, texts) });
    };
  });
  request.open("POST", path);
  request.responseType = "json";
  request.setRequestHeader("accept", "application/json");
  request.send(body);
  abortCallbacks.add(() => request.abort());
  return answer;
}

export function SpreadsheetDrop({ texts, importId, onSent, onPicturesSent, onRefused }) {
  const input = useRef(null);
  const button = useRef(null);
  const abortCallbacks = useRef(new Set());
  const isUnmounted = useRef(false);
  const latestOnSent = useRef(onSent);
  latestOnSent.current = onSent;
  const latestOnPicturesSent = useRef(onPicturesSent);
  latestOnPicturesSent.current = onPicturesSent;
  const latestOnRefused = useRef(onRefused);
  latestOnRefused.current = onRefused;
  const [isDraggedOver, setDraggedOver] = useState(false);
  const [work, setWork] = useState(null); // {label, done, total}
  const [problems, setProblems] = useState([]);
  const [announcement, setAnnouncement] = useState("");

  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      abortCallbacks.current.forEach((stop) => stop());
    };
  }, []);

  useEffect(() => {
    if (!work) return;
    const preventUnload = (event) => event.preventDefault();
    window.addEventListener("beforeunload", preventUnload);
    return () => window.removeEventListener("beforeunload", preventUnload);
  }, [work]);

  const sendWithRetries = async (path, file, onProgress) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await send(path, file, texts, onProgress, abortCallbacks.current);
      if (!answer.isBusy || tries === MAX_TRIES || isUnmounted.current) return answer;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  };

  // Send a picture or a zip. A zip that the server did not finish within its time limit is sent again for the rest.
  const sendPicture = async (id, file, onProgress) => {
    const path = `${PICTURES_PATH}?id=${encodeURIComponent(id)}`;
    for (;;) {
      const { body, problem } = await sendWithRetries(path, file, onProgress);
      if (problem) return [`${file.name}: ${problem}`];
      if (!body.left || isUnmounted.current) return body.refused.map((refused) => `${refused.name}: ${refused.message}`);
    }
  };

  const sendFiles = async (list) => {
    const files = [...list];
    const spreadsheets = files.filter((file) => SPREADSHEET_NAME.test(file.name));
    const pictures = files.filter((file) => PICTURE_NAME.test(file.name));
    const others = files.filter((file) => !SPREADSHEET_NAME.test(file.name) && !PICTURE_NAME.test(file.name));
    const foundProblems = others.map((file) => `${file.name}: ${texts.other}`);
    if (spreadsheets.length > 1) foundProblems.push(texts.one_sheet);
    if (pictures.length && !spreadsheets.length && !importId) foundProblems.push(texts.sheet_first);
    setProblems(foundProblems);
    if (spreadsheets.length > 1 || (!spreadsheets.length && (!importId || !pictures.length))) return;
    let id = importId;
    if (spreadsheets.length) {
      setAnnouncement(texts.sending);
      setWork({ label: spreadsheets[0].name, done: 0, total: 1 });
      const onProgress = (part) => setWork({ label: spreadsheets[0].name, done: part * 0.9, total: 1 });
      const { body, problem } = await sendWithRetries(SPREADSHEETS_PATH, spreadsheets[0], onProgress);
      if (isUnmounted.current) return;
      if (problem) {
        latestOnRefused.current(); // an older preview must not be taken for that of this file
        setProblems([...foundProblems, `${spreadsheets[0].name}: ${problem}`]);
        setWork(null);
        setAnnouncement("");
        button.current.focus();
        return;
      }
      id = body.product_import.id;
      latestOnSent.current();
    }
    const parts = pictures.map(() => 0);
    const show = () => {
      const done = parts.reduce((sum, part) => sum + part, 0);
      const count = texts.pictures.replace("{n}", groupDigits(Math.floor(done))).replace("{total}", groupDigits(pictures.length));
      if (!isUnmounted.current) setWork({ label: pictures.length === 1 ? pictures[0].name : count, done, total: pictures.length });
    };
    const waiting = pictures.map((_file, place) => place);
    const worker = async () => {
      while (waiting.length && !isUnmounted.current) {
        const place = waiting.shift();
        const pictureProblems = await sendPicture(id, pictures[place], (part) => {
          parts[place] = part * 0.9;
          show();
        });
        parts[place] = 1;
        foundProblems.push(...pictureProblems);
        show();
      }
    };
    if (pictures.length) {
      setAnnouncement(texts.sending);
      show();
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      if (isUnmounted.current) return;
      latestOnPicturesSent.current(id);
    }
    setProblems([...foundProblems]);
    setWork(null);
    setAnnouncement(texts.done);
  };

  const handleChoice = (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be chosen again
    sendFiles(files);
  };
  const handleDragOver = (event) => {
    event.preventDefault();
    setDraggedOver(true);
  };
  const handleDrop = (event) => {
    event.preventDefault();
    setDraggedOver(false);
    if (!work) sendFiles(event.dataTransfer.files);
  };

  return (
    <div
      className="o-sheet"
      data-over={isDraggedOver || undefined}
      data-testid="import-drop"
      aria-busy={work !== null}
      onDragOver={handleDragOver}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={handleDrop}
    >
      <input ref={input} type="file" multiple hidden aria-label={texts.choose} data-testid="import-input" onChange={handleChoice} />
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
          {problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => (
            <li className="field__problem" key={problem}>{problem}</li>
          ))}
          {problems.length > MAX_SHOWN_PROBLEMS && (
            <li className="field__problem">{texts.more.replace("{n}", groupDigits(problems.length - MAX_SHOWN_PROBLEMS))}</li>
          )}
        </ul>
      )}
      <p className="sr-only" role="status">{announcement}</p>
    </div>
  );
}
