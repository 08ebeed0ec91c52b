// Pictures from the camera or the gallery, or a video, sent as they are: the shop makes pictures smaller. Two go at a time, each with its
// progress; what fails says why and can be sent again. Once nothing more is on its way, the screen gets the addresses.

import { useEffect, useRef, useState } from "react";

const ADDRESS = "/admin/uploads";
const AT_ONCE = 2;
const MOST_TRIES = 4; // while the shop is busy
const REST_MS = 3000;
const PASSING = new Set(["busy", "offline", "ended", "failed"]); // the same file may be taken the next time

let count = 0;

// Sends one file. `told(part)` gets how much of it is there; the answer is `{url}` or `{problem}`, a name in `texts`.
function send(file, told) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("files", file);
  const answer = new Promise((resolve) => {
    request.upload.onprogress = (event) => event.lengthComputable && told(event.loaded / event.total);
    request.onerror = () => resolve({ problem: "offline" });
    request.onabort = () => resolve({ problem: "gone" });
    request.onload = () => {
      const said = request.response ?? {};
      const { status } = request;
      if (status === 200 && said.files?.[0]) resolve({ url: said.files[0].url });
      else if (status === 429 || status === 503) resolve({ problem: "busy" });
      else if (status === 401) resolve({ problem: "ended" });
      else if (status === 403) resolve({ problem: "forbidden" });
      else if (status === 413) resolve({ problem: "too_many_bytes" });
      else resolve({ problem: said.code ?? "failed" });
    };
  });
  request.open("POST", ADDRESS);
  request.responseType = "json";
  request.setRequestHeader("accept", "application/json");
  request.send(body);
  return { answer, stop: () => request.abort() };
}

const hide = (event) => event.target.removeAttribute("src"); // the browser's sign of a broken picture

export function PictureUpload({ texts, mostBytes, accept, isOne, name, onUploaded }) {
  const input = useRef(null);
  const button = useRef(null);
  const items = useRef([]); // in the order in which they were chosen
  const isGone = useRef(false);
  const heard = useRef(onUploaded);
  heard.current = onUploaded;
  const [, show] = useState(0);
  const [said, say] = useState("");
  const redraw = () => !isGone.current && show((number) => number + 1);

  const stop = (item) => {
    clearTimeout(item.timer);
    item.stop?.();
    URL.revokeObjectURL(item.preview);
  };

  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      items.current.forEach(stop);
    };
  }, []);

  const isBusy = items.current.some((item) => item.state === "waiting" || item.state === "sending");
  useEffect(() => {
    if (!isBusy) return;
    const leaving = (event) => event.preventDefault();
    window.addEventListener("beforeunload", leaving);
    return () => window.removeEventListener("beforeunload", leaving);
  }, [isBusy]);

  const next = () => {
    if (isGone.current) return;
    const all = items.current;
    for (const item of all.filter((one) => one.state === "waiting")) {
      if (all.filter((one) => one.state === "sending").length >= AT_ONCE) break;
      begin(item);
    }
    if (!all.some((one) => one.state === "waiting" || one.state === "sending")) finish();
    redraw();
  };

  const begin = async (item) => {
    Object.assign(item, { state: "sending", part: 0, problem: "", tries: item.tries + 1 });
    const sending = send(item.file, (part) => {
      item.part = part;
      redraw();
    });
    item.stop = sending.stop;
    const { url, problem } = await sending.answer;
    if (isGone.current || item.state !== "sending") return;
    if (url) Object.assign(item, { state: "there", url });
    else if (problem === "busy" && item.tries < MOST_TRIES) {
      item.timer = setTimeout(() => begin(item), REST_MS); // it keeps its place
      return;
    } else Object.assign(item, { state: "failed", problem });
    next();
  };

  // What is there goes to the screen; what failed stays until it is sent again or left out.
  const finish = () => {
    const there = items.current.filter((item) => item.state === "there");
    const failed = items.current.filter((item) => item.state === "failed");
    there.forEach(stop);
    items.current = failed;
    if (there.length) heard.current(there.map((item) => item.url));
    const parts = [];
    if (there.length) parts.push(there.length === 1 ? texts.one_done : texts.done.replace("{n}", there.length));
    if (failed.length) parts.push(failed.length === 1 ? texts.one_failed : texts.some_failed.replace("{n}", failed.length));
    say(parts.join(" "));
  };

  const chosen = (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be chosen again
    if (!files.length) return;
    for (const file of files) {
      const isLarge = file.size > mostBytes;
      items.current.push({
        id: (count += 1),
        file,
        preview: URL.createObjectURL(file),
        state: isLarge ? "failed" : "waiting",
        problem: isLarge ? "too_many_bytes" : "",
        part: 0,
        tries: 0,
      });
    }
    say(texts.sending);
    next();
  };
  const again = (item) => {
    Object.assign(item, { state: "waiting", tries: 0 });
    say(texts.sending);
    next();
    button.current.focus(); // the button that was pressed is gone
  };
  const leaveOut = (item) => {
    stop(item);
    items.current = items.current.filter((one) => one !== item);
    redraw();
    button.current.focus();
  };

  return (
    <div className="o-upload" data-testid={name} aria-busy={isBusy}>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={!isOne}
        hidden
        aria-label={texts.choose}
        data-testid={`${name}-input`}
        onChange={chosen}
        onInput={(event) => event.stopPropagation()} // the form has changed once they are there
      />
      <button ref={button} className="button button--small button--dark" type="button" onClick={() => input.current.click()}>
        {texts.choose}
      </button>
      <p className="o-row__detail">{texts.rules}</p>
      {items.current.length > 0 && (
        <ul className="o-upload__files">
          {items.current.map((item) => (
            <li className="o-upload__file" key={item.id} data-state={item.state} data-testid={`${name}-file`}>
              <img className="o-upload__picture" src={item.preview} alt="" width="56" height="56" decoding="async" onError={hide} />
              <span className="o-upload__name">{item.file.name}</span>
              {item.state === "failed" ? (
                <>
                  <p className="field__problem" id={`upload-${item.id}`}>{texts[item.problem] ?? texts.failed}</p>
                  <span className="o-upload__actions">
                    {PASSING.has(item.problem) && (
                      <button
                        className="button button--small button--quiet"
                        type="button"
                        aria-describedby={`upload-${item.id}`}
                        onClick={() => again(item)}
                      >
                        {texts.again}
                        <span className="sr-only"> {item.file.name}</span>
                      </button>
                    )}
                    <button className="button button--small button--quiet" type="button" onClick={() => leaveOut(item)}>
                      {texts.leave_out}
                      <span className="sr-only"> {item.file.name}</span>
                    </button>
                  </span>
                </>
              ) : (
                <progress className="o-upload__part" max="1" value={item.state === "there" ? 1 : item.part} aria-label={item.file.name} />
              )}
            </li>
          ))}
        </ul>
      )}
      <p className="sr-only" role="status">{said}</p>
    </div>
  );
}
