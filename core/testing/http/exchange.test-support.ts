import { request as ask } from "node:http";
import { toDocumentedPath } from "../../http/openapi/operation.ts";
import type { Route } from "../../http/route.ts";
import type { Exchange } from "./declared-answers.test-support.ts";

/** What is sent to a route. */
export interface Sent {
	/** Without the prefix of the component. */
	readonly path: string;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Default: that of the route. */
	readonly method?: string;
	/** Events without an end are left once they have begun, at once or with the signal. */
	readonly isLeft?: boolean;
	readonly leave?: AbortSignal;
}

const patience = 20_000;

/** Send a request to a route, also one that no client would; what was answered, with its body unless it is left before its end. */
export function exchange(root: string, route: Route, sent: Sent): Promise<Exchange> {
	const { path, body, isLeft = false, leave } = sent;
	const method = sent.method ?? route.method;
	const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
	const length = bytes === undefined ? {} : { "content-type": "application/json", "content-length": String(bytes.length) };
	return new Promise((resolve, reject) => {
		const request = ask(root + path, { method, headers: { ...length, ...sent.headers }, timeout: patience, agent: false });
		request.on("response", (response) => {
			const { statusCode: status = 0 } = response;
			const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
			const seen = { method, path: toDocumentedPath(route), status, headers, isSelected: path.includes("clude_attributes=") };
			const pieces: Buffer[] = [];
			response.on("data", (piece: Buffer) => pieces.push(piece));
			response.on("end", () => resolve({ ...seen, text: method === "HEAD" ? undefined : Buffer.concat(pieces).toString("utf8") }));
			response.on("error", reject);
			if (status !== 200 || (!isLeft && leave === undefined)) return;
			resolve({ ...seen, text: undefined });
			if (isLeft) request.destroy();
		});
		leave?.addEventListener("abort", () => request.destroy());
		request.on("timeout", () => request.destroy(new Error(`${method} ${path}: no answer`)));
		request.on("error", reject);
		request.end(bytes);
	});
}
