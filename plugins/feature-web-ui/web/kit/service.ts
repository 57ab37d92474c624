import { effect } from "@preact/signals";
import { type ClientOptions, createApi, createClient } from "../../../_shipped/client.ts";
import { LiveEvents } from "./live-events.ts";
import { Session } from "./session.ts";

/** URL of the page. It includes a path if a proxy publishes the service below that path. */
const base = new URL(".", document.baseURI).href;

const options: ClientOptions = {
	apiUrl: `${base}api/v1`,
	authUrl: `${base}auth/v1`,
	streamUrl: `${base}stream/v1`,
	onWarning: (text) => onWarning?.(text),
};

/** Client of the service that delivered the page. The browser adds the session cookie to its requests. */
export const client = createClient(options);

/** Requests to routes that the client does not know. */
export const api = createApi(options);

let onWarning: ((text: string) => void) | undefined;

/** Sets the listener that displays warnings of the service. */
export function setWarningListener(listener: (text: string) => void): void {
	onWarning = listener;
}

/** Returns the URL of an API request for links that the browser opens itself, such as downloads. */
export function toApiHref(path: string): string {
	return `${base}api/v1${path}`;
}

export const session = new Session(client, document.documentElement);

export const live = new LiveEvents(client, () => session.end());

/** Starts the page's connection to the service. The event stream is open while a user is signed in and the page is visible. */
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
