import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DatastoreServer {
	/** The variables that lead an action here. */
	readonly environment: Readonly<Record<string, string>>;
	/** What was asked, as `METHOD path?query body`. */
	readonly requests: string[];
	stop(): Promise<void>;
}

/** The part of the service's API that actions use, over a real socket; values are kept in memory. */
export async function startDatastoreServer(): Promise<DatastoreServer> {
	const values = new Map<string, string>();
	const requests: string[] = [];
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "", "http://localhost");
		let body = "";
		for await (const piece of request) body += piece;
		requests.push(`${request.method} ${decodeURIComponent(url.pathname)}${url.search} ${body}`.trim());
		const [status, answer] =
			request.headers["x-auth-token"] === "secret token" ? respond(values, request.method ?? "", url, body) : [401, { faultstring: "no" }];
		response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
		response.end(answer === undefined ? undefined : JSON.stringify(answer));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		environment: { SVC_ACTION_API_URL: `http://127.0.0.1:${port}/v1`, SVC_ACTION_AUTH_TOKEN: "secret token" },
		requests,
		stop: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

function respond(values: Map<string, string>, method: string, url: URL, body: string): [number, unknown?] {
	if (url.pathname === "/v1/user") return [200, { username: "tester" }];
	const name = decodeURIComponent(/^\/v1\/keys(?:\/(.*))?$/.exec(url.pathname)?.[1] ?? "");
	const toItem = (key: string) => ({ name: key, value: values.get(key), scope: "svckv.system" });
	if (name === "")
		return [200, [...values.keys()].filter((key) => key.startsWith(url.searchParams.get("prefix") ?? "")).map((key) => toItem(key))];
	if (name.endsWith("broken")) return [500, { faultstring: "Internal Server Error" }];
	if (method === "PUT") values.set(name, JSON.parse(body).value);
	if (!values.has(name)) return [404, { faultstring: "not found" }];
	if (method !== "DELETE") return [200, toItem(name)];
	values.delete(name);
	return [204];
}
