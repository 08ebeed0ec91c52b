// What the shop has to say while a shopper goes on: short, polite, gone by itself, never in the way of the keyboard.

import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { ADDING } from "./cart.jsx";
import { Icon } from "./icons.jsx";
import { Picture } from "./picture.jsx";

const SHOWN_MS = 6000;

// Shows what is new since the page opened; `number` tells one message from the next of the same words. What a document
// learns when it first hears from the server was said before it opened, unless something was put into the cart by then:
// on a page that can be pressed before it has heard anything, that answer may come together with the first news. A state
// that has said nothing yet, as that of a server which has restarted, has the number 0.
function useFresh(message, isHydrated) {
  const [shown, setShown] = useState(null);
  const [isHeld, setHeld] = useState(false);
  const last = useRef(message.number);
  const isOpen = useRef(false);

  useEffect(() => {
    const isNew = message.number !== 0 && message.number !== last.current;
    last.current = message.number;
    if (isNew && isOpen.current) setShown(message);
    isOpen.current ||= isHydrated;
  }, [message, isHydrated]);

  useEffect(() => {
    const adding = () => { isOpen.current = true; };
    window.addEventListener(ADDING, adding);
    return () => window.removeEventListener(ADDING, adding);
  }, []);

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

export function Notices({ notice, added, isHydrated, texts }) {
  const [said, dismiss, holdSaid] = useFresh(notice, isHydrated);
  const [line, put, holdLine] = useFresh(added, isHydrated);
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
