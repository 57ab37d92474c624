import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface HttpClient {
	/** POST a JSON text; the answer's text, for a status of success. */
	post(path: string, body: string): Promise<string>;
	/** POST a JSON text whose answer's headers matter, for a status of success. */
	deliver(path: string, body: string): Promise<IncomingHttpHeaders>;
	/** GET a text, for a status of success. */
	get(path: string): Promise<string>;
	/** The answer to a GET, for a status of success, its body unread. */
	open(path: string): Promise<IncomingMessage>;
	stop(): void;
}

/** A client as cheap as it can be, as it shares the machine with what it measures: node:http on connections that stay open. */
export function createHttpClient(address: string, headers: Readonly<Record<string, string>> = {}): HttpClient {
	const agent = new Agent({ keepAlive: true, noDelay: true });

	function send(method: string, path: string, body?: string): Promise<IncomingMessage> {
		return new Promise((resolve, reject) => {
			const length = body === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
			const sent = request(`${address}${path}`, { method, agent, headers: { ...headers, ...length } });
			sent.on("error", reject).on("response", (response) => {
				const { statusCode = 0 } = response;
				if (statusCode >= 200 && statusCode < 300) resolve(response);
				else void readText(response).then((text) => reject(new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 500)}`)), reject);
			});
			sent.end(body);
		});
	}

	return {
		post: async (path, body) => readText(await send("POST", path, body)),
		async deliver(path, body) {
			const response = await send("POST", path, body);
			await readText(response);
			return response.headers;
		},
		get: async (path) => readText(await send("GET", path)),
		open: (path) => send("GET", path),
		stop: () => agent.destroy(),
	};
}

function readText(response: IncomingMessage): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = "";
		response.setEncoding("utf8");
		response.on("data", (piece: string) => {
			text += piece;
		});
		response.on("error", reject).on("end", () => resolve(text));
	});
}
