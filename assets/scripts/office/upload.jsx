// Upload of pictures from the camera or the gallery, or of a video, in their original size: the server scales pictures
// down. Two are sent at a time, each with its progress. A failed file shows its problem and can be sent again. When no
// upload is pending, the screen receives the addresses.

import { useEffect, useRef, useState } from "react";

const UPLOADS_PATH = "/admin/uploads";
const CONCURRENCY = 2;
const MAX_TRIES = 4; // while the server is busy
const RETRY_DELAY_MS = 3000;
const RETRYABLE = new Set(["busy", "offline", "ended", "failed"]); // the same file may succeed later

let itemCount = 0;

// Send one file. `onProgress(part)` receives the sent fraction. Return `{url}` or `{problem}`, a name in `texts`.
function send(path, file, onProgress) {
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("files", file);
  const answer = new Promise((resolve) => {
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => resolve({ problem: "offline" });
    request.onabort = () => resolve({ problem: "gone" });
    request.onload = () => {
      const response = request.response ?? {};
      const { status } = request;
      if (status === 200 && response.files?.[0]) resolve({ url: response.files[0].url });
      else if (status === 429 || status === 503) resolve({ problem: "busy" });
      else if (status === 401) resolve({ problem: "ended" });
      else if (status === 403) resolve({ problem: "forbidden" });
      else if (status === 413) resolve({ problem: "too_many_bytes" });
      else resolve({ problem: response.code ?? "failed" });
    };
  });
  request.open("POST", path);
  request.responseType = "json";
  request.setRequestHeader("accept", "application/json");
  request.send(body);
  return { answer, stop: () => request.abort() };
}

const hideBrokenPicture = (event) => event.target.removeAttribute("src"); // hides the browser's icon of a broken picture

export function PictureUpload({ texts, maxBytes, accept, isOne, name, path = UPLOADS_PATH, inputTestId, onUploaded }) {
  const input = useRef(null);
  const button = useRef(null);
  const items = useRef([]); // in the order of choice
  const isUnmounted = useRef(false);
  const latestOnUploaded = useRef(onUploaded);
  latestOnUploaded.current = onUploaded;
  const [, setRedraws] = useState(0);
  const [announcement, setAnnouncement] = useState("");
  const redraw = () => !isUnmounted.current && setRedraws((number) => number + 1);

  const stop = (item) => {
    clearTimeout(item.timer);
    item.stop?.();
    URL.revokeObjectURL(item.preview);
  };

  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      items.current.forEach(stop);
    };
  }, []);

  const isBusy = items.current.some((item) => item.state === "waiting" || item.state === "sending");
  useEffect(() => {
    if (!isBusy) return;
    const preventUnload = (event) => event.preventDefault();
    window.addEventListener("beforeunload", preventUnload);
    return () => window.removeEventListener("beforeunload", preventUnload);
  }, [isBusy]);

  const startWaiting = () => {
    if (isUnmounted.current) return;
    const all = items.current;
    for (const item of all.filter((other) => other.state === "waiting")) {
      if (all.filter((other) => other.state === "sending").length >= CONCURRENCY) break;
      startUpload(item);
    }
    if (!all.some((other) => other.state === "waiting" || other.state === "sending")) finishUploads();
    redraw();
  };

  const startUpload = async (item) => {
    Object.assign(item, { state: "sending", part: 0, problem: "", tries: item.tries + 1 });
    const sending = send(path, item.file, (part) => {
      item.part = part;
      redraw();
    });
    item.stop = sending.stop;
    const { url, problem } = await sending.answer;
    if (isUnmounted.current || item.state !== "sending") return;
    if (url) Object.assign(item, { state: "there", url });
    else if (problem === "busy" && item.tries < MAX_TRIES) {
      item.timer = setTimeout(() => startUpload(item), RETRY_DELAY_MS); // it stays in the list as an upload in progress
      return;
    } else Object.assign(item, { state: "failed", problem });
    startWaiting();
  };

  // Pass the uploaded files to the screen. Failed files stay until they are sent again or removed.
  const finishUploads = () => {
    const uploaded = items.current.filter((item) => item.state === "there");
    const failed = items.current.filter((item) => item.state === "failed");
    uploaded.forEach(stop);
    items.current = failed;
    if (uploaded.length) latestOnUploaded.current(uploaded.map((item) => item.url));
    const parts = [];
    if (uploaded.length) parts.push(uploaded.length === 1 ? texts.one_done : texts.done.replace("{n}", uploaded.length));
    if (failed.length) parts.push(failed.length === 1 ? texts.one_failed : texts.some_failed.replace("{n}", failed.length));
    setAnnouncement(parts.join(" "));
  };

  const handleChoice = (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be chosen again
    if (!files.length) return;
    for (const file of files) {
      const isLarge = file.size > maxBytes;
      items.current.push({
        id: (itemCount += 1),
        file,
        preview: URL.createObjectURL(file),
        state: isLarge ? "failed" : "waiting",
        problem: isLarge ? "too_many_bytes" : "",
        part: 0,
        tries: 0,
      });
    }
    setAnnouncement(texts.sending);
    startWaiting();
  };
  const retry = (item) => {
    Object.assign(item, { state: "waiting", tries: 0 });
    setAnnouncement(texts.sending);
    startWaiting();
    button.current.focus(); // the clicked button has disappeared
  };
  const removeItem = (item) => {
    stop(item);
    items.current = items.current.filter((other) => other !== item);
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
        data-testid={inputTestId ?? `${name}-input`}
        onChange={handleChoice}
        onInput={(event) => event.stopPropagation()} // the form is changed only when the upload has ended
      />
      <button ref={button} className="button button--small button--dark" type="button" onClick={() => input.current.click()}>
        {texts.choose}
      </button>
      <p className="o-row__detail">{texts.rules}</p>
      {items.current.length > 0 && (
        <ul className="o-upload__files">
          {items.current.map((item) => (
            <li className="o-upload__file" key={item.id} data-state={item.state} data-testid={`${name}-file`}>
              <img className="o-upload__picture" src={item.preview} alt="" width="56" height="56" decoding="async" onError={hideBrokenPicture} />
              <span className="o-upload__name">{item.file.name}</span>
              {item.state === "failed" ? (
                <>
                  <p className="field__problem" id={`upload-${item.id}`}>{texts[item.problem] ?? texts.failed}</p>
                  <span className="o-upload__actions">
                    {RETRYABLE.has(item.problem) && (
                      <button
                        className="button button--small button--quiet"
                        type="button"
                        aria-describedby={`upload-${item.id}`}
                        onClick={() => retry(item)}
                      >
                        {texts.again}
                        <span className="sr-only"> {item.file.name}</span>
                      </button>
                    )}
                    <button className="button button--small button--quiet" type="button" onClick={() => removeItem(item)}>
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
      <p className="sr-only" role="status">{announcement}</p>
    </div>
  );
}
