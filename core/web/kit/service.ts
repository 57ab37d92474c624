import { effect } from "@preact/signals";
import { createClient } from "../../features/clients.ts";
import { LiveEvents } from "./live-events.ts";
import { Session } from "./session.ts";

/** Where the page is: below a path when the service is behind a proxy. */
const base = new URL(".", document.baseURI).href;

/** The service that the page is of. The browser adds the cookie of the session to what the client sends. */
export const client = createClient({
	apiUrl: `${base}api/v1`,
	authUrl: `${base}auth/v1`,
	streamUrl: `${base}stream/v1`,
	onWarning: (text) => onWarning?.(text),
});

let onWarning: ((text: string) => void) | undefined;

/** Sets who shows what the service warns of. */
export function setWarningListener(listener: (text: string) => void): void {
	onWarning = listener;
}

/** The address of a request of the API, for links that the browser follows by itself, such as downloads. */
export function toApiHref(path: string): string {
	return `${base}api/v1${path}`;
}

export const session = new Session(client, document.documentElement);

export const live = new LiveEvents(client, () => session.end());

/** Begin. The stream is open while somebody is signed in and the page is seen. */
export function startService(): void {
	const isPolled = () => !session.may("stream_view");
	effect(() => {
		if (session.state.value === "signed-in") live.start({ isPolled: isPolled() });
		else live.stop();
	});
	document.addEventListener("visibilitychange", () => {
		if (session.state.value === "signed-in") live.setVisible(document.visibilityState === "visible", { isPolled: isPolled() });
	});
	void session.check();
}
