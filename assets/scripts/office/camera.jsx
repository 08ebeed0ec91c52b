// The camera, reading codes until it is closed. The browser reads them itself where it can; else a library does, which is
// loaded only now.

import { useEffect, useRef, useState } from "react";

const EVERY_MS = 150;
const REST_MS = 1500; // the same code counts again after so long out of sight
const FORMATS = ["ean_13", "ean_8", "upc_a", "upc_e", "code_128", "code_39", "qr_code"];

async function reader() {
  if ("BarcodeDetector" in window) {
    try {
      const known = await window.BarcodeDetector.getSupportedFormats();
      const formats = FORMATS.filter((format) => known.includes(format));
      if (formats.length) {
        const detector = new window.BarcodeDetector({ formats });
        return async (video) => (await detector.detect(video)).map((code) => code.rawValue);
      }
    } catch {
      // the library reads them then
    }
  }
  const { BinaryBitmap, DecodeHintType, HybridBinarizer, MultiFormatReader, RGBLuminanceSource } = await import("@zxing/library");
  const codes = new MultiFormatReader();
  codes.setHints(new Map([[DecodeHintType.TRY_HARDER, true]])); // it reads nothing without any
  const canvas = document.createElement("canvas");
  return async (video) => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const { width, height } = canvas;
    const drawn = canvas.getContext("2d", { willReadFrequently: true });
    drawn.drawImage(video, 0, 0);
    const { data } = drawn.getImageData(0, 0, width, height);
    const gray = Uint8ClampedArray.from({ length: width * height }, (_, at) => (data[4 * at] + 2 * data[4 * at + 1] + data[4 * at + 2]) / 4);
    try {
      return [codes.decodeWithState(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(gray, width, height)))).getText()];
    } catch {
      return []; // there is none in the picture
    }
  };
}

export function Camera({ texts, onCode }) {
  const video = useRef(null);
  const [problem, setProblem] = useState("");
  const heard = useRef(onCode);
  heard.current = onCode;

  useEffect(() => {
    let stream = null;
    let timer = 0;
    let isOver = false;
    const last = { code: "", at: 0 };
    const look = async (read) => {
      if (isOver) return;
      if (video.current?.readyState >= 2) {
        for (const code of await read(video.current)) {
          const now = performance.now();
          if (code !== last.code || now - last.at > REST_MS) heard.current(code);
          Object.assign(last, { code, at: now });
        }
      }
      if (!isOver) timer = setTimeout(look, EVERY_MS, read);
    };
    const open = async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
        if (isOver) return stream.getTracks().forEach((track) => track.stop());
        video.current.srcObject = stream;
        await look(await reader());
      } catch {
        if (!isOver) setProblem(texts.camera);
      }
    };
    open();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, []);

  if (problem) return <p className="field__problem" role="alert">{problem}</p>;
  return <video ref={video} className="o-camera" data-testid="pack-camera" aria-label={texts.picture} autoPlay muted playsInline />;
}
