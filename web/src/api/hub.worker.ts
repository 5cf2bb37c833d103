/** The worker that all tabs of a browser share; it lives as long as one of them. */
import { HERE_MS, Hub, type Said } from "./hub";

const hub = new Hub();
setInterval(() => hub.sweep(), HERE_MS);

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0];
  if (port) port.onmessage = ({ data }: MessageEvent<Said>) => hub.hear(port, data);
});
