// The camera, which reads codes until it is closed. The browser's own detector reads them if it exists; otherwise a
// library does, which is loaded only then.

import { useEffect, useRef, useState } from "react";

const INTERVAL_MS = 150;
const REPEAT_AFTER_MS = 1500; // the same code counts again after it was out of view for this time
const FORMATS = ["ean_13", "ean_8", "upc_a", "upc_e", "code_128", "code_39", "qr_code"];

async function createReader() {
  if ("BarcodeDetector" in window) {
    try {
      const supported = await window.BarcodeDetector.getSupportedFormats();
      const formats = FORMATS.filter((format) => supported.includes(format));
      if (formats.length) {
        const detector = new window.BarcodeDetector({ formats });
        return async (video) => (await detector.detect(video)).map((code) => code.rawValue);
      }
    } catch {
      // use the library instead
    }
  }
  const { BinaryBitmap, DecodeHintType, HybridBinarizer, MultiFormatReader, RGBLuminanceSource } = await import("@zxing/library");
  const reader = new MultiFormatReader();
  reader.setHints(new Map([[DecodeHintType.TRY_HARDER, true]])); // it reads nothing without a hint
  const canvas = document.createElement("canvas");
  return async (video) => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const { width, height } = canvas;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(video, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const gray = Uint8ClampedArray.from({ length: width * height }, (_, at) => (data[4 * at] + 2 * data[4 * at + 1] + data[4 * at + 2]) / 4);
    try {
      return [reader.decodeWithState(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(gray, width, height)))).getText()];
    } catch {
      return []; // no code in the picture
    }
  };
}

export function Camera({ texts, onCode }) {
  const video = useRef(null);
  const [problem, setProblem] = useState("");
  const latestOnCode = useRef(onCode);
  latestOnCode.current = onCode;

  useEffect(() => {
    let stream = null;
    let timer = 0;
    let isClosed = false;
    const lastCode = { code: "", at: 0 };
    const scan = async (read) => {
      if (isClosed) return;
      if (video.current?.readyState >= 2) {
        for (const code of await read(video.current)) {
          const now = performance.now();
          if (code !== lastCode.code || now - lastCode.at > REPEAT_AFTER_MS) latestOnCode.current(code);
          Object.assign(lastCode, { code, at: now });
        }
      }
      if (!isClosed) timer = setTimeout(scan, INTERVAL_MS, read);
    };
    const open = async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
        if (isClosed) return stream.getTracks().forEach((track) => track.stop());
        video.current.srcObject = stream;
        await scan(await createReader());
      } catch {
        if (!isClosed) setProblem(texts.camera);
      }
    };
    open();
    return () => {
      isClosed = true;
      clearTimeout(timer);
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, []);

  if (problem) return <p className="field__problem" role="alert">{problem}</p>;
  return <video ref={video} className="o-camera" data-testid="pack-camera" aria-label={texts.picture} autoPlay muted playsInline />;
}
