// What the shop has to say while a shopper goes on: short, polite, gone by itself, never in the way of the keyboard.

import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Icon } from "./icons.jsx";
import { Picture } from "./picture.jsx";

const SHOWN_MS = 6000;

// Shows what is new since the page opened; `number` tells one message from the next of the same words.
function useFresh(message) {
  const [shown, setShown] = useState(null);
  const [isHeld, setHeld] = useState(false);
  const last = useRef(message.number);

  useEffect(() => {
    if (message.number === last.current) return;
    last.current = message.number;
    setShown(message);
  }, [message]);

  useEffect(() => {
    if (!shown || isHeld) return;
    const timer = setTimeout(() => setShown(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);

  const hold = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  };
  return [shown, () => setShown(null), hold];
}

export function Notices({ notice, added, texts }) {
  const [said, dismiss, holdSaid] = useFresh(notice);
  const [line, put, holdLine] = useFresh(added);
  return (
    <div className="notices">
      <div role="status" aria-atomic="true">
        {line && (
          <div className="notice notice--added" data-testid="added-notice" {...holdLine}>
            <span className="notice__picture">{line.picture && <Picture view={line.picture} sizes="64px" alt="" />}</span>
            <p className="notice__text"><b>{texts.added}</b><br />{line.title}</p>
            <Link className="button button--small button--dark" to="/cart" onClick={put}>{texts.cart}</Link>
            <button type="button" className="icon-button notice__close" aria-label={texts.close} onClick={put}>
              <Icon name="close" size={20} />
            </button>
          </div>
        )}
      </div>
      <div role="alert">
        {said && (
          <div className={`notice notice--${said.tone}`} data-testid="notice" {...holdSaid}>
            <p className="notice__text">{said.text}</p>
            <button type="button" className="icon-button notice__close" aria-label={texts.close} onClick={dismiss}>
              <Icon name="close" size={20} />
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
