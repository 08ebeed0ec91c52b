// A field for files: a button, and the list of chosen files, each with a button that removes it. The file input itself is
// hidden only from view: it has the keyboard focus, the form sends its files, and without this script it still opens the
// browser's dialog. The markup around it is in `storefront/components/http_forms.py`.

import { useEffect, useRef, useState } from "react";
import { listen } from "./effects.jsx";

const UNITS = ["B", "kB", "MB"];

function formatSize(bytes) {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  const number = bytes / 1024 ** power;
  return `${number.toLocaleString(document.documentElement.lang, { maximumFractionDigits: number < 10 ? 1 : 0 })} ${UNITS[power]}`;
}

// Return true if the `accept` attribute contains the type of the file. A file of an unknown type is left to the server.
function isAccepted(file, accept) {
  const isType = (type) => type === file.type || (type.endsWith("/*") && file.type.startsWith(type.slice(0, -1)));
  return !file.type || accept.split(",").some(isType);
}

const isSame = (one, other) => one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

// `problem`: the message of the server. `children`: the content of the button.
export function FileField({ elementId: id, name, accept, maxCount, maxBytes, isRequired, texts, problem, children }) {
  const input = useRef(null);
  const [files, setFiles] = useState([]);
  const [refusal, setRefusal] = useState(null); // null until the files are changed: then it replaces `problem`
  const [announcement, setAnnouncement] = useState("");

  const show = (list) => {
    const transfer = new DataTransfer(); // the only way to change the files of an input
    for (const file of list) transfer.items.add(file);
    input.current.files = transfer.files;
    setFiles(list);
  };

  useEffect(() => {
    setFiles([...input.current.files]); // chosen before this script was loaded
    return listen(input.current.form, "reset", () => {
      setFiles([]);
      setRefusal(null);
    });
  }, []);

  const handleChoice = ({ target }) => {
    const chosen = [...target.files];
    const known = maxCount > 1 ? files : [];
    const isNew = (file) => !known.some((other) => isSame(other, file));
    const problems = [];
    const usable = chosen.filter(isNew).filter((file) => {
      if (file.size > maxBytes) problems.push(texts.too_large.replace("{name}", file.name));
      else if (!isAccepted(file, accept)) problems.push(texts.wrong_type.replace("{name}", file.name));
      else return true;
      return false;
    });
    const all = [...known, ...usable];
    if (all.length > maxCount) problems.push(texts.too_many);
    const kept = all.slice(0, maxCount);
    show(kept);
    setRefusal(problems.join(" "));
    setAnnouncement(kept.map((file) => file.name).join(", "));
  };

  const removeFile = (file) => {
    show(files.filter((other) => other !== file));
    setRefusal("");
    setAnnouncement(texts.removed.replace("{name}", file.name));
    input.current.focus(); // the clicked button has disappeared
  };

  const shownProblem = refusal ?? problem;
  return (
    <div className="files">
      <input
        ref={input}
        id={id}
        type="file"
        name={name}
        accept={accept}
        multiple={maxCount > 1}
        required={isRequired}
        className="sr-only files__input"
        aria-invalid={shownProblem ? "true" : undefined}
        aria-describedby={`${id}-problem ${id}-hint`}
        onChange={handleChoice}
      />
      <label htmlFor={id} className="button button--quiet button--small files__button">{children}</label>
      <p className="field__hint" id={`${id}-hint`}>{texts.rules}</p>
      <div id={`${id}-problem`} aria-live="polite">
        {shownProblem && <p className="field__problem">{shownProblem}</p>}
      </div>
      {files.length > 0 && (
        <ul className="files__list">
          {files.map((file) => (
            <li className="files__file" key={`${file.name} ${file.size} ${file.lastModified}`} data-testid="chosen-file">
              <span className="files__name">{file.name}</span>
              <span className="files__size">{formatSize(file.size)}</span>
              <button type="button" className="files__remove" onClick={() => removeFile(file)}>
                {texts.remove}
                <span className="sr-only"> {file.name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="sr-only" role="status">{announcement}</p>
    </div>
  );
}
