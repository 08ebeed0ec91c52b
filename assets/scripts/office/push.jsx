// Notices on this device: the browser's subscription to push messages, which the service worker displays.

import { useEffect, useState } from "react";

const isSupported = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const decode = (text) => {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4);
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
};

const isSameKey = (subscription, key) => {
  const known = new Uint8Array(subscription.options?.applicationServerKey ?? []);
  return known.length === key.length && known.every((byte, at) => byte === key[at]);
};

async function subscribe(publicKey) {
  if ((await Notification.requestPermission()) !== "granted") return null;
  await navigator.serviceWorker.register("/sw.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = decode(publicKey);
  const known = await pushManager.getSubscription();
  if (known && !isSameKey(known, key)) await known.unsubscribe(); // it belongs to another key of the shop
  const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON();
  return { endpoint, p256dh: keys.p256dh, auth: keys.auth };
}

export function PushDevice({ publicKey, isOn, texts, onSubscribe }) {
  const [state, setState] = useState("");

  useEffect(() => {
    if (!isSupported()) setState("unsupported");
    else if (Notification.permission === "denied") setState("denied");
  }, []);

  const turnOn = async () => {
    setState("busy");
    try {
      const subscription = await subscribe(publicKey);
      setState(subscription ? "" : "denied");
      if (subscription) onSubscribe(subscription);
    } catch {
      setState("failed");
    }
  };

  const stateShown = isOn && state === "" ? "on" : state;
  if (["unsupported", "denied", "on"].includes(stateShown))
    return <p className="o-row__detail" role="status" data-testid="push-state">{texts[stateShown]}</p>;
  return (
    <>
      <button className="button button--small button--primary" type="button" disabled={state === "busy"} onClick={turnOn} data-testid="push-on">
        {texts.turnOn}
      </button>
      <p className="o-row__detail" role="status">{texts[state] ?? ""}</p>
    </>
  );
}
