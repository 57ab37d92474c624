import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface TestServer {
	readonly url: string;
	/** Everything that was asked, in order. */
	readonly asked: readonly IncomingMessage[];
}

/** Run with a server of its own. */
export async function withServer(handle: RequestListener, run: (server: TestServer) => Promise<void>): Promise<void> {
	const asked: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		asked.push(request);
		handle(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	try {
		await run({ url: `http://127.0.0.1:${port}`, asked });
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

/** Gives out the files below a directory. */
export function serveFiles(root: string): RequestListener {
	return (request, response) => {
		const path = decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname);
		createReadStream(join(root, path))
			.on("error", () => response.writeHead(404).end())
			.pipe(response);
	};
}

/** Whether a request brings these credentials; answers it where it does not. */
export function isSignedIn(request: IncomingMessage, response: ServerResponse, credentials: string): boolean {
	if (request.headers.authorization === `Basic ${Buffer.from(credentials).toString("base64")}`) return true;
	response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
	return false;
}

/** Gives out the repositories below a directory, as git's own program does. An old one speaks the first version of the protocol only. */
export function serveGit(root: string, { isOld = false } = {}): RequestListener {
	return (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
		const child = spawn("git", ["http-backend"], {
			env: {
				PATH: process.env["PATH"],
				GIT_PROJECT_ROOT: root,
				GIT_HTTP_EXPORT_ALL: "1",
				PATH_INFO: decodeURIComponent(pathname),
				QUERY_STRING: searchParams.toString(),
				REQUEST_METHOD: request.method,
				CONTENT_TYPE: request.headers["content-type"] ?? "",
				HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
				...(!isOld && { GIT_PROTOCOL: String(request.headers["git-protocol"] ?? "") }),
			},
			stdio: ["pipe", "pipe", "ignore"],
		});
		child.stdin.on("error", () => {});
		request.pipe(child.stdin);
		response.on("close", () => child.kill());
		passOn(child.stdout, response);
	};
}

/** Headers, an empty line and a body, as programs behind web servers answer. */
function passOn(answer: NodeJS.ReadableStream, response: ServerResponse): void {
	let head = Buffer.alloc(0);
	let isBody = false;
	answer.on("data", (chunk: Buffer) => {
		if (isBody) return response.write(chunk);
		head = Buffer.concat([head, chunk]);
		const end = head.indexOf("\r\n\r\n");
		if (end === -1) return undefined;
		for (const line of head.toString("latin1", 0, end).split("\r\n")) {
			const [name = "", value = ""] = line.split(": ");
			if (name === "Status") response.statusCode = Number.parseInt(value, 10);
			else response.setHeader(name, value);
		}
		isBody = true;
		return response.write(head.subarray(end + 4));
	});
	answer.on("end", () => response.end());
}
