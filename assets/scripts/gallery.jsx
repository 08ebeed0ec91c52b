// A product's pictures: a track to swipe, thumbnails, a magnifier under the mouse and a large view for fingers and keys.
//
// `pictures[i].background` is a finished CSS url("…"), quoted and escaped by the server: file names hold spaces and
// parentheses.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "./icons.jsx";
import { Picture } from "./picture.jsx";
import { fill } from "./words.jsx";

const ZOOM = 2.2;
const SIZES = "(min-width: 1280px) 600px, (min-width: 768px) 50vw, 100vw";

export function Gallery({ pictures, texts, children }) {
  const track = useRef(null);
  const [current, setCurrent] = useState(0);
  const [point, setPoint] = useState(null);
  const [isLarge, setLarge] = useState(false);

  const show = (place, behavior) => {
    setCurrent(place);
    track.current.scrollTo({ left: track.current.children[place].offsetLeft, behavior });
  };

  const scrolled = () => {
    const { scrollLeft, clientWidth } = track.current;
    const place = Math.min(pictures.length - 1, Math.max(0, Math.round(scrollLeft / clientWidth)));
    if (place !== current) {
      setCurrent(place);
      setPoint(null);
    }
  };

  const pointed = (event) => {
    if (event.pointerType !== "mouse") return;
    const box = track.current.getBoundingClientRect();
    setPoint({ x: ((event.clientX - box.left) / box.width) * 100, y: ((event.clientY - box.top) / box.height) * 100 });
  };

  const shown = pictures[current];
  return (
    <div className="gallery">
      <div className="gallery__stage" onPointerMove={pointed} onPointerLeave={() => setPoint(null)}>
        <div ref={track} className="gallery__track" role="group" aria-label={texts.pictures} tabIndex={0} onScroll={scrolled}>
          {pictures.map(({ picture }, place) => (
            <div className="gallery__slide" key={picture.url}>
              <Picture
                view={picture}
                sizes={SIZES}
                eager={place === 0}
                data-testid={place === current ? "gallery-image" : undefined}
              />
            </div>
          ))}
        </div>
        {point && shown && (
          <div
            className="gallery__zoom"
            data-testid="zoom-panel"
            aria-hidden="true"
            style={{
              backgroundImage: shown.background,
              backgroundSize: `${ZOOM * 100}%`,
              backgroundPosition: `${point.x}% ${point.y}%`,
            }}
          />
        )}
        {children}
        <button type="button" className="icon-button gallery__enlarge" aria-label={texts.enlarge} onClick={() => setLarge(true)}>
          <Icon name="zoom" />
        </button>
      </div>
      {pictures.length > 1 && (
        <div className="gallery__thumbs">
          {pictures.map(({ picture }, place) => (
            <button
              key={picture.url}
              type="button"
              className="gallery__thumb"
              aria-label={fill(texts.picture, { n: place + 1, what: picture.alt })}
              aria-current={place === current || undefined}
              onClick={() => show(place, "smooth")}
            >
              <Picture view={picture} sizes="80px" alt="" />
            </button>
          ))}
        </div>
      )}
      {isLarge && shown && <LargeView picture={shown.picture} texts={texts} onClose={() => setLarge(false)} />}
    </div>
  );
}

const MIDDLE = { x: 0.5, y: 0.5 };

function LargeView({ picture, texts, onClose }) {
  const dialog = useRef(null);
  const pane = useRef(null);
  const at = useRef(MIDDLE);
  const [isNear, setNear] = useState(false);

  useEffect(() => dialog.current.showModal(), []);

  useLayoutEffect(() => {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = pane.current;
    pane.current.scrollTo(at.current.x * scrollWidth - clientWidth / 2, at.current.y * scrollHeight - clientHeight / 2);
  }, [isNear]);

  const toggled = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const isPointed = event.detail > 0; // a key points nowhere
    at.current = isPointed
      ? { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height }
      : MIDDLE;
    setNear(!isNear);
  };

  return (
    <dialog ref={dialog} className="large-view" aria-label={texts.enlarged} data-testid="zoom-dialog" onClose={onClose}>
      <div ref={pane} className="large-view__pane" data-near={isNear || undefined}>
        <button type="button" className="large-view__picture" aria-pressed={isNear} aria-label={texts.nearer} onClick={toggled}>
          <Picture view={picture} sizes={isNear ? "200vw" : "100vw"} />
        </button>
      </div>
      <button type="button" className="icon-button large-view__close" aria-label={texts.close} onClick={() => dialog.current.close()}>
        <Icon name="close" />
      </button>
    </dialog>
  );
}
